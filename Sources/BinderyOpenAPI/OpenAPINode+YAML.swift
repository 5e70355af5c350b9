import BinderyAPI
import BinderyJSON

extension OpenAPINode {
  /// The tree as YAML 1.2 in block style. A YAML 1.1 parser reads the same values.
  package var yaml: String {
    var writer = YAMLWriter()
    writer.write(self)
    return writer.text
  }
}

/// Writes nodes as YAML in block style.
private struct YAMLWriter {
  private(set) var text = ""

  mutating func write(_ root: OpenAPINode) {
    switch root {
    case .object(let entries) where !entries.isEmpty: write(entries, at: 0)
    case .list(let elements) where !elements.isEmpty: write(elements, at: 0)
    default: text += scalar(root, at: 0) + "\n"
    }
  }

  /// - Parameter continuesLine: Whether the line of the first entry already starts with the dash of a list.
  private mutating func write(_ entries: [OpenAPINode.Entry], at indent: Int, continuesLine: Bool = false) {
    for (index, entry) in entries.enumerated() {
      if index > 0 || !continuesLine { pad(indent) }
      text += singleLine(entry.key) + ":"
      switch entry.value {
      case .object(let inner) where !inner.isEmpty:
        text += "\n"
        write(inner, at: indent + 2)
      case .list(let inner) where !inner.isEmpty:
        text += "\n"
        write(inner, at: indent + 2)
      default: text += " " + scalar(entry.value, at: indent + 2) + "\n"
      }
    }
  }

  private mutating func write(_ elements: [OpenAPINode], at indent: Int) {
    for element in elements {
      pad(indent)
      text += "-"
      switch element {
      case .object(let inner) where !inner.isEmpty:
        text += " "
        write(inner, at: indent + 2, continuesLine: true)
      case .list(let inner) where !inner.isEmpty:
        text += "\n"
        write(inner, at: indent + 2)
      default: text += " " + scalar(element, at: indent + 2) + "\n"
      }
    }
  }

  private mutating func pad(_ indent: Int) { text += String(repeating: " ", count: indent) }

  private func scalar(_ node: OpenAPINode, at indent: Int) -> String {
    switch node {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .text(let text): literalBlock(text, at: indent) ?? singleLine(text)
    case .list: "[]"
    case .object: "{}"
    }
  }

  /// Returns a text of several lines as a literal block (YAML 1.2 §8.1.2), or nil if a block would change the text.
  private func literalBlock(_ text: String, at indent: Int) -> String? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 1, let first = lines.first, let last = lines.last, !first.isEmpty, !last.isEmpty,
      lines.allSatisfy({ !$0.hasPrefix(" ") && !$0.hasSuffix(" ") && isPrintable($0) })
    else { return nil }
    let margin = String(repeating: " ", count: indent)
    return lines.reduce("|-") { $0 + "\n" + ($1.isEmpty ? "" : margin + $1) }
  }

  /// Returns a text on one line: plain if it is unambiguous, else in single quotes, else as a JSON string.
  private func singleLine(_ text: String) -> String {
    if isPlain(text) { return text }
    if isPrintable(text[...]) { return "'" + text.replacing("'", with: "''") + "'" }
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Indicates whether no parser can read the unquoted text as anything other than this text.
  private func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, first.isASCII,
      first.properties.isAlphabetic || "/$".unicodeScalars.contains(first),
      text.unicodeScalars.last != " ", !Self.reservedWords.contains(text.lowercased())
    else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", " ", "_", ".", "/", "$", "-", "{", "}", "`", ",", "(", ")", ";", "+": true
      default: false
      }
    }
  }

  /// Indicates whether the text has no character that YAML must escape (YAML 1.2 §5.1) and no line break.
  private func isPrintable(_ text: Substring) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x1_0000...0x10_FFFF: true
      default: false
      }
    }
  }

  /// The words that YAML 1.1 or 1.2 reads as a boolean or null.
  private static let reservedWords: Set<String> = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
}
