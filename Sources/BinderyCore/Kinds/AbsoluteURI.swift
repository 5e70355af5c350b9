import BinderyText

/// The syntax of a URI with a scheme (RFC 3986, appendix A), checked byte by byte.
///
/// Foundation's parser is not used for this, because it accepts more than the RFC does.
struct AbsoluteURI {
  private let bytes: [UInt8]
  private var index = 0

  /// Returns whether a text is a URI: a scheme, an authority or a path, and an optional query and fragment.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  static func isValid(_ text: String) -> Bool {
    var uri = AbsoluteURI(bytes: Array(text.utf8))
    return uri.skipScheme() && uri.skipHierarchy() && uri.index == uri.bytes.count
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Skips one byte if it is the given character; returns whether it was.
  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  /// Skips a scheme and its colon.
  private mutating func skipScheme() -> Bool {
    guard let first = next, first.isLetter else { return false }
    while let byte = next, byte.isLetter || byte.isDigit || byte.isOne(of: "+-.") { index += 1 }
    return skip(":")
  }

  /// Skips everything after the scheme.
  private mutating func skipHierarchy() -> Bool {
    if bytes[index...].starts(with: "//".utf8) {
      index += 2
      // After an authority, a path is empty or begins with a slash.
      guard skipAuthority(), next == nil || next?.isOne(of: "/?#") == true else { return false }
    }
    skipCharacters(and: ":@/")
    if skip("?") { skipCharacters(and: ":@/?") }
    if skip("#") { skipCharacters(and: ":@/?") }
    return true
  }

  /// Skips an authority: user information, a host and a port.
  private mutating func skipAuthority() -> Bool {
    let start = index
    skipCharacters(and: ":")
    if !skip("@") { index = start }
    if skip("[") {
      guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "]")) else { return false }
      guard IPLiteral.isValid(index..<end, in: bytes.span) else { return false }
      index = end + 1
    } else {
      skipCharacters(and: "")
    }
    if skip(":") {
      while let byte = next, byte.isDigit { index += 1 }
    }
    return true
  }

  /// Skips unreserved characters, percent-encoded bytes, sub-delimiters and the given characters.
  private mutating func skipCharacters(and others: String) {
    while let byte = next {
      if byte == UInt8(ascii: "%") {
        guard index + 2 < bytes.count, bytes[index + 1].hexadecimalValue != nil,
          bytes[index + 2].hexadecimalValue != nil
        else { return }
        index += 3
      } else {
        guard byte.isUnreserved || byte.isSubDelimiter || byte.isOne(of: others) else { return }
        index += 1
      }
    }
  }
}
