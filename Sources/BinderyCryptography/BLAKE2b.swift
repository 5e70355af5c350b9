import CBinderySodium

/// The hash function BLAKE2b with digests of 256 bits (RFC 7693), implemented by libsodium. It is three times as fast
/// as SHA-256 without instructions for it.
package enum BLAKE2b {
  /// The length of a digest in bytes.
  package static let digestLength = 32

  /// Returns the digest of a message.
  ///
  /// - Returns: 32 bytes.
  /// - Complexity: O(*n*).
  package static func digest(_ message: [UInt8]) -> [UInt8] {
    Sodium.initialize
    return unsafe [UInt8](unsafeUninitializedCapacity: digestLength) { digest, count in
      count = digestLength
      unsafe crypto_generichash(digest.baseAddress!, digestLength, message, UInt64(message.count), nil, 0)
    }
  }
}
