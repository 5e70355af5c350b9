import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu
import FoundationEssentials
import Testing

/// The digest of a value without collections is that of its JSON, and other digests are composed of such digests.
struct DigestTests {
  /// A struct with a collection.
  private struct Crate: Editable {
    var label = "x"
    var dishes: Identified<Dish> = []

    static let shape = EditableShape<Crate>.members(
      Crate.init, StoredMember("label", \.label), StoredMember("dishes", \.dishes))
  }

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

  @Test(arguments: ["a", "a longer name than fits into a small string", String(repeating: "é", count: 200_000)])
  func `the digest of a value without collections is that of its JSON`(_ name: String) throws {
    let id = try #require(UUID(uuidString: "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"))
    let dish = Dish(id: id, name: name, isFavorite: true, status: .inStock(quantity: 7))
    var json = JSONWriter()
    Dish.shape.encode(dish, into: &json)
    let expected = key.leaf(json.bytes.span)
    for purpose in [ReadOperation.Purpose.digest, .digestAndJSON] {
      for limit in [Int.max, 16] {
        var reading = ReadOperation(purpose, key: key, writer: JSONWriter(stoppingAt: limit))
        reading.read(dish, Dish.shape)
        #expect(reading.digest == expected)
      }
    }
    #expect(Dish.shape.digest(dish, key) == expected)
    #expect(Light.shape.digest(.off, key) == leaf("\"off\""))
    #expect(Int??.shape.digest(.some(.none), key) == leaf("{\"some\":null}"))
    #expect(Int??.shape.digest(.none, key) == leaf("null"))
  }

  @Test func `the digest of a value with collections is made of the digests of its parts`() {
    #expect([String: Int].shape.digest(["b": 2, "a": 1], key) == object([("a", leaf("1")), ("b", leaf("2"))]))
    let crate = Crate(dishes: Menu.example.dishes)
    let dishes = Identified<Dish>.shape.digest(crate.dishes, key)
    #expect(Crate.shape.digest(crate, key) == object([("label", leaf("\"x\"")), ("dishes", dishes)]))
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
