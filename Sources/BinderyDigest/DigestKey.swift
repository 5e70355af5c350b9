import BinderyCryptography
internal import CBinderyXXHash
import Synchronization

/// A secret for computing digests, which are used as ETags.
///
/// Two different values have the same digest by accident with a probability of about 2^-128, and two arrays of *n*
/// elements with one of about *n* · 2^-127. XXH3 is not a cryptographic hash function: someone who knows the secret can
/// construct two values with the same digest. See “What a digest decides” in `docs/ARCHITECTURE.md`.
@usableFromInline
package final class DigestKey: Sendable {
  /// The minimum length of a secret in bytes, as XXH3 requires (`XXH3_SECRET_SIZE_MIN`).
  package static let minimumSecretLength = 136

  /// The secret. Store it with the state, so that digests stay the same after a restart.
  package let secret: [UInt8]

  /// A number that no other key of this process has. It identifies the key in caches of digests.
  @usableFromInline package let identity: UInt64

  /// The point at which the polynomial of a ``SequenceDigest`` is evaluated.
  @usableFromInline let sequenceBase: UInt128

  private static let lastIdentity = Atomic<UInt64>(0)

  /// Creates a key.
  ///
  /// - Parameter secret: at least 136 random bytes; a shorter secret is a programming error and traps.
  package init(secret: [UInt8]) {
    precondition(secret.count >= Self.minimumSecretLength, "a secret must have at least 136 bytes")
    self.secret = secret
    identity = Self.lastIdentity.add(1, ordering: .relaxed).newValue
    let point = xxh3([Tag.sequenceBase.block].span, secret: secret)
    // At the point 0 the digest would depend on the last element only, and at 1 it would not depend on the order.
    sequenceBase = max(2, MersenneField.reduce(UInt128(point.high) << 64 | UInt128(point.low)))
  }

  /// Returns a key with a new secret of 192 bytes from the system's random number generator.
  package static func random() -> DigestKey {
    DigestKey(secret: Secrets.random(count: 192))
  }

  /// Returns the digest of a scalar.
  ///
  /// - Parameter canonical: the scalar's canonical JSON.
  @usableFromInline
  package func leaf(_ canonical: Span<UInt8>) -> Digest {
    xxh3(canonical, secret: secret)
  }

  /// Returns the digest of an object.
  ///
  /// - Parameters:
  ///   - count: the number of members.
  ///   - addParts: appends the digests of the members' names and values, alternating, in the order of the members.
  @usableFromInline
  package func object(count: Int, _ addParts: (inout OutputSpan<Digest>) -> Void) -> Digest {
    // The compiler allocates on the stack only if the size is a constant.
    if count <= 15 {
      return unsafe withUnsafeTemporaryAllocation(of: Digest.self, capacity: 31) { unsafe object(in: $0, addParts) }
    }
    return unsafe withUnsafeTemporaryAllocation(of: Digest.self, capacity: count * 2 + 1) { buffer in
      unsafe object(in: buffer, addParts)
    }
  }

  private func object(
    in buffer: UnsafeMutableBufferPointer<Digest>, _ addParts: (inout OutputSpan<Digest>) -> Void
  ) -> Digest {
    var parts = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
    parts.append(Tag.object.block)
    addParts(&parts)
    return xxh3(parts.span, secret: secret)
  }

  /// Returns the digest of an array.
  ///
  /// - Parameter sequence: the digest of the sequence of its elements.
  @usableFromInline
  package func array(_ sequence: SequenceDigest) -> Digest {
    let hash = sequence.hash
    let blocks: InlineArray<3, Digest> = [
      Tag.array.block,
      Digest(high: UInt64(truncatingIfNeeded: hash >> 64), low: UInt64(truncatingIfNeeded: hash)),
      Digest(high: 0, low: UInt64(sequence.count)),
    ]
    return xxh3(blocks.span, secret: secret)
  }
}

/// The first byte of hashed data that is not a scalar. Canonical JSON never begins with one of these bytes.
private enum Tag: UInt8 {
  case object = 1
  case array = 2
  case sequenceBase = 4

  /// The tag padded to the size of a digest. Its first byte in memory is the tag on every platform.
  var block: Digest { Digest(high: UInt64(rawValue).littleEndian, low: 0) }
}

/// Returns the 128-bit XXH3 hash of a span's memory under a secret.
private func xxh3<Element: BitwiseCopyable>(_ span: Span<Element>, secret: [UInt8]) -> Digest {
  unsafe span.withUnsafeBytes { bytes in
    unsafe secret.withUnsafeBytes { secret in
      let hash = unsafe XXH3_128bits_withSecret(bytes.baseAddress, bytes.count, secret.baseAddress, secret.count)
      return Digest(high: hash.high64, low: hash.low64)
    }
  }
}
