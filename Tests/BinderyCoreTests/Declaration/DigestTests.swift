import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu
import FoundationEssentials
import Testing

/// The digest of a value is composed of the digests of its scalars' JSON.
struct DigestTests {
  let key = DigestKey(secret: (0..<192).map { UInt8($0) })

  private func leaf(_ json: String) -> Digest { key.leaf(json.utf8.span) }

  private func object(_ members: [(String, Digest)]) -> Digest {
    key.object(count: members.count) { parts in
      for (name, digest) in members {
        parts.append(leaf("\"\(name)\""))
        parts.append(digest)
      }
    }
  }

  @Test(arguments: ["a", "a longer name than fits into a small string", String(repeating: "é", count: 2_000)])
  func `the digest of a struct is made of its members`(_ name: String) throws {
    let id = try #require(UUID(uuidString: "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"))
    let dish = Dish(id: id, name: name, isFavorite: true, status: .inStock(quantity: 7))
    let expected = object([
      ("id", leaf("\"f81d4fae-7dec-11d0-a765-00a0c91e6bf6\"")), ("name", leaf("\"\(name)\"")),
      ("isFavorite", leaf("true")), ("status", object([("inStock", object([("quantity", leaf("7"))]))])),
    ])
    for purpose in [ReadOperation.Purpose.digest, .digestAndJSON] {
      var reading = ReadOperation(purpose, key: key)
      reading.read(dish, Dish.shape)
      #expect(reading.digest == expected)
    }
    #expect(Dish.shape.digest(dish, key) == expected)
  }

  @Test func `cases, nested optionals and dictionaries are made of their parts`() {
    #expect(Light.shape.digest(.off, key) == leaf("\"off\""))
    #expect(Int??.shape.digest(.some(.none), key) == object([("some", leaf("null"))]))
    #expect(Int??.shape.digest(.none, key) == leaf("null"))
    #expect([String: Int].shape.digest(["b": 2, "a": 1], key) == object([("a", leaf("1")), ("b", leaf("2"))]))
  }

  @Test func `a read returns the digest and the JSON of a value`() {
    let menu = Menu.example
    var reading = ReadOperation(.digestAndJSON, key: key)
    reading.read(menu, Menu.shape)
    var json = JSONWriter()
    Menu.shape.encode(menu, into: &json)
    #expect(reading.digest == Menu.shape.digest(menu, key))
    #expect(reading.writer.bytes == json.bytes)
  }
}
