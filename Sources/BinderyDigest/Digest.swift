/// A 128-bit keyed digest of a value. Equal values have equal digests under the same key.
public struct Digest: Hashable, Sendable, BitwiseCopyable {
  public var high: UInt64
  public var low: UInt64

  /// Creates a digest from its most and least significant 64 bits.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
