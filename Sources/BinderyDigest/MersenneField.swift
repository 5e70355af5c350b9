/// Arithmetic modulo the Mersenne prime 2^127 − 1, for which reduction needs a shift and an addition instead of a
/// division.
@usableFromInline
package enum MersenneField {
  /// 2^127 − 1.
  @inlinable
  package static var prime: UInt128 { UInt128.max >> 1 }

  /// Returns the remainder of any number.
  @inlinable
  package static func reduce(_ value: UInt128) -> UInt128 {
    // 2^127 ≡ 1 modulo the prime, so the most significant bit is worth 1.
    let folded = (value & prime) + (value >> 127)
    return folded >= prime ? folded - prime : folded
  }

  /// Returns the sum of two remainders.
  @inlinable
  package static func add(_ left: UInt128, _ right: UInt128) -> UInt128 {
    // Cannot overflow: the sum of two numbers below 2^127 is below 2^128.
    reduce(left &+ right)
  }

  /// Returns the product of two remainders.
  @inlinable
  package static func multiply(_ left: UInt128, _ right: UInt128) -> UInt128 {
    let product = left.multipliedFullWidth(by: right)
    // The product is below 2^254, so the bits from 127 on fit into 127 bits. They are added unchanged, because
    // 2^127 ≡ 1 modulo the prime.
    return add(product.high << 1 | product.low >> 127, product.low & prime)
  }
}
