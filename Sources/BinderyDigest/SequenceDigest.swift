/// A digest of a sequence of digests that can be put together from any cut of it: a tree of any shape gives the same.
///
/// The elements are the coefficients of a polynomial over the field of 2^127 − 1 elements, evaluated at a point that
/// only the key knows. Two different sequences of *n* elements agree at no more than *n* of its 2^127 points.
public struct SequenceDigest: Sendable, Equatable {
  /// The polynomial's value.
  @usableFromInline let hash: UInt128
  /// The key's point to the power of `count`.
  @usableFromInline let power: UInt128
  /// The number of elements.
  public let count: Int

  @inlinable
  init(hash: UInt128, power: UInt128, count: Int) {
    self.hash = hash
    self.power = power
    self.count = count
  }

  /// The digest of a sequence of one element.
  @inlinable
  public init(_ element: Digest, key: DigestKey) {
    self.init(
      hash: MersenneField.reduce(UInt128(element.high) << 64 | UInt128(element.low)),
      power: key.sequenceBase, count: 1)
  }

  /// The digest of no elements; what follows it or precedes it is unchanged.
  @inlinable
  public static var empty: SequenceDigest { SequenceDigest(hash: 0, power: 1, count: 0) }

  /// The digest of these elements and then the others, which have been digested under the same key.
  @inlinable
  public func followed(by other: SequenceDigest) -> SequenceDigest {
    SequenceDigest(
      hash: MersenneField.add(MersenneField.multiply(hash, other.power), other.hash),
      power: MersenneField.multiply(power, other.power),
      count: count + other.count)
  }
}
