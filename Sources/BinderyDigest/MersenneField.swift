/// Arithmetic modulo the prime 2^127 − 1, where reducing takes a shift and an addition instead of a division.
@usableFromInline
package enum MersenneField {
  /// 2^127 − 1.
  @inlinable
  package static var prime: UInt128 { UInt128.max >> 1 }

  /// The remainder of any number.
  @inlinable
  package static func reduce(_ value: UInt128) -> UInt128 {
    // 2^127 is 1 here, so the top bit counts one.
    let folded = (value & prime) + (value >> 127)
    return folded >= prime ? folded - prime : folded
  }

  /// The sum of two remainders.
  @inlinable
  package static func add(_ left: UInt128, _ right: UInt128) -> UInt128 {
    // Below 2^128: no carry is lost.
    reduce(left &+ right)
  }

  /// The product of two remainders.
  @inlinable
  package static func multiply(_ left: UInt128, _ right: UInt128) -> UInt128 {
    let product = left.multipliedFullWidth(by: right)
    // Below 2^254: what stands above bit 127 fits 127 bits, and counts as it stands.
    return add(product.high << 1 | product.low >> 127, product.low & prime)
  }
}
