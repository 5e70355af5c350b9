import BinderyJSON

extension JSONNode {
  /// The maximum length of a line with more than one value.
  private static var lineLength: Int { 100 }

  /// Returns the value as text that is easy to read and edit: an object or array that fits into a line is written on
  /// one line, others with one member or element on each line.
  ///
  /// - Parameters:
  ///   - indentation: The number of spaces before the lines of the value.
  ///   - prefix: The length of the text before the value on its first line.
  func laidOut(indentation: Int = 0, after prefix: Int = 0) -> [UInt8] {
    if let line = onOneLine(maximum: Self.lineLength - indentation - prefix) { return line }
    let isObject = kind == .object
    var text: [UInt8] = [UInt8(ascii: isObject ? "{" : "[")]
    func beginLine(_ indentation: Int) {
      text.append(UInt8(ascii: "\n"))
      text += [UInt8](repeating: UInt8(ascii: " "), count: indentation)
    }
    for (index, part) in parts.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      beginLine(indentation + 2)
      text += part.name
      text += part.value.laidOut(indentation: indentation + 2, after: part.name.count)
    }
    beginLine(indentation)
    text.append(UInt8(ascii: isObject ? "}" : "]"))
    return text
  }

  /// The elements, or the members with their names and colons.
  private var parts: [(name: [UInt8], value: JSONNode)] {
    elements.map { (name: [], value: $0) }
      + members.map { (name: Array($0.key.text) + Array(": ".utf8), value: $0.value) }
  }

  /// Returns the value on one line; nil if the line would be longer than a number of bytes, unless the value has no
  /// parts.
  private func onOneLine(maximum: Int) -> [UInt8]? {
    guard count > 0 else { return Array(text) }
    guard byteCount <= maximum else { return nil }
    var line: [UInt8] = [UInt8(ascii: kind == .object ? "{" : "[")]
    for (name, value) in parts {
      if line.count > 1 { line += Array(", ".utf8) }
      guard let text = value.onOneLine(maximum: maximum) else { return nil }
      line += name + text
    }
    line.append(UInt8(ascii: kind == .object ? "}" : "]"))
    return line.count <= maximum ? line : nil
  }
}
