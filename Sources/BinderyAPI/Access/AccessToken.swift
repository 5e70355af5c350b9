import BinderyText

/// A bearer token (RFC 6750).
package struct AccessToken: Sendable {
  /// The operations that a token permits.
  package enum Scope: Sendable {
    /// Reading only.
    case read
    /// Reading and writing.
    case write
  }

  /// The reason why a text is not a valid token. It never contains the text, so it can be logged.
  package enum Malformed: Error, Hashable, Sendable, CustomStringConvertible {
    case tooShort
    case tooLong
    case unusableCharacter
    case unusableName
    /// The name is that of commits without a token.
    case reservedName
    /// The text is the value of an `Authorization` header.
    case headerValue

    package var description: String {
      switch self {
      case .tooShort: "the token is too short: use at least \(AccessToken.lengths.lowerBound) characters"
      case .tooLong: "the token is too long: use at most \(AccessToken.lengths.upperBound) characters"
      case .unusableCharacter:
        "the token contains an invalid character: use only letters, digits and -._~+/, with = only at the end"
      case .unusableName:
        "the name of the token is not valid: expected “NAME TOKEN”, and in the name 1 to "
          + "\(AccessToken.maximumNameLength) letters, digits and -._"
      case .reservedName:
        "the name of the token is one that the history gives to other commits: choose another one than "
          + AccessToken.reservedNames.sorted().joined(separator: ", ") + " and names that begin with “token-”"
      case .headerValue: "the line begins with Bearer, as in a header: expected the token alone, or “NAME TOKEN”"
      }
    }
  }

  /// The valid numbers of characters.
  package static let lengths = 16...512

  /// The maximum number of characters in a name.
  private static let maximumNameLength = 64

  /// The names of commits that no token made.
  private static let reservedNames: Set = ["anonymous", "data-file", "import", "in-process"]

  /// The name of the commits of this token in the history; nil if the token has none.
  let name: String?
  let bytes: [UInt8]

  /// Creates a token from a text in the `token68` syntax (RFC 9110 §11.2), or from a name, blanks and such a text.
  ///
  /// - Throws: ``Malformed`` if the text has another syntax or length.
  package init(_ text: some Sequence<UInt8>) throws(Malformed) {
    let parts = Array(text).split(maxSplits: 1, whereSeparator: \.isBlank)
    let hasName = parts.count == 2
    if hasName {
      guard Self.isName(parts[0]) else { throw .unusableName }
      let name = String(decoding: parts[0], as: UTF8.self)
      guard name.lowercased() != "bearer" else { throw .headerValue }
      // Those of tokens without a name begin with “token-”.
      guard !Self.reservedNames.contains(name), !name.hasPrefix("token-") else { throw .reservedName }
    }
    name = hasName ? String(decoding: parts[0], as: UTF8.self) : nil
    bytes = Array((parts.last ?? []).drop(while: \.isBlank))
    guard Self.isToken68(bytes) else { throw .unusableCharacter }
    guard bytes.count >= Self.lengths.lowerBound else { throw .tooShort }
    guard bytes.count <= Self.lengths.upperBound else { throw .tooLong }
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count <= maximumNameLength && bytes.allSatisfy { $0.isLetter || $0.isDigit || $0.isOne(of: "-._") }
  }

  private static func isToken68(_ bytes: [UInt8]) -> Bool {
    let end = bytes.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0
    return bytes[..<end].allSatisfy { $0.isUnreserved || $0.isOne(of: "+/") }
  }
}

/// Tokens are compared without their names.
extension AccessToken: Hashable {
  package static func == (a: AccessToken, b: AccessToken) -> Bool { a.bytes == b.bytes }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
