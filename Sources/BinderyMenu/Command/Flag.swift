/// An option of the command line and its environment variable.
struct Flag: Sendable {
  /// A section of the help. The raw value is its heading.
  enum Group: String, Sendable, CaseIterable {
    case listening = "Listening"
    case authentication = "Authentication"
    case storage = "Storage"
    case menu = "Menu"
    case logging = "Logging"
    case other = "Other"
  }

  let group: Group
  /// The name with its dashes, such as `--listen`.
  let name: String
  /// The placeholder of the value in the help. Nil for a switch, which needs no value.
  let value: String?
  let help: String
  /// Indicates whether a repeated flag adds values to a list. Otherwise the last value replaces the others.
  var isList = false
  /// Returns the effective value as text, or nil if there is none.
  let format: @Sendable (Options) -> String?
  /// Parses and stores a value.
  ///
  /// `name` is the name of the flag or of the environment variable, for error messages.
  let set: @Sendable (_ options: inout Options, _ text: String, _ name: String) throws(UsageError) -> Void

  /// The environment variable: `BINDERY_TIME_ZONE` for `--time-zone`.
  var variable: String { "BINDERY_" + String(name.dropFirst(2)).uppercased().replacing("-", with: "_") }
}

extension Flag {
  typealias Path<Value> = any WritableKeyPath<Options, Value> & Sendable

  /// Returns a flag with a nonempty text.
  ///
  /// - Parameters:
  ///   - expected: A description of a valid text, for error messages.
  ///   - isValid: Indicates whether a text is valid.
  static func text(
    _ group: Group, _ name: String, _ value: String, _ path: Path<String>, _ help: String,
    expected: String, isValid: @escaping @Sendable (String) -> Bool
  ) -> Flag {
    Flag(
      group: group, name: name, value: value, help: help, format: { $0[keyPath: path] },
      set: { options, text, name throws(UsageError) in
        guard !text.isEmpty else { throw UsageError("\(name) must not be empty") }
        guard isValid(text) else { throw UsageError("expected \(expected) for \(name), got “\(text)”") }
        options[keyPath: path] = text
      })
  }

  /// Returns a flag whose value is the path of a file.
  static func file(_ group: Group, _ name: String, _ path: Path<String?>, _ help: String) -> Flag {
    optional(group, name, "FILE", path, help)
  }

  /// Returns a flag whose value is the name of a time zone. The name is validated when the server starts.
  static func zone(_ group: Group, _ name: String, _ path: Path<String?>, _ help: String) -> Flag {
    optional(group, name, "ZONE", path, help)
  }

  /// Returns a flag whose value is a nonempty text, without a default.
  private static func optional(
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
          throw UsageError(
            "expected a time from \(minimum) to \(maximum) for \(name), such as 500ms, 30s or 2m, got “\(text)”")
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
