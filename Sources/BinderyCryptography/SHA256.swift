import CBinderySodium

/// The hash function SHA-256 (FIPS 180-4), implemented by libsodium.
package enum SHA256 {
  /// The length of a digest in bytes.
  package static let digestLength = 32

  /// Returns the digest of a message.
  ///
  /// - Returns: 32 bytes.
  /// - Complexity: O(*n*).
  package static func digest(_ message: some Sequence<UInt8>) -> [UInt8] {
    Sodium.initialize
    let message = Array(message)
    return unsafe [UInt8](unsafeUninitializedCapacity: digestLength) { digest, count in
      count = digestLength
      unsafe crypto_hash_sha256(digest.baseAddress!, message, UInt64(message.count))
    }
  }
}
