import BinderyCore
import BinderyTestKit
import Testing

/// `GET /state?stored`, which leaves computed members out.
struct StoredReadTests {
  /// A model with a set whose elements have a computed member.
  struct Tagged: StateModel {
    var tags: Set<Tag> = [Tag(a: 5)]
    static let shape = EditableShape<Tagged>.members(Tagged.init(tags:), StoredMember("tags", \.tags))

    struct Tag: Editable, Hashable {
      var a: Int
      var d: Int { a * 2 }
      static let shape = EditableShape<Tag>.members(
        Tag.init(a:), StoredMember("a", \.a), computed: [ComputedMember("d", readOnly: \.d, from: \.a)])
    }
  }

  @Test func `stored members alone are read in the elements of a set, too`() throws {
    try TestTransport.memory.serve(Tagged()) { client, _ throws in
      #expect(try client.get("/state").text == #"{"tags":[{"a":5,"d":10}]}"#)
      #expect(try client.get("/state?stored").text == #"{"tags":[{"a":5}]}"#)
    }
  }
}
