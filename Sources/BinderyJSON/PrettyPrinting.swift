/// Indents a JSON text for people: two spaces a level, one member or element a line.
///
/// - Parameter compact: A valid JSON text, without whitespace between its tokens.
/// - Complexity: O(*n* · *d*) in the length and the depth of the text.
public func prettyPrinted(_ compact: Span<UInt8>) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(compact.count * 2)
  var printer = PrettyPrinter()
  printer.print(compact, into: &result)
  return result
}

/// Indents a JSON text that comes in pieces.
package struct PrettyPrinter: Sendable {
  private var depth = 0
  private var isInString = false
  /// The byte before was a backslash.
  private var isEscaped = false
  /// The byte before has opened a container, which may be empty.
  private var hasOpened = false

  package init() {}

  /// Prints the next piece, which may begin and end anywhere.
  package mutating func print(_ compact: Span<UInt8>, into result: inout [UInt8]) {
    for index in compact.indices {
      let byte = compact[index]
      if isInString {
        passString(byte)
        result.append(byte)
        continue
      }
      let isClosing = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
      // An empty container stays in one piece.
      if hasOpened != isClosing {
        depth += isClosing ? -1 : 1
        breakLine(&result)
      }
      hasOpened = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
      result.append(byte)
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: ","): breakLine(&result)
      case UInt8(ascii: ":"): result.append(UInt8(ascii: " "))
      default: break
      }
    }
  }

  private mutating func passString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    }
  }

  private func breakLine(_ result: inout [UInt8]) {
    result.append(UInt8(ascii: "\n"))
    result.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * max(depth, 0)))
  }
}
