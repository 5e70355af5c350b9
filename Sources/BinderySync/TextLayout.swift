import BinderyJSON

/// The layout of a JSON text: what is between its tokens.
struct TextLayout: Sendable {
  /// The bytes before and after the value.
  var leading: [UInt8] = []
  var trailing: [UInt8] = [UInt8(ascii: "\n")]
  /// The bytes between the name of a member and its value.
  var colon = Array(": ".utf8)
  /// The line break; nil if the whole text is on one line.
  var lineBreak: [UInt8]? = [UInt8(ascii: "\n")]
  /// The indentation of one level.
  var indentation = Array("  ".utf8)
  /// The bytes after a comma within a line.
  var gap = Array(" ".utf8)

  /// Creates the layout of a new file: two spaces per level, and a final line break.
  init() {}

  /// Creates the layout of a text.
  init(of root: JSONNode, in text: [UInt8]) {
    leading = Array(text[..<root.text.startIndex])
    trailing = Array(text[root.text.endIndex...])
    guard let style = ContainerStyle(of: root) else { return }
    if let colon = style.colon { self.colon = colon }
    guard let end = style.opening.lastIndex(of: UInt8(ascii: "\n")) else {
      lineBreak = nil
      gap = style.separator.map { Array($0.dropFirst()) } ?? (colon.last == UInt8(ascii: " ") ? gap : [])
      return
    }
    lineBreak = end > 0 && style.opening[end - 1] == UInt8(ascii: "\r") ? [0x0D, 0x0A] : [0x0A]
    indentation = Array(style.opening[(end + 1)...])
  }

  /// Returns the style of a container that the text does not contain yet.
  func style(atDepth depth: Int) -> ContainerStyle {
    guard let lineBreak else {
      return ContainerStyle(opening: [], closing: [], colon: colon, separator: [UInt8(ascii: ",")] + gap)
    }
    let line = lineBreak + Array(repeatElement(indentation, count: depth).joined())
    let inner = line + indentation
    return ContainerStyle(opening: inner, closing: line, colon: colon, separator: [UInt8(ascii: ",")] + inner)
  }
}

/// The layout of one object or array: the bytes between its tokens.
struct ContainerStyle: Sendable {
  /// The bytes before the first part and after the last one.
  var opening: [UInt8]
  var closing: [UInt8]
  /// The bytes between a name and its value; nil for an array.
  var colon: [UInt8]?
  /// The bytes between two parts, with the comma; nil if there is only one.
  var separator: [UInt8]?

  init(opening: [UInt8], closing: [UInt8], colon: [UInt8]?, separator: [UInt8]?) {
    (self.opening, self.closing, self.colon, self.separator) = (opening, closing, colon, separator)
  }

  /// Creates the style of a container from its first parts; nil if it is empty, or not a container.
  init?(of node: JSONNode) {
    let text = node.text
    let parts: [Range<Int>]
    switch node.kind {
    case .object:
      let members = Array(node.members.prefix(2))
      parts = members.map { $0.key.text.startIndex..<$0.value.text.endIndex }
      if let first = members.first { colon = Array(text[first.key.text.endIndex..<first.value.text.startIndex]) }
    case .array: parts = node.elements.prefix(2).map { $0.text.startIndex..<$0.text.endIndex }
    default: return nil
    }
    guard let first = parts.first else { return nil }
    opening = Array(text[(text.startIndex + 1)..<first.lowerBound])
    if parts.count > 1 {
      separator = Array(text[first.upperBound..<parts[1].lowerBound])
    } else if opening.contains(UInt8(ascii: "\n")) {
      separator = [UInt8(ascii: ",")] + opening
    }
    // After the last part there is only white space before the bracket.
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    closing = text.dropLast().reversed().prefix { blanks.contains($0) }.reversed()
  }
}
