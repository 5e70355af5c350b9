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
      guard IPAddressLiteral.isValid(bytes[index..<end]) else { return false }
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
        guard index + 2 < bytes.count, bytes[index + 1].isHexDigit, bytes[index + 2].isHexDigit else { return }
        index += 3
      } else {
        guard byte.isUnreserved || byte.isSubDelimiter || byte.isOne(of: others) else { return }
        index += 1
      }
    }
  }
}

/// The syntax between the brackets of a host (RFC 3986 §3.2.2).
private enum IPAddressLiteral {
  /// Returns whether a text is an IPv6 address or an `IPvFuture` literal.
  static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
    text.first?.isOne(of: "vV") == true ? isFuture(text.dropFirst()) : isIPv6(text)
  }

  /// Returns whether a text is a hexadecimal version, a period, and at least one character of an address.
  private static func isFuture(_ text: ArraySlice<UInt8>) -> Bool {
    let version = text.prefix { $0.isHexDigit }
    let rest = text[version.endIndex...]
    let address = rest.dropFirst()
    return !version.isEmpty && rest.first == UInt8(ascii: ".") && !address.isEmpty
      && address.allSatisfy { $0.isUnreserved || $0.isSubDelimiter || $0.isOne(of: ":") }
  }

  /// Returns whether a text is an IPv6 address: eight groups, of which one `::` replaces one or more.
  private static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
    let colon = UInt8(ascii: ":")
    guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
      return groups(text, canEndWithIPv4: true) == 8
    }
    guard let before = groups(text[..<gap], canEndWithIPv4: false),
      let after = groups(text[(gap + 2)...], canEndWithIPv4: true)
    else { return false }
    return before + after <= 7
  }

  /// Returns the number of 16-bit groups in a list separated by colons, which may be empty; nil if it is ill-formed.
  private static func groups(_ text: ArraySlice<UInt8>, canEndWithIPv4: Bool) -> Int? {
    if text.isEmpty { return 0 }
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var count = 0
    for (index, part) in parts.enumerated() {
      if (1...4).contains(part.count), part.allSatisfy(\.isHexDigit) {
        count += 1
      } else if canEndWithIPv4, index == parts.count - 1, isIPv4(part) {
        count += 2
      } else {
        return nil
      }
    }
    return count
  }

  /// Returns whether a text is four numbers up to 255 without leading zeros.
  private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
    let numbers = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return numbers.count == 4
      && numbers.allSatisfy { digits in
        (1...3).contains(digits.count) && digits.allSatisfy(\.isDigit)
          && digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
          && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
      }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
  fileprivate var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
  fileprivate var isHexDigit: Bool {
    isDigit || (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "f")
  }
  /// Whether the byte is an unreserved character of a URL (RFC 3986 §2.3).
  var isUnreserved: Bool { isLetter || isDigit || isOne(of: "-._~") }
  fileprivate var isSubDelimiter: Bool { isOne(of: "!$&'()*+,;=") }

  /// Returns whether the byte is one of some ASCII characters.
  fileprivate func isOne(of characters: String) -> Bool { characters.utf8.contains(self) }
}
