/// Returns a JSON text indented for readability: two spaces per level, one member or element per line.
///
/// - Parameter compact: A valid JSON text without whitespace between its tokens.
/// - Complexity: O(*n* · *d*) in the length and the depth of the text.
package func prettyPrinted(_ compact: Span<UInt8>) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(compact.count * 2)
  var printer = PrettyPrinter()
  printer.print(compact, into: &result)
  return result
}

/// An incremental printer that indents a JSON text arriving in chunks.
package struct PrettyPrinter: Sendable {
  private var depth = 0
  private var isInString = false
  /// Whether the previous byte was a backslash that escapes the current one.
  private var isEscaped = false
  /// Whether the previous byte opened a container, which may turn out to be empty.
  private var hasOpened = false

  @usableFromInline
  package init() {}

  /// Appends the indented form of the next chunk, which may begin and end at any byte.
  package mutating func print(_ compact: Span<UInt8>, into result: inout [UInt8]) {
    for index in compact.indices {
      let byte = compact[index]
      if isInString {
        scanString(byte)
        result.append(byte)
        continue
      }
      let isClosing = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
      // Break the line after an opening bracket and before a closing one, but not between the brackets of `[]`.
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

  private mutating func scanString(_ byte: UInt8) {
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
