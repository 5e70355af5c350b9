extension RequestHead {
  /// Reads `method SP target SP version CRLF` (RFC 9112 §3), all of it in `bytes`.
  ///
  /// - Returns: where the next line begins.
  mutating func readRequestLine(_ bytes: borrowing Span<UInt8>) throws(Stop) -> Int {
    var index = progress.lineStart
    // Some clients send an empty line before a request (RFC 9112 §2.2): a few are passed over.
    if try bytes.byte(at: index) == .carriageReturn, index < 8 {
      return try bytes.skipLineEnd(at: index, orRefuse: .badLineEnd)
    }
    index = try readMethod(bytes, at: index)
    index = try readTarget(bytes, at: index)
    guard try bytes.byte(at: index) == .space else { throw .refused(.badTarget) }
    index = try readVersion(bytes, at: index + 1)
    progress.fieldsStart = index
    return index
  }

  /// Reads the method with the space behind it.
  mutating func readMethod(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    var index = start
    var word: UInt64 = 0
    var byte = try bytes.byte(at: index)
    while ByteClass.token.contains(byte) {
      word = word << 8 | UInt64(byte)
      index += 1
      byte = try bytes.byte(at: index)
    }
    guard byte == .space, index > start else { throw .refused(.badRequestLine) }
    methodRange = start..<index
    method = index - start > 7 ? .unknown : Method(word: word)
    return index + 1
  }

  /// Reads `HTTP/1.1` or its like with the line end.
  private mutating func readVersion(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    var index = start
    for expected in "HTTP/".utf8 {
      guard try bytes.byte(at: index) == expected else { throw .refused(.badRequestLine) }
      index += 1
    }
    // One after the other: a line that ends too early must not wait for bytes behind its end.
    let major = try bytes.byte(at: index)
    guard major.isDigit else { throw .refused(.badRequestLine) }
    guard try bytes.byte(at: index + 1) == UInt8(ascii: ".") else { throw .refused(.badRequestLine) }
    let minor = try bytes.byte(at: index + 2)
    guard minor.isDigit else { throw .refused(.badRequestLine) }
    index = try bytes.skipLineEnd(at: index + 3, orRefuse: .badRequestLine)
    guard major == UInt8(ascii: "1") else { throw .refused(.badVersion) }
    // A later minor version is answered like the latest one known (RFC 9110 §6.2).
    isHTTP11 = minor != UInt8(ascii: "0")
    keepAlive = isHTTP11
    return index
  }
}

extension Method {
  /// A method by its bytes, the first in the highest place.
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
