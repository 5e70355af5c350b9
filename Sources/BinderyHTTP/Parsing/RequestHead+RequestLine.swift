extension RequestHead {
  /// Parses `method SP target SP version CRLF` (RFC 9112 §3).
  ///
  /// - Returns: The index of the next line.
  /// - Throws: `.incomplete` if the line's end is not in `bytes`.
  mutating func readRequestLine(_ bytes: borrowing Span<UInt8>) throws(Stop) -> Int {
    var index = progress.lineStart
    // Some clients send an empty line before a request (RFC 9112 §2.2). A few of them are skipped.
    if try bytes.byte(at: index) == .carriageReturn, index < 8 {
      return try bytes.skipLineEnd(at: index, orReject: .badLineEnd)
    }
    index = try readMethod(bytes, at: index)
    index = try readTarget(bytes, at: index)
    guard try bytes.byte(at: index) == .space else { throw .rejected(.badTarget) }
    index = try readVersion(bytes, at: index + 1)
    progress.fieldsStart = index
    return index
  }

  /// Parses the method and the space after it.
  mutating func readMethod(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    var index = start
    var word: UInt64 = 0
    var byte = try bytes.byte(at: index)
    while ByteClass.token.contains(byte) {
      word = word << 8 | UInt64(byte)
      index += 1
      byte = try bytes.byte(at: index)
    }
    guard byte == .space, index > start else { throw .rejected(.badRequestLine) }
    methodRange = start..<index
    method = index - start > 7 ? .unknown : Method(word: word)
    return index + 1
  }

  /// Parses the version, such as `HTTP/1.1`, and the line end.
  private mutating func readVersion(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    var index = start
    for expected in "HTTP/".utf8 {
      guard try bytes.byte(at: index) == expected else { throw .rejected(.badRequestLine) }
      index += 1
    }
    // Checked one byte at a time: a line that ends too early must be rejected without waiting for more bytes.
    let major = try bytes.byte(at: index)
    guard major.isDigit else { throw .rejected(.badRequestLine) }
    guard try bytes.byte(at: index + 1) == UInt8(ascii: ".") else { throw .rejected(.badRequestLine) }
    let minor = try bytes.byte(at: index + 2)
    guard minor.isDigit else { throw .rejected(.badRequestLine) }
    index = try bytes.skipLineEnd(at: index + 3, orReject: .badRequestLine)
    guard major == UInt8(ascii: "1") else { throw .rejected(.badVersion) }
    // A higher minor version is treated like the highest known one (RFC 9110 §6.2).
    isHTTP11 = minor != UInt8(ascii: "0")
    keepAlive = isHTTP11
    return index
  }
}

extension RequestHead {
  /// Parses the request target in one of its forms (RFC 9112 §3.2).
  ///
  /// - Returns: The index after the target.
  mutating func readTarget(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    let first = try bytes.byte(at: start)
    if method == .unknown { return try skipTarget(bytes, at: start) }
    if first == UInt8(ascii: "/") {
      targetForm = .origin
      return try readPathAndQuery(bytes, at: start)
    }
    if first == UInt8(ascii: "*"), method == .options {
      targetForm = .asterisk
      path = start..<start
      return start + 1
    }
    targetForm = .absolute
    return try readAbsoluteTarget(bytes, at: start)
  }

  /// Parses a path, which may be empty, and an optional query.
  private mutating func readPathAndQuery(
    _ bytes: borrowing Span<UInt8>, at start: Int
  ) throws(Stop) -> Int {
    let pathEnd = try skip(.path, bytes, at: start)
    path = start..<pathEnd
    guard try bytes.byte(at: pathEnd) == UInt8(ascii: "?") else { return pathEnd }
    let queryEnd = try skip(.query, bytes, at: pathEnd + 1)
    query = pathEnd + 1..<queryEnd
    return queryEnd
  }

  /// Parses `http://host:port/path?query`. Its authority overrides the Host field (RFC 9112 §3.2.2).
  private mutating func readAbsoluteTarget(
    _ bytes: borrowing Span<UInt8>, at start: Int
  ) throws(Stop) -> Int {
    var index = start
    for expected in "http".utf8 {
      guard lowercase(try bytes.byte(at: index)) == expected else { throw .rejected(.badTarget) }
      index += 1
    }
    let isSecure = lowercase(try bytes.byte(at: index)) == UInt8(ascii: "s")
    if isSecure { index += 1 }
    for expected in "://".utf8 {
      guard try bytes.byte(at: index) == expected else { throw .rejected(.badTarget) }
      index += 1
    }
    let authorityStart = index
    var byte = try bytes.byte(at: index)
    while byte != UInt8(ascii: "/"), byte != UInt8(ascii: "?"), byte > .space {
      index += 1
      byte = try bytes.byte(at: index)
    }
    authority = authorityStart..<index
    guard isAuthority(authority, in: bytes) else { throw .rejected(.badTarget) }
    // RFC 9110 §7.4: a resource with the scheme https must not be served over a connection without TLS.
    guard !isSecure else { throw .rejected(.insecureTarget) }
    if method == .options, byte == .space {
      // OPTIONS with a URI without a path means the server as a whole, like `*` (RFC 9112 §3.2.4).
      targetForm = .asterisk
      path = index..<index
      return index
    }
    return try readPathAndQuery(bytes, at: index)
  }

  /// Skips bytes of a class and percent-encoded bytes.
  @inline(__always)
  private func skip(
    _ byteClass: ByteClass, _ bytes: borrowing Span<UInt8>, at start: Int
  ) throws(Stop) -> Int {
    var index = start
    while true {
      index = bytes.end(of: byteClass, from: index)
      guard try bytes.byte(at: index) == UInt8(ascii: "%") else { return index }
      guard ByteClass.hexDigit.contains(try bytes.byte(at: index + 1)),
        ByteClass.hexDigit.contains(try bytes.byte(at: index + 2))
      else { throw .rejected(.badTarget) }
      index += 3
    }
  }

  /// Skips the target of an unknown method, which may have any form, such as the authority form of CONNECT.
  private mutating func skipTarget(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    var index = start
    while try bytes.byte(at: index) &- 0x21 < 0x5E { index += 1 }
    guard index > start else { throw .rejected(.badTarget) }
    path = start..<index
    return index
  }
}

extension Method {
  /// Creates a method from its bytes, the first byte most significant.
  fileprivate init(word: UInt64) {
    self =
      switch word {
      case 0x47_45_54: .get
      case 0x48_45_41_44: .head
      case 0x50_41_54_43_48: .patch
      case 0x50_55_54: .put
      case 0x44_45_4C_45_54_45: .delete
      case 0x50_4F_53_54: .post
      case 0x4F_50_54_49_4F_4E_53: .options
      default: .unknown
      }
  }
}

extension UInt8 {
  @inline(__always)
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}
