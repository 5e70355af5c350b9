/// Indents a JSON text for people: two spaces a level, one member or element a line.
///
/// - Parameter compact: A valid JSON text, without whitespace between its tokens.
/// - Complexity: O(*n* · *d*) in the length and the depth of the text.
public func prettyPrinted(_ compact: Span<UInt8>) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(compact.count * 2)
  var depth = 0
  var inString = false
  var index = 0

  func breakLine() {
    result.append(UInt8(ascii: "\n"))
    result.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * max(depth, 0)))
  }

  while index < compact.count {
    let byte = compact[index]
    let next = index + 1 < compact.count ? compact[index + 1] : 0
    index += 1
    switch byte {
    case UInt8(ascii: "\\") where inString:
      result.append(byte)
      if index < compact.count { result.append(next) }
      index += 1
    case UInt8(ascii: "\""):
      inString.toggle()
      result.append(byte)
    case _ where inString:
      result.append(byte)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      result.append(byte)
      if next == byte + 2 {
        // An empty container stays in one piece: in ASCII a closing bracket is its opening one plus two.
        result.append(next)
        index += 1
      } else {
        depth += 1
        breakLine()
      }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      breakLine()
      result.append(byte)
    case UInt8(ascii: ","):
      result.append(byte)
      breakLine()
    case UInt8(ascii: ":"):
      result.append(byte)
      result.append(UInt8(ascii: " "))
    default:
      result.append(byte)
    }
  }
  return result
}
