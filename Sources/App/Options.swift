/// What the command line and the environment say.
package struct Options: Sendable, Equatable {
  package var listen = ["127.0.0.1:8080"]
  package var store = "memory"
  package var timeZone = "UTC"
  package var threads = 0

  /// A flag, its variable, and what it means.
  struct Flag: Sendable {
    let name: String
    let value: String
    let help: String
    let set: @Sendable (inout Options, String) throws(UsageError) -> Void

    /// `--time-zone` is `BINDERY_TIME_ZONE`.
    var variable: String { "BINDERY_" + String(name.dropFirst(2)).uppercased().replacing("-", with: "_") }
  }

  static let flags: [Flag] = [
    Flag(
      name: "--listen", value: "ADDRESS",
      help: "where to listen: 127.0.0.1:8080, [::1]:8080, unix:/path; a list with commas"
    ) { options, text throws(UsageError) in
      options.listen = text.split(separator: ",").map(String.init)
    },
    Flag(name: "--store", value: "memory", help: "where the state is kept") { options, text throws(UsageError) in
      guard text == "memory" else { throw UsageError("--store takes memory, not “\(text)”") }
      options.store = text
    },
    Flag(
      name: "--time-zone", value: "ZONE", help: "where the restaurant is, as Europe/Rome; default: TZ, then UTC"
    ) { options, text throws(UsageError) in
      options.timeZone = text
    },
    Flag(
      name: "--threads", value: "N", help: "event loops; default: one per core"
    ) { options, text throws(UsageError) in
      guard let number = Int(text), (1...256).contains(number) else {
        throw UsageError("--threads takes a number from 1 to 256, not “\(text)”")
      }
      options.threads = number
    },
  ]

  /// Reads the variables, then the arguments, which win.
  package init(arguments: some Sequence<String>, environment: [String: String]) throws(UsageError) {
    if let zone = environment["TZ"], !zone.isEmpty { timeZone = zone.hasPrefix(":") ? String(zone.dropFirst()) : zone }
    for flag in Self.flags {
      if let text = environment[flag.variable] { try flag.set(&self, text) }
    }
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let flag = Self.flags.first(where: { $0.name == parts[0] }) else {
        throw UsageError("there is no option “\(argument)”")
      }
      guard let text = parts.count > 1 ? parts[1] : rest.popFirst() else {
        throw UsageError("\(flag.name) needs a value: \(flag.name) \(flag.value)")
      }
      try flag.set(&self, text)
    }
  }
}

/// A command line that makes no sense.
package struct UsageError: Error, Hashable, Sendable {
  package let message: String

  init(_ message: String) { self.message = message }
}
