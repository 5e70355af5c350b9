extension RequestHead {
  /// Reads the request target in one of its forms (RFC 9112 §3.2).
  ///
  /// - Returns: where it ends.
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

  /// Reads a path that may be empty, and a query if there is one.
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

  /// Reads `http://host:port/path?query`; the authority is the target's host (RFC 9112 §3.2.2).
  private mutating func readAbsoluteTarget(
    _ bytes: borrowing Span<UInt8>, at start: Int
  ) throws(Stop) -> Int {
    var index = start
    for expected in "http".utf8 {
      guard lowercase(try bytes.byte(at: index)) == expected else { throw .refused(.badTarget) }
      index += 1
    }
    let isSecure = lowercase(try bytes.byte(at: index)) == UInt8(ascii: "s")
    if isSecure { index += 1 }
    for expected in "://".utf8 {
      guard try bytes.byte(at: index) == expected else { throw .refused(.badTarget) }
      index += 1
    }
    let authorityStart = index
    var byte = try bytes.byte(at: index)
    while byte != UInt8(ascii: "/"), byte != UInt8(ascii: "?"), byte > .space {
      index += 1
      byte = try bytes.byte(at: index)
    }
    authority = authorityStart..<index
    guard isAuthority(authority, in: bytes) else { throw .refused(.badTarget) }
    // RFC 9110 §7.4: what is to be had over TLS only is not given without.
    guard !isSecure else { throw .refused(.insecureTarget) }
    if method == .options, byte == .space {
      // OPTIONS of a host without a path asks for the server as a whole (RFC 9112 §3.2.4).
      targetForm = .asterisk
      path = index..<index
      return index
    }
    return try readPathAndQuery(bytes, at: index)
  }

  /// Passes over bytes of a class and escapes with two hexadecimal digits.
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
      else { throw .refused(.badTarget) }
      index += 3
    }
  }

  /// The target of a method that nothing here answers to may have any form, such as that of CONNECT.
  private mutating func skipTarget(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    var index = start
    while try bytes.byte(at: index) &- 0x21 < 0x5E { index += 1 }
    guard index > start else { throw .refused(.badTarget) }
    path = start..<index
    return index
  }
}
