/// A 128-bit keyed digest of a value: equal values have equal digests under the same key.
public struct Digest: Hashable, Sendable, BitwiseCopyable {
  public var high: UInt64
  public var low: UInt64

  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
