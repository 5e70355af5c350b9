import BinderyJSON

/// Finds the JSON that a client probably meant with a text that is not JSON: quotation marks are missing, usually
/// because the shell removed them.
enum JSONRepair {
  /// Returns the JSON texts that a text may mean, the most likely first.
  static func candidates(for text: String) -> [String] {
    let text = text.trimmed
    guard let first = text.unicodeScalars.first else { return [] }
    var candidates: [String] = []
    if "{[\"'“”‘’".unicodeScalars.contains(first) {
      candidates.append(LenientJSON.json(text) ?? "")
    } else {
      if isPairs(text) { candidates.append(LenientJSON.json("{" + text.replacing("&", with: ",") + "}") ?? "") }
      let word = LenientJSON.word(text)
      candidates += word == string(text) ? [word] : [word, string(text)]
    }
    return candidates.filter { !$0.isEmpty }
  }

  /// Returns the JSON of a string.
  static func string(_ text: String) -> String { JSONTree.string(text).text }

  /// Returns whether a text is like `name=value&name=value` or `name: value`.
  private static func isPairs(_ text: String) -> Bool {
    let name = text.unicodeScalars.prefix { $0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0) }
    guard !name.isEmpty, let separator = text.unicodeScalars.dropFirst(name.count).first else { return false }
    return separator == "=" || separator == ":"
  }
}

/// A reader of texts that are almost JSON: strings and names may be without quotation marks or in other ones, and the
/// end may be missing.
private struct LenientJSON {
  private var rest: Substring.UnicodeScalarView
  private var writer = JSONWriter()
  private var depth = 0
  /// Whether a text has an escape whose meaning is not certain, like the backslashes of a path in Windows.
  private var isUncertain = false

  private init(_ text: String) { rest = text[...].unicodeScalars }

  /// Returns the JSON of a text, or nil if it is not similar to JSON.
  static func json(_ text: String) -> String? {
    var reader = LenientJSON(text)
    guard reader.value(endingAt: ",}]"), reader.next == nil, !reader.isUncertain else { return nil }
    return String(decoding: reader.writer.bytes, as: UTF8.self)
  }

  /// Returns the JSON of a word: `true`, `false`, `null`, a number, or a string.
  static func word(_ text: String) -> String {
    switch text {
    case "True": return "true"
    case "False": return "false"
    case "None", "nil", "undefined": return "null"
    default:
      let isValue = (try? JSONDocument(parsing: Array(text.utf8))) != nil
      return isValue ? text : JSONRepair.string(text)
    }
  }

  /// Skips white space and returns the next scalar.
  private var next: Unicode.Scalar? {
    mutating get {
      rest = rest.drop { $0.properties.isWhitespace }
      return rest.first
    }
  }

  private mutating func take(_ scalars: String) -> Bool {
    guard let next, scalars.unicodeScalars.contains(next) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func value(endingAt ends: String) -> Bool {
    depth += 1
    defer { depth -= 1 }
    guard depth <= JSONDocument.defaultMaximumDepth, let next else { return false }
    if next == "{" { return object() }
    if next == "[" { return array() }
    if let text = quoted() {
      writer.string(text)
      return true
    }
    let word = unquoted(endingAt: ends)
    writer.raw(Array(Self.word(word).utf8))
    return !word.isEmpty
  }

  private mutating func object() -> Bool {
    rest.removeFirst()
    writer.beginObject()
    while let next, next != "}" {
      let name = quoted() ?? unquoted(endingAt: ":=,{}[]")
      guard !name.isEmpty, take(":=") else { return false }
      writer.key(name)
      guard value(endingAt: ",}") else { return false }
      _ = take(",")
    }
    _ = take("}")
    writer.endObject()
    return true
  }

  private mutating func array() -> Bool {
    rest.removeFirst()
    writer.beginArray()
    while let next, next != "]" {
      guard value(endingAt: ",]") else { return false }
      _ = take(",")
    }
    _ = take("]")
    writer.endArray()
    return true
  }

  /// Returns a text in quotation marks of any kind; nil if the next scalar is none.
  private mutating func quoted() -> String? {
    let ends: [Unicode.Scalar: String] = ["\"": "\"", "'": "'", "“": "”“", "‘": "’‘", "”": "”", "’": "’"]
    guard let next, let end = ends[next] else { return nil }
    rest.removeFirst()
    var text = ""
    while let scalar = rest.popFirst(), !end.unicodeScalars.contains(scalar) {
      guard scalar == "\\", let escaped = rest.popFirst() else {
        text.unicodeScalars.append(scalar)
        continue
      }
      switch escaped {
      case "n": text += "\n"
      case "t": text += "\t"
      case "\\", "/", "\"", "'": text.unicodeScalars.append(escaped)
      default: isUncertain = true
      }
    }
    return text
  }

  private mutating func unquoted(endingAt ends: String) -> String {
    let word = rest.prefix { !ends.unicodeScalars.contains($0) && $0 != "\n" }
    rest.removeFirst(word.count)
    return String(Substring(word)).trimmed
  }
}
