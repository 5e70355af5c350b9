/// A digest of a sequence of digests that can be composed from the digests of its subsequences.
///
/// The result is independent of how the sequence is divided, so trees of any shape give the same digest.
///
/// The elements are the coefficients of a polynomial over the field with 2^127 − 1 elements, evaluated at a secret
/// point of the key. Two different sequences of *n* elements have equal digests at no more than *n* of about 2^127
/// points.
@usableFromInline
package struct SequenceDigest: Sendable, Equatable {
  /// The polynomial's value.
  @usableFromInline let hash: UInt128
  /// The key's point raised to the power of `count`.
  @usableFromInline let power: UInt128
  /// The number of elements.
  @usableFromInline package let count: Int

  @inlinable
  init(hash: UInt128, power: UInt128, count: Int) {
    self.hash = hash
    self.power = power
    self.count = count
  }

  /// Creates the digest of a sequence with one element.
  @inlinable
  package init(_ element: Digest, key: DigestKey) {
    self.init(
      hash: MersenneField.reduce(UInt128(element.high) << 64 | UInt128(element.low)),
      power: key.sequenceBase, count: 1)
  }

  /// The digest of an empty sequence, which is the identity element of ``followed(by:)``.
  @inlinable
  package static var empty: SequenceDigest { SequenceDigest(hash: 0, power: 1, count: 0) }

  /// Returns the digest of these elements followed by others.
  ///
  /// - Parameter other: a digest under the same key.
  /// - Complexity: O(1).
  @inlinable
  package func followed(by other: SequenceDigest) -> SequenceDigest {
    SequenceDigest(
      hash: MersenneField.add(MersenneField.multiply(hash, other.power), other.hash),
      power: MersenneField.multiply(power, other.power),
      count: count + other.count)
  }
}
