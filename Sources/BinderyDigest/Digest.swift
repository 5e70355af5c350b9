/// A 128-bit keyed digest of a value. Equal values have equal digests under the same key.
@usableFromInline
package struct Digest: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline package var high: UInt64
  @usableFromInline package var low: UInt64

  /// Creates a digest from its most and least significant 64 bits.
  @inlinable
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
