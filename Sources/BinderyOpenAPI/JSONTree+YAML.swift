import BinderyAPI
import BinderyJSON
import BinderyText

extension JSONTree {
  /// The tree as YAML 1.2. A YAML 1.1 parser reads the same values.
  package var yaml: String {
    var writer = YAMLWriter()
    writer.write(self)
    return writer.text
  }
}

/// Writes nodes as YAML: in flow style what fits on a line, and else in block style.
private struct YAMLWriter {
  private(set) var text = ""

  mutating func write(_ root: JSONTree) {
    switch root {
    case .object(let entries) where !entries.isEmpty: write(entries, at: 0)
    case .array(let elements) where !elements.isEmpty: write(elements, at: 0)
    default: text += scalar(root, at: 0) + "\n"
    }
  }

  /// - Parameter continuesLine: Whether the line of the first entry already starts with the dash of a list.
  private mutating func write(_ entries: [JSONTree.Member], at indent: Int, continuesLine: Bool = false) {
    for (index, entry) in entries.enumerated() {
      if index > 0 || !continuesLine { pad(indent) }
      let key = singleLine(entry.key)
      text += key + ":"
      if let flow = flow(entry.value, atMost: Self.columns - indent - key.count) {
        text += " " + flow + "\n"
        continue
      }
      writeBlock(entry.value, at: indent + 2, objectOnSameLine: false)
    }
  }

  private mutating func write(_ elements: [JSONTree], at indent: Int) {
    for element in elements {
      pad(indent)
      text += "-"
      if let flow = flow(element, atMost: Self.columns - indent), element.members.count != 1 {
        text += " " + flow + "\n"
        continue
      }
      writeBlock(element, at: indent + 2, objectOnSameLine: true)
    }
  }

  /// Writes a part in block style, after its key or dash.
  ///
  /// - Parameter isOnSameLine: Whether the first entry of an object follows the dash of a list.
  private mutating func writeBlock(_ node: JSONTree, at indent: Int, objectOnSameLine isOnSameLine: Bool) {
    switch node {
    case .object(let inner) where !inner.isEmpty:
      text += isOnSameLine ? " " : "\n"
      write(inner, at: indent, continuesLine: isOnSameLine)
    case .array(let inner) where !inner.isEmpty:
      text += "\n"
      write(inner, at: indent)
    default: text += " " + scalar(node, at: indent) + "\n"
    }
  }

  private mutating func pad(_ indent: Int) { text += String(repeating: " ", count: indent) }

  /// The line length up to which objects and lists are written in flow style.
  private static let columns = 110

  /// Returns an object or a list in flow style (YAML 1.2 §7.4); nil for a scalar, and for what does not fit.
  private func flow(_ node: JSONTree, atMost length: Int) -> String? {
    guard length > 0, node.members.count + node.elements.count > 0, let text = flowText(node, atMost: length) else {
      return nil
    }
    return text.count <= length ? text : nil
  }

  private func flowText(_ node: JSONTree, atMost length: Int) -> String? {
    let parts: [String?]
    switch node {
    // Each part has at least two characters, so longer nodes are not examined.
    case .object(let entries) where !entries.isEmpty && entries.count * 2 <= length:
      parts = entries.map { entry in
        flowText(entry.value, atMost: length).map { "\(flowScalar(entry.key)): \($0)" }
      }
      let texts = parts.compactMap(\.self)
      return texts.count == parts.count ? "{" + texts.joined(separator: ", ") + "}" : nil
    case .array(let elements) where !elements.isEmpty && elements.count * 2 <= length:
      parts = elements.map { flowText($0, atMost: length) }
      let texts = parts.compactMap(\.self)
      return texts.count == parts.count ? "[" + texts.joined(separator: ", ") + "]" : nil
    case .string(let text): return text.utf8.count <= length ? flowScalar(text) : nil
    case .object([]), .array([]), .null, .bool, .number: return scalar(node, at: 0)
    case .object, .array: return nil
    }
  }

  /// Returns a text on one line that does not contain the punctuation of flow style unless it is quoted.
  private func flowScalar(_ text: String) -> String {
    let plain = singleLine(text)
    return plain == text && text.contains(where: { ",{}[]".contains($0) }) ? "'\(text)'" : plain
  }

  private func scalar(_ node: JSONTree, at indent: Int) -> String {
    switch node {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text):
      // For YAML 1.1, a number with an exponent has a point; otherwise it is a string.
      text.contains(".") ? text : text.replacing("e", with: ".0e")
    case .string(let text): literalBlock(text, at: indent) ?? singleLine(text)
    case .array: "[]"
    case .object: "{}"
    }
  }

  /// Returns a text of several lines as a literal block (YAML 1.2 §8.1.2), or nil if a block would change the text.
  private func literalBlock(_ text: String, at indent: Int) -> String? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 1, let first = lines.first, let last = lines.last, !first.isEmpty, !last.isEmpty,
      lines.allSatisfy({ $0.utf8.first != UInt8(ascii: " ") && !$0.hasSuffix(" ") && isPrintable($0) })
    else { return nil }
    let margin = String(repeating: " ", count: indent)
    return lines.reduce("|-") { $0 + "\n" + ($1.isEmpty ? "" : margin + $1) }
  }

  /// Returns a text on one line: plain if it is unambiguous, else in single quotes, else as a JSON string.
  private func singleLine(_ text: String) -> String {
    if isPlain(text) { return text }
    if isPrintable(text[...]) { return "'" + text.replacing("'", with: "''") + "'" }
    // JSON need not escape U+0085 and U+2028, which are line breaks in YAML 1.1.
    return JSONTree.string(text).text.unicodeScalars.reduce(into: "") { escaped, scalar in
      if isPrintable(scalar) { return escaped.unicodeScalars.append(scalar) }
      escaped += "\\u" + scalar.value.hexadecimal(width: 4)
    }
  }

  /// Whether no parser can read the unquoted text as anything other than this text.
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

  /// Whether the text has no character that YAML must escape (YAML 1.2 §5.1) and no line break.
  private func isPrintable(_ text: Substring) -> Bool { text.unicodeScalars.allSatisfy(isPrintable) }

  private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x1_0000...0x10_FFFF: true
    default: false
    }
  }

  /// The words that YAML 1.1 or 1.2 reads as a boolean or null.
  private static let reservedWords: Set<String> = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
}
