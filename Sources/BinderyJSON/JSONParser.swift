/// A single-pass, non-recursive JSON parser (RFC 8259) that writes a tape.
struct JSONParser {
  /// The maximum length of a text in bytes: offsets on the tape are 32 bits wide.
  static let maximumSize = Int(UInt32.max)

  /// The innermost open array or object. While it is open, its entry's `next` holds the index of its parent.
  private var container = Container.none
  private var depth = 0
  private let maximumDepth: Int
  /// Whether a value follows, and not a comma or the end of a container or of the text.
  private var expectsValue = true
  /// The number of entries on the tape.
  private var count = 0
  /// The offset of the next byte to read.
  var offset = 0

  private struct Container {
    var index: Int
    var count: UInt32
    var isObject: Bool

    static let none = Container(index: -1, count: 0, isObject: false)
  }

  private init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

  /// Parses a text and writes its tape.
  ///
  /// - Parameters:
  ///   - bytes: The JSON text in UTF-8.
  ///   - tape: The tape to fill. Its content is undefined after an error.
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
    var parser = JSONParser(maximumDepth: maximumDepth)
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      throw parser.error(.byteOrderMark)
    }
    parser.skipWhitespace(bytes)
    while true {
      var entries = tape.entries.mutableSpan
      if try parser.readValues(bytes, &entries) { break }
      tape.grow(textLength: bytes.count)
    }
    guard parser.offset == bytes.count else { throw parser.error(.trailingBytes) }
    tape.count = parser.count
  }

  /// Reads values until the end of the outermost one, or until the tape is full.
  ///
  /// - Returns: False if the tape is full; call this again with a longer one.
  private mutating func readValues(
    _ bytes: Span<UInt8>, _ tape: inout MutableSpan<TapeEntry>
  ) throws(JSONSyntaxError) -> Bool {
    // One step appends at most a container and the name of its first member.
    while tape.count - count >= 2 {
      if expectsValue {
        try readValue(bytes, &tape)
      } else {
        skipWhitespace(bytes)
        if container.index < 0 { return true }
        try readEnd(bytes, &tape)
      }
    }
    return false
  }

  /// Reads a scalar or an empty container, or the beginning of another container.
  @inline(__always)
  private mutating func readValue(
    _ bytes: Span<UInt8>, _ tape: inout MutableSpan<TapeEntry>
  ) throws(JSONSyntaxError) {
    expectsValue = false
    let start = offset
    let kind: TapeEntry.Kind
    switch try byte(bytes) {
    case UInt8(ascii: "\""): kind = try readString(bytes)
    case UInt8(ascii: "{"):
      try open(.object, &tape)
      skipWhitespace(bytes)
      if try byte(bytes) == UInt8(ascii: "}") { return close(&tape) }
      expectsValue = true
      return try readName(bytes, &tape)
    case UInt8(ascii: "["):
      try open(.array, &tape)
      skipWhitespace(bytes)
      if try byte(bytes) == UInt8(ascii: "]") { return close(&tape) }
      expectsValue = true
      return
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try readNumber(bytes)
      kind = .number
    case UInt8(ascii: "t"): kind = try readLiteral("true", .true, bytes)
    case UInt8(ascii: "f"): kind = try readLiteral("false", .false, bytes)
    case UInt8(ascii: "n"): kind = try readLiteral("null", .null, bytes)
    case let other: throw error(.unexpectedByte(other))
    }
    append(kind, from: start, &tape)
  }

  /// Reads what follows a value in a container: its end, or a comma and the name of the next member.
  @inline(__always)
  private mutating func readEnd(
    _ bytes: Span<UInt8>, _ tape: inout MutableSpan<TapeEntry>
  ) throws(JSONSyntaxError) {
    container.count += 1
    switch (try byte(bytes), container.isObject) {
    case (UInt8(ascii: ","), let isObject):
      offset += 1
      skipWhitespace(bytes)
      if isObject { try readName(bytes, &tape) }
      expectsValue = true
    case (UInt8(ascii: "}"), true), (UInt8(ascii: "]"), false):
      close(&tape)
    case (let other, _):
      throw error(.unexpectedByte(other))
    }
  }

  /// Reads a member's name and the following colon.
  @inline(__always)
  private mutating func readName(
    _ bytes: Span<UInt8>, _ tape: inout MutableSpan<TapeEntry>
  ) throws(JSONSyntaxError) {
    let start = offset
    let quote = try byte(bytes)
    guard quote == UInt8(ascii: "\"") else { throw error(.unexpectedByte(quote)) }
    append(try readString(bytes), from: start, &tape)
    skipWhitespace(bytes)
    let colon = try byte(bytes)
    guard colon == UInt8(ascii: ":") else { throw error(.unexpectedByte(colon)) }
    offset += 1
    skipWhitespace(bytes)
  }

  private mutating func readLiteral(
    _ literal: String, _ kind: TapeEntry.Kind, _ bytes: Span<UInt8>
  ) throws(JSONSyntaxError) -> TapeEntry.Kind {
    // A span of the bytes, because iterating over a string decodes it.
    let literal = literal.utf8.span
    for index in literal.indices {
      let found = try byte(bytes)
      guard found == literal[index] else { throw error(.unexpectedByte(found)) }
      offset += 1
    }
    return kind
  }

  @inline(__always)
  private mutating func open(
    _ kind: TapeEntry.Kind, _ tape: inout MutableSpan<TapeEntry>
  ) throws(JSONSyntaxError) {
    guard depth < maximumDepth else { throw error(.tooDeep(limit: maximumDepth)) }
    depth += 1
    if container.index >= 0 { tape[container.index].count = container.count }
    let parent = UInt32(truncatingIfNeeded: container.index)
    container = Container(index: count, count: 0, isObject: kind == .object)
    tape[count] = TapeEntry(start: UInt32(offset), end: 0, next: parent, count: 0, kind: kind)
    count += 1
    offset += 1
  }

  @inline(__always)
  private mutating func close(_ tape: inout MutableSpan<TapeEntry>) {
    offset += 1
    depth -= 1
    // Read and written once, because each access to the tape is checked.
    var entry = tape[container.index]
    let parent = Int(entry.next)
    entry.end = UInt32(offset)
    entry.next = UInt32(count)
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
  @inline(__always)
  private mutating func append(_ kind: TapeEntry.Kind, from start: Int, _ tape: inout MutableSpan<TapeEntry>) {
    tape[count] = TapeEntry(
      start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: offset),
      next: UInt32(truncatingIfNeeded: count &+ 1), count: 0, kind: kind)
    count &+= 1
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
