internal import CBinderyXXHash

/// A 64-bit XXH3 checksum of a sequence of byte strings, for detecting corruption of stored data.
///
/// The checksum has no secret, so that it can be verified before anything else is read. It detects accidental changes
/// by a disk, a cable or a stray write. It does not protect against an attacker.
package struct Checksum: Hashable, Sendable {
  /// The checksum of the parts so far.
  ///
  /// Each part is hashed with the previous value as the seed, so the boundaries between parts affect the result.
  package private(set) var value: UInt64 = 0

  /// Creates the checksum of no parts.
  @usableFromInline
  package init() {}

  /// Adds a part.
  package mutating func add(_ bytes: Span<UInt8>) {
    value = unsafe bytes.withUnsafeBytes { bytes in
      unsafe XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, value)
    }
  }

  /// Adds a number as a part of eight bytes in little-endian order.
  package mutating func add(_ number: Int) {
    let blocks: InlineArray<1, Int64> = [Int64(number).littleEndian]
    value = unsafe blocks.span.withUnsafeBytes { bytes in
      unsafe XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, value)
    }
  }
}
