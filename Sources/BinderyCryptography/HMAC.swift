import CBinderySodium

/// Computes message authentication codes with one key: HMAC-SHA-256 (RFC 2104), implemented by libsodium.
package struct HMAC: Sendable {
  /// The length of a code in bytes.
  package static let codeLength = 32

  /// The state after processing the key. It is copied for each message, so that the key is processed only once.
  private let keyed: crypto_auth_hmacsha256_state

  /// Creates a code generator for a key.
  ///
  /// - Parameter key: Any length; more than 32 random bytes add no strength.
  package init(key: [UInt8]) {
    Sodium.initialize
    var state = crypto_auth_hmacsha256_state()
    unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
    keyed = state
  }

  /// Returns the code of a message.
  ///
  /// - Returns: 32 bytes.
  /// - Complexity: O(*n*).
  package func code(_ message: some Sequence<UInt8>) -> [UInt8] {
    let message = Array(message)
    var state = keyed
    unsafe crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    return unsafe [UInt8](unsafeUninitializedCapacity: Self.codeLength) { code, count in
      count = Self.codeLength
      unsafe crypto_auth_hmacsha256_final(&state, code.baseAddress!)
    }
  }
}
