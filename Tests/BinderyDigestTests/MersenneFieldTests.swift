import BinderyDigest
import Testing

@Suite struct MersenneFieldTests {
  /// Numbers near all boundaries, and random ones.
  private static let samples: [UInt128] = {
    let prime = MersenneField.prime
    let edges: [UInt128] = [
      0, 1, 2, 3, prime - 1, prime - 2, prime / 2, prime / 2 + 1, 1 << 63, 1 << 64, 1 << 64 - 1, 1 << 126,
      (1 << 126) - 1,
    ]
    return edges + (0..<40).map { _ in UInt128.random(in: 0..<prime) }
  }()

  /// Returns the product by doubling and adding, with a division at each step.
  private func slowProduct(_ left: UInt128, _ right: UInt128) -> UInt128 {
    var result: UInt128 = 0
    for bit in (0..<127).reversed() {
      result = (result * 2) % MersenneField.prime
      if right >> bit & 1 == 1 { result = (result + left) % MersenneField.prime }
    }
    return result
  }

  @Test func `products and sums equal the results of plain arithmetic`() {
    for left in Self.samples {
      for right in Self.samples {
        #expect(MersenneField.multiply(left, right) == slowProduct(left, right))
        #expect(MersenneField.add(left, right) == (left + right) % MersenneField.prime)
      }
    }
  }

  @Test func `reduction equals the remainder of a division`() {
    let prime = MersenneField.prime
    for value in Self.samples + [prime, prime + 1, 2 * prime, 2 * prime + 1, .max, .max - 1] {
      #expect(MersenneField.reduce(value) == value % prime)
    }
  }
}
