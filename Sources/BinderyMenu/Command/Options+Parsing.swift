extension Options {
  /// Reads the variables, then the arguments, which win.
  package init(arguments: some Sequence<String>, environment: [String: String]) throws(UsageError) {
    if let zone = environment["TZ"], !zone.isEmpty {
      defaultTimeZone = zone.hasPrefix(":") ? String(zone.dropFirst()) : zone
    }
    try apply(environment)
    let values = try read(Array(arguments))
    for flag in Self.flags {
      guard let given = values[flag.name], let last = given.last else { continue }
      try flag.set(&self, flag.isList ? given.joined(separator: ",") : last, flag.name)
    }
    try checkTogether()
  }

  private mutating func apply(_ environment: [String: String]) throws(UsageError) {
    for flag in Self.flags {
      // Tools that fill in templates set empty variables where they mean none.
      guard let text = environment[flag.variable], !text.isEmpty else { continue }
      do throws(UsageError) {
        try flag.set(&self, text, flag.variable)
      } catch { throw UsageError(error.message, isOfEnvironment: true) }
    }
    let known = Set(Self.flags.map(\.variable))
    for name in environment.keys.sorted()
    where name.hasPrefix("BINDERY_") && !known.contains(name) && !Self.isServiceLink(name) {
      throw UsageError("there is no variable \(name); bindery --help lists them", isOfEnvironment: true)
    }
  }

  /// Kubernetes tells the pods of a namespace of a service named `bindery` in variables of its own.
  private static func isServiceLink(_ name: String) -> Bool {
    name == "BINDERY_PORT" || name == "BINDERY_SERVICE_HOST"
      || ["BINDERY_PORT_", "BINDERY_SERVICE_PORT"].contains(where: name.hasPrefix)
  }

  /// The values of each flag, in order; what is no flag becomes an operand.
  private mutating func read(_ arguments: [String]) throws(UsageError) -> [String: [String]] {
    var values: [String: [String]] = [:]
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        operands.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let flag = Self.flags.first(where: { $0.name == parts[0] }) else {
        throw UsageError("there is no option “\(parts[0])”; bindery --help lists them")
      }
      let text: String
      if parts.count > 1 {
        text = parts[1]
      } else if let value = flag.value {
        guard let next = rest.popFirst() else { throw UsageError("\(flag.name) needs a value: \(flag.name) \(value)") }
        text = next
      } else {
        text = "true"
      }
      values[flag.name, default: []].append(text)
    }
    return values
  }

  private func checkTogether() throws(UsageError) {
    if admitsAll, tokenFile != nil || readTokenFile != nil {
      throw UsageError("--no-auth and token files exclude each other")
    }
    if readTokenFile != nil, tokenFile == nil {
      throw UsageError("--read-token-file needs --token-file: nobody could write")
    }
  }
}
