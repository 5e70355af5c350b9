/// A message authentication code under one key: HMAC with SHA-256 (RFC 2104).
package struct HMAC: Sendable {
  /// Both hash functions with their pad taken in, so that a code costs no more than its message.
  private let inner: SHA256
  private let outer: SHA256

  /// - Parameter key: of any length; 32 random bytes are as strong as it gets.
  package init(key: [UInt8]) {
    var block = key.count > SHA256.blockLength ? SHA256.digest(key) : key
    block += [UInt8](repeating: 0, count: SHA256.blockLength - block.count)
    inner = Self.hash(startingWith: block.map { $0 ^ 0x36 })
    outer = Self.hash(startingWith: block.map { $0 ^ 0x5c })
  }

  private static func hash(startingWith pad: [UInt8]) -> SHA256 {
    var hash = SHA256()
    hash.update(pad)
    return hash
  }

  /// The code of a message: 32 bytes.
  ///
  /// - Complexity: O(*n*).
  package func code(_ message: some Sequence<UInt8>) -> [UInt8] {
    var inner = inner
    inner.update(message)
    var outer = outer
    outer.update(inner.finish())
    return outer.finish()
  }
}
