/// A secret that lets its bearer in (RFC 6750).
package struct AccessToken: Hashable, Sendable {
  /// What a token is good for.
  package enum Scope: Sendable {
    case read
    /// Reading and writing.
    case write
  }

  /// Why a text cannot be a token; it never repeats the text.
  package enum Malformed: Error, Hashable, Sendable, CustomStringConvertible {
    case tooShort
    case tooLong
    case unusableCharacter

    package var description: String {
      switch self {
      case .tooShort: "a token has at least \(AccessToken.lengths.lowerBound) characters"
      case .tooLong: "a token has at most \(AccessToken.lengths.upperBound) characters"
      case .unusableCharacter: "a token is made of letters, digits and -._~+/ with = only at its end"
      }
    }
  }

  /// How many characters a token may have.
  package static let lengths = 16...512

  let bytes: [UInt8]

  /// Takes a text in the syntax `token68` (RFC 9110 §11.2).
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
