/// A single-pass, non-recursive JSON parser (RFC 8259) that writes a tape.
struct JSONParser {
  /// The maximum length of a text in bytes: offsets on the tape are 32 bits wide.
  static let maximumSize = Int(UInt32.max)

  private var tape = Tape()
  /// The innermost open array or object. While it is open, its entry's `next` holds the index of its parent.
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

  /// Parses a text and writes its tape.
  ///
  /// - Parameters:
  ///   - bytes: The JSON text in UTF-8.
  ///   - tape: The tape to fill, which must be empty. Its content is undefined after an error.
  ///   - maximumDepth: The nesting limit of arrays and objects, 1 to 1 000.
  /// - Throws: `JSONSyntaxError` at the first byte that is not valid JSON.
  static func read(
    _ bytes: Span<UInt8>, into tape: inout Tape, maximumDepth: Int
  ) throws(JSONSyntaxError) {
    // `JSONNode.equals(_:)` is recursive: this limit bounds its stack usage.
    precondition((1...1_000).contains(maximumDepth), "maximumDepth must be in 1...1000, got \(maximumDepth)")
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

  /// Reads a complete scalar or empty container, or opens containers until it has read the first scalar or empty one.
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

  /// Closes the containers that end after a value.
  ///
  /// - Returns: True if another value follows, false at the end of the outermost value.
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

  /// Reads a member's name and the following colon.
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
    // A span of the bytes, because iterating over a string decodes it.
    let literal = literal.utf8.span
    for index in literal.indices {
      let found = try byte(bytes)
      guard found == literal[index] else { throw error(.unexpectedByte(found)) }
      offset += 1
    }
    append(kind, from: start)
  }

  private mutating func open(_ kind: TapeEntry.Kind) throws(JSONSyntaxError) {
    guard depth < maximumDepth else { throw error(.tooDeep(limit: maximumDepth)) }
    // An estimate that fits small objects. It is capped, so that the length of a request body alone cannot make the
    // server allocate memory; the tape grows with the values that are actually parsed.
    if tape.count == 0 { tape.reserve(min(textLength / 6, 1_024) + 2) }
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
    // Read and written once, because each access to the tape is checked.
    var entry = tape[container.index]
    let parent = Int(entry.next)
    entry.end = UInt32(offset)
    entry.next = UInt32(tape.count)
    entry.count = container.count
    tape[container.index] = entry
    if depth == 0 {
      container = .none
    } else {
      let outer = tape[parent]
      container = Container(index: parent, count: outer.count, isObject: outer.kind == .object)
    }
  }

  /// Appends the entry of a scalar that ends before `offset`.
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

  /// Returns the byte at `offset` without consuming it.
  ///
  /// - Throws: `.unexpectedEnd` at the end of the text.
  func byte(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> UInt8 {
    guard offset < bytes.count else { throw error(.unexpectedEnd) }
    return bytes[offset]
  }

  func error(_ reason: JSONSyntaxError.Reason) -> JSONSyntaxError {
    JSONSyntaxError(offset: offset, reason: reason)
  }
}
