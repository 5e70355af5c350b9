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
    var isFirst = true
    func beginLine(_ indentation: Int) {
      text.append(UInt8(ascii: "\n"))
      text += [UInt8](repeating: UInt8(ascii: " "), count: indentation)
    }
    func add(_ name: [UInt8], _ value: JSONNode) {
      if !isFirst { text.append(UInt8(ascii: ",")) }
      isFirst = false
      beginLine(indentation + 2)
      text += name
      text += value.laidOut(indentation: indentation + 2, after: name.count)
    }
    for element in elements { add([], element) }
    for (key, value) in members { add(Array(key.text) + Array(": ".utf8), value) }
    beginLine(indentation)
    text.append(UInt8(ascii: isObject ? "}" : "]"))
    return text
  }

  /// Returns the value on one line; nil if the line would be longer than a number of bytes, unless the value has no
  /// parts.
  private func onOneLine(maximum: Int) -> [UInt8]? {
    guard count > 0 else { return Array(text) }
    guard byteCount <= maximum else { return nil }
    var line: [UInt8] = [UInt8(ascii: kind == .object ? "{" : "[")]
    for element in elements {
      if line.count > 1 { line += Array(", ".utf8) }
      guard let part = element.onOneLine(maximum: maximum) else { return nil }
      line += part
    }
    for (key, value) in members {
      if line.count > 1 { line += Array(", ".utf8) }
      guard let part = value.onOneLine(maximum: maximum) else { return nil }
      line += Array(key.text) + Array(": ".utf8) + part
    }
    line.append(UInt8(ascii: kind == .object ? "}" : "]"))
    return line.count <= maximum ? line : nil
  }
}
