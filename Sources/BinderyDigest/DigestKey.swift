internal import CBinderyXXHash

/// A secret and what is derived from it: who does not know it can neither foresee digests nor make them collide.
public final class DigestKey: Sendable {
  /// The fewest bytes a secret may have; XXH3 asks for no less.
  public static let minimumSecretLength = 136

  /// The secret, to be kept with the store.
  public let secret: [UInt8]

  /// Tells keys apart, in caches of digests.
  public let identity: UInt64

  /// The point at which sequences are evaluated.
  @usableFromInline let sequenceBase: UInt128

  /// - Parameter secret: At least 136 random bytes.
  public init(secret: [UInt8]) {
    precondition(secret.count >= Self.minimumSecretLength, "a secret has at least 136 bytes")
    self.secret = secret
    identity = xxh3([Tag.identity.block].span, secret: secret).low
    let point = xxh3([Tag.sequenceBase.block].span, secret: secret)
    // 0 would forget all elements but the last, and 1 their order.
    sequenceBase = max(2, MersenneField.reduce(UInt128(point.high) << 64 | UInt128(point.low)))
  }

  /// A key with a new secret of 192 bytes from the system's source of randomness.
  public static func random() -> DigestKey {
    var generator = SystemRandomNumberGenerator()
    return DigestKey(secret: (0..<192).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The digest of a scalar, given its canonical JSON.
  public func leaf(_ canonical: Span<UInt8>) -> Digest {
    xxh3(canonical, secret: secret)
  }

  /// The digest of an object, given the digests of its names and values in turn, in their order.
  public func object(_ parts: Span<Digest>) -> Digest {
    unsafe withUnsafeTemporaryAllocation(of: Digest.self, capacity: parts.count + 1) { buffer in
      unsafe buffer.initializeElement(at: 0, to: Tag.object.block)
      for index in parts.indices { unsafe buffer.initializeElement(at: index + 1, to: parts[index]) }
      return unsafe xxh3(UnsafeBufferPointer(buffer).span, secret: secret)
    }
  }

  /// The digest of an object, given the digests of its names and values in turn, in their order.
  public func object(_ parts: [Digest]) -> Digest { object(parts.span) }

  /// The digest of an array, given that of the sequence of its elements.
  public func array(_ sequence: SequenceDigest) -> Digest {
    let hash = sequence.hash
    let blocks: InlineArray<3, Digest> = [
      Tag.array.block,
      Digest(high: UInt64(truncatingIfNeeded: hash >> 64), low: UInt64(truncatingIfNeeded: hash)),
      Digest(high: 0, low: UInt64(sequence.count)),
    ]
    return xxh3(blocks.span, secret: secret)
  }
}

/// The first byte of what is digested that is not a scalar; canonical JSON begins with none of these.
private enum Tag: UInt8 {
  case object = 1
  case array, identity, sequenceBase

  /// The tag, filled up to the size of a digest; on every machine its first byte is the tag's.
  var block: Digest { Digest(high: UInt64(rawValue).littleEndian, low: 0) }
}

/// XXH3 with 128 bits, of the memory of a span under a secret.
private func xxh3<Element: BitwiseCopyable>(_ span: Span<Element>, secret: [UInt8]) -> Digest {
  unsafe span.withUnsafeBytes { bytes in
    unsafe secret.withUnsafeBytes { secret in
      let hash = unsafe XXH3_128bits_withSecret(bytes.baseAddress, bytes.count, secret.baseAddress, secret.count)
      return Digest(high: hash.high64, low: hash.low64)
    }
  }
}
