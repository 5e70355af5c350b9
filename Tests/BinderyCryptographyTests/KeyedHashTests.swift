import BinderyCryptography
import Testing

struct KeyedHashTests {
  @Test func `equal messages have equal hashes under one key`() {
    let hash = KeyedHash()
    let (first, second) = (hash.hash([1, 2, 3].span), hash.hash([1, 2, 3].span))
    #expect(first == second)
    for other: [UInt8] in [[], [1], [1, 2], [1, 2, 4], [1, 2, 3, 0]] {
      let different = hash.hash(other.span)
      #expect(different != first)
    }
  }

  @Test func `each key has its own hashes`() {
    let hashes = (0..<100).map { _ in KeyedHash().hash([1, 2, 3].span) }
    #expect(Set(hashes.map(\.0)).count == 100 && Set(hashes.map(\.1)).count == 100)
  }
}
