/// Reads a text once, from left to right, without recursion, and writes its tape.
struct JSONParser {
  /// Offsets on the tape are 32 bits wide.
  static let maximumSize = Int(UInt32.max)

  private var tape = Tape()
  /// The array or object whose members are being read; its entry holds its parent meanwhile.
  private var container = Container.none
  private var depth = 0
  private let maximumDepth: Int
  private let textLength: Int
  /// The offset of the next byte to read.
  var offset = 0

  private struct Container {
    var index: Int
    var count: UInt32
    var isObject: Bool

    static let none = Container(index: -1, count: 0, isObject: false)
  }

  private init(maximumDepth: Int, textLength: Int) {
    self.maximumDepth = maximumDepth
    self.textLength = textLength
  }

  /// Writes the tape of a text.
  ///
  /// - Parameter tape: empty before, and after an error in no particular state.
  static func read(
    _ bytes: Span<UInt8>, into tape: inout Tape, maximumDepth: Int
  ) throws(JSONSyntaxError) {
    // Comparison is recursive: the limit is what bounds its stack.
    precondition((1...1_000).contains(maximumDepth), "the depth of a JSON text is limited to 1...1000")
    guard bytes.count <= maximumSize else {
      throw JSONSyntaxError(offset: maximumSize, reason: .tooLarge(limit: maximumSize))
    }
    var parser = JSONParser(maximumDepth: maximumDepth, textLength: bytes.count)
    swap(&parser.tape, &tape)
    try parser.readText(bytes)
    swap(&parser.tape, &tape)
  }

  private mutating func readText(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      throw error(.byteOrderMark)
    }
    skipWhitespace(bytes)
    repeat {
      try readValue(bytes)
    } while try continuesAfterValue(bytes)
    guard offset == bytes.count else { throw error(.trailingBytes) }
  }

  /// Reads a scalar or an empty container whole, or opens a container and stops before its first value.
  private mutating func readValue(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    var opening = true
    while opening {
      opening = false
      switch try byte(bytes) {
      case UInt8(ascii: "\""):
        try readString(bytes)
      case UInt8(ascii: "{"):
        try open(.object)
        skipWhitespace(bytes)
        if try byte(bytes) == UInt8(ascii: "}") {
          close()
        } else {
          try readName(bytes)
          opening = true
        }
      case UInt8(ascii: "["):
        try open(.array)
        skipWhitespace(bytes)
        if try byte(bytes) == UInt8(ascii: "]") {
          close()
        } else {
          opening = true
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        try readNumber(bytes)
      case UInt8(ascii: "t"): try readLiteral("true", .true, bytes)
      case UInt8(ascii: "f"): try readLiteral("false", .false, bytes)
      case UInt8(ascii: "n"): try readLiteral("null", .null, bytes)
      case let other: throw error(.unexpectedByte(other))
      }
    }
  }

  /// Closes what ends after a value; false at the end of the outermost one, else the next value follows.
  private mutating func continuesAfterValue(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
    while true {
      skipWhitespace(bytes)
      if container.index < 0 { return false }
      container.count += 1
      switch (try byte(bytes), container.isObject) {
      case (UInt8(ascii: ","), let isObject):
        offset += 1
        skipWhitespace(bytes)
        if isObject { try readName(bytes) }
        return true
      case (UInt8(ascii: "}"), true), (UInt8(ascii: "]"), false):
        close()
      case (let other, _):
        throw error(.unexpectedByte(other))
      }
    }
  }

  /// Reads a member's name and the colon after it.
  private mutating func readName(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    let quote = try byte(bytes)
    guard quote == UInt8(ascii: "\"") else { throw error(.unexpectedByte(quote)) }
    try readString(bytes)
    skipWhitespace(bytes)
    let colon = try byte(bytes)
    guard colon == UInt8(ascii: ":") else { throw error(.unexpectedByte(colon)) }
    offset += 1
    skipWhitespace(bytes)
  }

  private mutating func readLiteral(
    _ literal: String, _ kind: TapeEntry.Kind, _ bytes: Span<UInt8>
  ) throws(JSONSyntaxError) {
    let start = offset
    for expected in literal.utf8 {
      let found = try byte(bytes)
      guard found == expected else { throw error(.unexpectedByte(found)) }
      offset += 1
    }
    append(kind, from: start)
  }

  private mutating func open(_ kind: TapeEntry.Kind) throws(JSONSyntaxError) {
    guard depth < maximumDepth else { throw error(.tooDeep(limit: maximumDepth)) }
    // A guess that fits small objects; large texts grow the tape, so that a length alone claims no memory.
    if depth == 0 { tape.reserve(min(textLength / 6, 1_024) + 2) }
    depth += 1
    if container.index >= 0 { tape[container.index].count = container.count }
    let parent = UInt32(truncatingIfNeeded: container.index)
    container = Container(index: tape.count, count: 0, isObject: kind == .object)
    tape.append(TapeEntry(start: UInt32(offset), end: 0, next: parent, count: 0, kind: kind))
    offset += 1
  }

  private mutating func close() {
    offset += 1
    depth -= 1
    let parent = tape[container.index].next
    tape[container.index].end = UInt32(offset)
    tape[container.index].next = UInt32(tape.count)
    tape[container.index].count = container.count
    if depth == 0 {
      container = .none
    } else {
      let entry = tape[Int(parent)]
      container = Container(index: Int(parent), count: entry.count, isObject: entry.kind == .object)
    }
  }

  /// Records the scalar that ends before the next byte.
  mutating func append(_ kind: TapeEntry.Kind, from start: Int) {
    tape.append(
      TapeEntry(
        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: offset),
        next: UInt32(truncatingIfNeeded: tape.count &+ 1), count: 0, kind: kind))
  }

  @inline(__always)
  private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset &+= 1
      default: return
      }
    }
  }

  /// The next byte, which must be there.
  func byte(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> UInt8 {
    guard offset < bytes.count else { throw error(.unexpectedEnd) }
    return bytes[offset]
  }

  func error(_ reason: JSONSyntaxError.Reason) -> JSONSyntaxError {
    JSONSyntaxError(offset: offset, reason: reason)
  }
}
