import BinderyCryptography
import Testing

struct SecretsTests {
  @Test func `secrets are equal only if all their bits are equal`() {
    let secret = (0..<32).map { UInt8($0) }
    #expect(Secrets.areEqual(secret, Array(secret)))
    #expect(Secrets.areEqual([], []))
    #expect(!Secrets.areEqual(secret, Array(secret.dropLast())))
    for index in secret.indices {
      for bit in 0..<8 {
        var other = secret
        other[index] ^= 1 << UInt8(bit)
        #expect(!Secrets.areEqual(secret, other))
      }
    }
  }

  @Test func `random bytes have the requested length and differ each time`() {
    #expect(Secrets.random(count: 0) == [])
    let first = Secrets.random(count: 192)
    #expect(first.count == 192)
    #expect(first != Secrets.random(count: 192))
  }
}
