/// A flag of the command line, and the variable that says the same.
struct Flag: Sendable {
  /// What flags are about; the help shows them so.
  enum Group: String, Sendable, CaseIterable {
    case listening = "where"
    case access = "who may"
    case store = "what is kept"
    case menu = "the menu"
    case log = "what is told"
    case other = "besides"
  }

  let group: Group
  let name: String
  /// What its value is called; nil for a switch, which has none.
  let value: String?
  let help: String
  /// Given more than once, all of its values count; else the last one does.
  var isList = false
  /// What is in effect; nil where nothing is.
  let show: @Sendable (Options) -> String?
  /// - Parameter name: that of the flag or of the variable, for the message.
  let set: @Sendable (_ options: inout Options, _ text: String, _ name: String) throws(UsageError) -> Void

  /// `--time-zone` is `BINDERY_TIME_ZONE`.
  var variable: String { "BINDERY_" + String(name.dropFirst(2)).uppercased().replacing("-", with: "_") }
}

extension Flag {
  typealias Path<Value> = any WritableKeyPath<Options, Value> & Sendable

  /// A text that is not empty.
  static func text(_ group: Group, _ name: String, _ value: String, _ path: Path<String>, _ help: String) -> Flag {
    Flag(
      group: group, name: name, value: value, help: help, show: { $0[keyPath: path] },
      set: { options, text, name throws(UsageError) in
        guard !text.isEmpty else { throw UsageError("\(name) is empty") }
        options[keyPath: path] = text
      })
  }

  /// The name of a file that must be there.
  static func file(_ group: Group, _ name: String, _ path: Path<String?>, _ help: String) -> Flag {
    optional(group, name, "FILE", path, help)
  }

  /// The name of a time zone; whether this machine knows it is asked later.
  static func zone(_ group: Group, _ name: String, _ path: Path<String?>, _ help: String) -> Flag {
    optional(group, name, "ZONE", path, help)
  }

  private static func optional(
    _ group: Group, _ name: String, _ value: String, _ path: Path<String?>, _ help: String
  ) -> Flag {
    Flag(
      group: group, name: name, value: value, help: help, show: { $0[keyPath: path] },
      set: { options, text, name throws(UsageError) in
        guard !text.isEmpty else { throw UsageError("\(name) is empty") }
        options[keyPath: path] = text
      })
  }

  /// Several texts, with commas or by giving the flag again.
  static func list(
    _ group: Group, _ name: String, _ value: String, _ path: Path<[String]>, _ help: String,
    isUsable: @escaping @Sendable (String) -> Bool
  ) -> Flag {
    let show: @Sendable (Options) -> String? = { options in
      options[keyPath: path].isEmpty ? nil : options[keyPath: path].joined(separator: ",")
    }
    return Flag(
      group: group, name: name, value: value, help: help, isList: true, show: show,
      set: { options, text, name throws(UsageError) in
        let items = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmingBlanks) }
        for item in items where !isUsable(item) {
          throw UsageError("“\(item)” is no \(value.lowercased()) for \(name): \(help)")
        }
        options[keyPath: path] = items
      })
  }

  /// One of a few words.
  static func choice<Word: RawRepresentable<String> & CaseIterable & SendableMetatype>(
    _ group: Group, _ name: String, _ path: Path<Word>, _ help: String
  ) -> Flag {
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    let show: @Sendable (Options) -> String? = { $0[keyPath: path].rawValue }
    return Flag(group: group, name: name, value: "WORD", help: "\(help): \(words)", show: show) {
      options, text, name throws(UsageError) in
      guard let word = Word(rawValue: text) else { throw UsageError("\(name) is one of \(words), not “\(text)”") }
      options[keyPath: path] = word
    }
  }

  static func number(
    _ group: Group, _ name: String, _ path: Path<Int>, in range: ClosedRange<Int>, _ help: String
  ) -> Flag {
    Flag(
      group: group, name: name, value: "N", help: help, show: { String($0[keyPath: path]) },
      set: { options, text, name throws(UsageError) in
        guard let number = Int(text), range.contains(number) else {
          throw UsageError("\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
        }
        options[keyPath: path] = number
      })
  }

  /// A length of time: seconds where no unit is given.
  ///
  /// - Parameter range: in milliseconds.
  static func duration(
    _ group: Group, _ name: String, _ path: Path<Options.Duration>, in range: ClosedRange<Int64>, _ help: String
  ) -> Flag {
    Flag(
      group: group, name: name, value: "TIME", help: help, show: { $0[keyPath: path].description },
      set: { options, text, name throws(UsageError) in
        guard let time = Options.Duration(text), range.contains(time.milliseconds) else {
          let (least, most) = (
            Options.Duration(milliseconds: range.lowerBound), Options.Duration(milliseconds: range.upperBound)
          )
          throw UsageError("\(name) takes a time from \(least) to \(most), as 30s, 500ms or 2m, not “\(text)”")
        }
        options[keyPath: path] = time
      })
  }

  static func toggle(_ group: Group, _ name: String, _ path: Path<Bool>, _ help: String) -> Flag {
    Flag(
      group: group, name: name, value: nil, help: help, show: { $0[keyPath: path] ? "true" : nil },
      set: { options, text, name throws(UsageError) in
        switch text.lowercased() {
        case "1", "true", "yes", "on": options[keyPath: path] = true
        case "0", "false", "no", "off": options[keyPath: path] = false
        default: throw UsageError("\(name) is true or false, not “\(text)”")
        }
      })
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}
