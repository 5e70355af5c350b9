/// An option of the command line and its environment variable.
struct Flag: Sendable {
  /// A section of the help.
  struct Group: Sendable, Hashable {
    let heading: String
    /// Whether it has options of the program.
    var isOfProgram = false

    static let listening = Group(heading: "Listening")
    static let authentication = Group(heading: "Authentication")
    static let storage = Group(heading: "Storage")
    static let model = Group(heading: "Model")
    static let pages = Group(heading: "Web page")
    static let logging = Group(heading: "Logging")
    static let other = Group(heading: "Other")
    static func program(_ heading: String) -> Group { Group(heading: heading, isOfProgram: true) }
  }

  let group: Group
  /// The name with its dashes, such as `--listen`.
  let name: String
  /// The placeholder of the value in the help. Nil for a switch, which needs no value.
  let value: String?
  let help: String
  /// Whether a repeated flag adds values to a list. Otherwise the last value replaces the others.
  var isList = false
  /// Returns the effective value as text, or nil if there is none.
  let format: @Sendable (Options) -> String?
  /// Parses and stores a value.
  ///
  /// `name` is the name of the flag or of the environment variable, for error messages.
  var set: @Sendable (_ options: inout Options, _ text: String, _ name: String) throws(UsageError) -> Void

  /// Names of similar options in other programs, which are errors that suggest this one.
  var otherNames: [String] = []

  /// Returns the flag with names of similar options in other programs.
  func suggested(for names: String...) -> Flag {
    var flag = self
    flag.otherNames = names
    return flag
  }

  /// Returns the environment variable: `BINDERY_TIME_ZONE` for `--time-zone` of `bindery`.
  func variable(_ program: Program) -> String { program.variable(of: name) }
}

extension Flag {
  typealias Path<Value> = any WritableKeyPath<Options, Value> & Sendable

  /// Returns a flag with a nonempty text.
  ///
  /// - Parameter check: Rejects an invalid text.
  static func text(
    _ group: Group, _ name: String, _ value: String, _ path: Path<String>, _ help: String,
    check: @escaping @Sendable (String) throws(UsageError) -> Void
  ) -> Flag {
    Flag(
      group: group, name: name, value: value, help: help, format: { $0[keyPath: path] },
      set: { options, text, name throws(UsageError) in
        guard !text.isEmpty else { throw UsageError("\(name) must not be empty") }
        try check(text)
        options[keyPath: path] = text
      })
  }

  /// Returns the flag of an option of the program.
  static func program(_ option: CommandOption) -> Flag {
    let name = option.name
    guard let value = option.placeholder else {
      return toggle(.program(option.section), name, \.[switch: name], option.help)
    }
    var flag = optional(.program(option.section), name, value, \.[option: name], option.help)
    flag.set = { [set = flag.set] options, text, given throws(UsageError) in
      try set(&options, text, given)
      options.givenNames[name] = given
    }
    return flag
  }

  /// Returns a flag whose value is a nonempty text, without a default.
  static func optional(
    _ group: Group, _ name: String, _ value: String, _ path: Path<String?>, _ help: String
  ) -> Flag {
    Flag(
      group: group, name: name, value: value, help: help, format: { $0[keyPath: path] },
      set: { options, text, name throws(UsageError) in
        guard !text.isEmpty else { throw UsageError("\(name) must not be empty") }
        options[keyPath: path] = text
      })
  }

  /// Returns a flag whose value is a list: separated by commas, or given by repeating the flag.
  ///
  /// - Parameters:
  ///   - expected: A description of a valid item, for error messages.
  ///   - isValid: Indicates whether an item is valid.
  static func list(
    _ group: Group, _ name: String, _ value: String, _ path: Path<[String]>, _ help: String,
    expected: String, isValid: @escaping @Sendable (String) -> Bool
  ) -> Flag {
    let format: @Sendable (Options) -> String? = { options in
      options[keyPath: path].isEmpty ? nil : options[keyPath: path].joined(separator: ",")
    }
    return Flag(
      group: group, name: name, value: value, help: help, isList: true, format: format,
      set: { options, text, name throws(UsageError) in
        let items = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmingSpaces) }
        for item in items where !isValid(item) {
          throw UsageError("expected \(expected) for \(name), got “\(item)”")
        }
        options[keyPath: path] = items
      })
  }

  /// Returns a flag whose value is one of a fixed set of words.
  static func choice<Word: RawRepresentable<String> & CaseIterable & SendableMetatype>(
    _ group: Group, _ name: String, _ path: Path<Word>, _ help: String
  ) -> Flag {
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    let format: @Sendable (Options) -> String? = { $0[keyPath: path].rawValue }
    return Flag(group: group, name: name, value: "WORD", help: "\(help): \(words).", format: format) {
      options, text, name throws(UsageError) in
      guard let word = Word(rawValue: text) else {
        throw UsageError("expected one of \(words) for \(name), got “\(text)”")
      }
      options[keyPath: path] = word
    }
  }

  /// Returns a flag whose value is an integer.
  static func number(
    _ group: Group, _ name: String, _ path: Path<Int>, in range: ClosedRange<Int>, _ help: String
  ) -> Flag {
    Flag(
      group: group, name: name, value: "N", help: help, format: { String($0[keyPath: path]) },
      set: { options, text, name throws(UsageError) in
        guard let number = Int(text), range.contains(number) else {
          throw UsageError(
            "expected an integer from \(range.lowerBound) to \(range.upperBound) for \(name), got “\(text)”")
        }
        options[keyPath: path] = number
      })
  }

  /// Returns a flag whose value is a duration, in seconds if no unit is given.
  ///
  /// - Parameter range: The valid range in milliseconds.
  static func duration(
    _ group: Group, _ name: String, _ path: Path<Options.Duration>, in range: ClosedRange<Int64>, _ help: String
  ) -> Flag {
    Flag(
      group: group, name: name, value: "TIME", help: help, format: { $0[keyPath: path].description },
      set: { options, text, name throws(UsageError) in
        guard let duration = Options.Duration(text), range.contains(duration.milliseconds) else {
          let (minimum, maximum) = (
            Options.Duration(milliseconds: range.lowerBound), Options.Duration(milliseconds: range.upperBound)
          )
          let examples = Options.Duration.examples.filter { range.contains($0.milliseconds) }.map(\.description)
          throw UsageError(
            """
            expected a time from \(minimum) to \(maximum) for \(name), such as \
            \(examples.prefix(2).joined(separator: " or ")), got “\(text)”
            """)
        }
        options[keyPath: path] = duration
      })
  }

  /// Returns a switch: a flag without a value, or with `true` or `false`.
  static func toggle(_ group: Group, _ name: String, _ path: Path<Bool>, _ help: String) -> Flag {
    Flag(
      group: group, name: name, value: nil, help: help, format: { $0[keyPath: path] ? "true" : nil },
      set: { options, text, name throws(UsageError) in
        switch text.lowercased() {
        case "1", "true", "yes", "on": options[keyPath: path] = true
        case "0", "false", "no", "off": options[keyPath: path] = false
        default: throw UsageError("expected true or false for \(name), got “\(text)”")
        }
      })
  }
}

extension Substring {
  /// The text without spaces at both ends.
  fileprivate var trimmingSpaces: Substring {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}
