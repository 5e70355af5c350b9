extension FieldName {
  /// The known name that stands in a range, letters of either case taken for the same.
  ///
  /// - Complexity: O(length of the name), and O(1) for nearly all that are not known.
  @inline(__always)
  static func lookup(_ range: Range<Int>, in bytes: borrowing Span<UInt8>) -> FieldName {
    let count = range.count
    guard count <= Table.stride, count > 0 else { return .other }
    var slot = Table.hash(count: count, first: bytes[range.lowerBound], last: bytes[range.upperBound - 1])
    while true {
      let number = Int(table.slots[slot])
      guard number != Table.free else { return .other }
      if table.lengths[number] == count {
        let asked = bytes.extracting(range)
        let text = table.text
        let known = text.span.extracting(number * Table.stride..<number * Table.stride + count)
        // A name holds letters and hyphens; 0x20 makes letters small and leaves a hyphen, and maps no other
        // byte of a token to one of them. Without a way out in the middle, many bytes are compared at a time.
        var difference: UInt8 = 0
        for index in asked.indices { difference |= (asked[index] | 0x20) ^ known[index] }
        if difference == 0 { return FieldName(rawValue: UInt8(truncatingIfNeeded: number))! }
      }
      slot = (slot + 1) % Table.slotCount
    }
  }
}

/// The known names, found by length and outer bytes, collisions in the next slot.
private struct Table: Sendable {
  static let stride = 32
  static let slotCount = 256
  static let free = 255

  var slots = [256 of UInt8](repeating: UInt8(free))
  var lengths = [64 of UInt8](repeating: 0)
  var text = [UInt8](repeating: 0, count: 2048)

  init() {
    for name in FieldName.allCases where name != .other {
      let number = Int(name.rawValue)
      let spelling = Array(name.spelling.utf8)
      lengths[number] = UInt8(spelling.count)
      for (index, byte) in spelling.enumerated() { text[number * Self.stride + index] = byte | 0x20 }
      var slot = Self.hash(count: spelling.count, first: spelling[0], last: spelling[spelling.count - 1])
      while slots[slot] != Self.free { slot = (slot + 1) % Self.slotCount }
      slots[slot] = UInt8(number)
    }
  }

  @inline(__always)
  static func hash(count: Int, first: UInt8, last: UInt8) -> Int {
    (count &* 7 &+ Int(first | 0x20) &* 5 &+ Int(last | 0x20) &* 11) & (slotCount - 1)
  }
}

private let table = Table()
