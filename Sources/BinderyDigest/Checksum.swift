internal import CBinderyXXHash

/// What tells whether bytes are still those that were written: XXH3 with 64 bits, of parts in their order.
///
/// There is no secret in it, so that it can be looked at before anything else is read. It finds what a disk, a cable or
/// a stray write has changed, and protects from nobody.
package struct Checksum: Hashable, Sendable {
  /// The parts so far; each is hashed with what came before it as the seed, so their borders count too.
  package private(set) var value: UInt64 = 0

  package init() {}

  /// Adds a part.
  package mutating func add(_ bytes: Span<UInt8>) {
    value = unsafe bytes.withUnsafeBytes { bytes in
      unsafe XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, value)
    }
  }

  /// Adds a number as a part.
  package mutating func add(_ number: Int) {
    let blocks: InlineArray<1, Int64> = [Int64(number).littleEndian]
    value = unsafe blocks.span.withUnsafeBytes { bytes in
      unsafe XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, value)
    }
  }
}
