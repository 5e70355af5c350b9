/// A bearer token (RFC 6750).
package struct AccessToken: Hashable, Sendable {
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

    package var description: String {
      switch self {
      case .tooShort: "the token is too short: use at least \(AccessToken.lengths.lowerBound) characters"
      case .tooLong: "the token is too long: use at most \(AccessToken.lengths.upperBound) characters"
      case .unusableCharacter:
        "the token contains an invalid character: use only letters, digits and -._~+/, with = only at the end"
      }
    }
  }

  /// The valid numbers of characters.
  package static let lengths = 16...512

  let bytes: [UInt8]

  /// Creates a token from a text in the `token68` syntax (RFC 9110 §11.2).
  ///
  /// - Throws: ``Malformed`` if the text has another syntax or length.
  package init(_ text: some Sequence<UInt8>) throws(Malformed) {
    bytes = Array(text)
    guard Self.isToken68(bytes) else { throw .unusableCharacter }
    guard bytes.count >= Self.lengths.lowerBound else { throw .tooShort }
    guard bytes.count <= Self.lengths.upperBound else { throw .tooLong }
  }

  private static func isToken68(_ bytes: [UInt8]) -> Bool {
    let end = bytes.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0
    return bytes[..<end].allSatisfy { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "+", "/": true
      default: false
      }
    }
  }
}
