package import Journaling

/// What the command line and the environment say.
package struct Options: Sendable, Equatable {
  package var listen = ["127.0.0.1:8080"]
  /// A file, or `memory`.
  package var store = "bindery.db"
  /// How long to wait for another server to end that has the file, in milliseconds.
  package var storeWait: Int64 = 0
  package var retention = Retention()
  /// nil where the command line does not say: that of the store, or else the default.
  package var timeZone: String?
  package var defaultTimeZone = "UTC"
  package var threads = 0
  /// What is no flag: the files that some commands take.
  package var operands: [String] = []

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
    Flag(
      name: "--store", value: "FILE", help: "where the state is kept: a file (bindery.db), or memory"
    ) { options, text throws(UsageError) in
      guard !text.isEmpty else { throw UsageError("--store takes the name of a file, or memory") }
      options.store = text
    },
    Flag(
      name: "--store-wait", value: "TIME",
      help: "how long to wait for another server to let go of the file: 30, 30s, 500ms"
    ) { options, text throws(UsageError) in
      options.storeWait = try milliseconds(text, for: "--store-wait")
    },
    Flag(
      name: "--history-revisions", value: "N", help: "how many revisions GET /history tells of at most [10000]"
    ) { options, text throws(UsageError) in
      options.retention.revisions = try number(text, in: 0...100_000_000, for: "--history-revisions")
    },
    Flag(
      name: "--history-days", value: "N", help: "how old the oldest of them may be [30]"
    ) { options, text throws(UsageError) in
      options.retention.days = try number(text, in: 0...36_500, for: "--history-days")
    },
    Flag(
      name: "--time-zone", value: "ZONE", help: "where the restaurant is, as Europe/Rome; default: TZ, then UTC"
    ) { options, text throws(UsageError) in
      options.timeZone = text
    },
    Flag(
      name: "--threads", value: "N", help: "event loops; default: one per core"
    ) { options, text throws(UsageError) in
      options.threads = try number(text, in: 1...256, for: "--threads")
    },
  ]

  private static func number(_ text: String, in range: ClosedRange<Int>, for flag: String) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw UsageError("\(flag) takes a number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
    }
    return number
  }

  /// A length of time: seconds where no unit is given.
  private static func milliseconds(_ text: String, for flag: String) throws(UsageError) -> Int64 {
    let units: KeyValuePairs<String, Int64> = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "": 1_000]
    for (unit, factor) in units where text.hasSuffix(unit) {
      if let number = Int64(text.dropLast(unit.count)), (0...1_000_000).contains(number) { return number * factor }
    }
    throw UsageError("\(flag) takes a length of time as 30, 30s or 500ms, not “\(text)”")
  }

  /// Reads the variables, then the arguments, which win.
  package init(arguments: some Sequence<String>, environment: [String: String]) throws(UsageError) {
    if let zone = environment["TZ"], !zone.isEmpty {
      defaultTimeZone = zone.hasPrefix(":") ? String(zone.dropFirst()) : zone
    }
    for flag in Self.flags {
      if let text = environment[flag.variable] { try flag.set(&self, text) }
    }
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        operands.append(argument)
        continue
      }
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
