import CBinderySodium

/// Operations on secrets, implemented by libsodium.
package enum Secrets {
  /// Returns whether two byte strings are equal, in a time that depends only on their lengths.
  ///
  /// - Complexity: O(*n*).
  package static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    guard first.count == second.count else { return false }
    return unsafe sodium_memcmp(first, second, first.count) == 0
  }

  /// Returns cryptographically secure random bytes.
  package static func random(count: Int) -> [UInt8] {
    Sodium.initialize
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
      initialized = count
      // The address may be nil if there are no bytes to write.
      if let start = bytes.baseAddress { unsafe randombytes_buf(start, count) }
    }
  }
}
