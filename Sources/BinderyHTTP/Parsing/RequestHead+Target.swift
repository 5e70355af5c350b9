extension RequestHead {
  /// Parses `http://host:port/path?query`. Its authority overrides the Host field (RFC 9112 §3.2.2).
  mutating func readAbsoluteTarget(
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

  /// Skips the target of an unknown method, which may have any form, such as the authority form of CONNECT.
  mutating func skipTarget(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    var index = start
    while try bytes.byte(at: index) &- 0x21 < 0x5E { index += 1 }
    guard index > start else { throw .rejected(.badTarget) }
    path = start..<index
    return index
  }
}

extension Span<UInt8> {
  /// Returns the byte at an index.
  ///
  /// - Throws: `.incomplete` if it has not been received.
  @inline(__always)
  func byte(at index: Int) throws(RequestHead.Stop) -> UInt8 {
    guard index < count else { throw .incomplete }
    return self[index]
  }

  /// Returns the index after the CR LF at this index.
  @inline(__always)
  func skipLineEnd(at index: Int, orReject rejection: Rejection) throws(RequestHead.Stop) -> Int {
    guard try byte(at: index) == .carriageReturn else { throw .rejected(rejection) }
    guard try byte(at: index + 1) == .lineFeed else { throw .rejected(.badLineEnd) }
    return index + 2
  }
}
