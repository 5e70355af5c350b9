import BinderyCore
import BinderyTestKit
import Testing

/// A key whose text stands for another key, or for none, is refused: the state could not be read again.
struct UnreadableKeyTests {
  @Test(arguments: [
    ("PUT", "/slugs/A", "3", "application/json", ""),
    ("PATCH", "/slugs", #"{"A":3}"#, "application/json", "/A"),
    ("PUT", "/slugs", #"{"A":3}"#, "application/json", "/A"),
    ("PATCH", "", #"[{"op":"add","path":"/slugs/A","value":3}]"#, "application/json-patch+json", "/0/value"),
    ("PUT", "/more/A", "3", "application/json", ""),
    ("POST", "/parts", #"{"id":"k1"}"#, "application/json", "/id"),
    ("PUT", "/parts", #"[{"id":"k1"}]"#, "application/json", "/0/id"),
  ])
  func `a key that equals no key with its text is refused`(
    _ method: String, _ path: String, _ body: String, _ type: String, _ pointer: String
  ) throws {
    try TestTransport.memory.serve(Shelf()) { client, store throws in
      let reply = try client.send(method, "/state" + path, body, ["Content-Type": type])
      #expect(reply.outcome == "422 invalid-value", "\(reply)")
      #expect(reply.string("pointer") == pointer)
      #expect(store.revision == 0)
      let (path, valid) = (path.replacing("A", with: "a"), body.replacing("A", with: "a").replacing("k", with: "1"))
      #expect([200, 201].contains(try client.send(method, "/state" + path, valid, ["Content-Type": type]).status))
    }
  }

  @Test func `Swift code cannot add such a key either`() async throws {
    let store = Store(Shelf())
    await #expect(throws: CommitError.self) { try await store.commit { $0.slugs[Slug(raw: "A")] = 1 } }
    await #expect(throws: CommitError.self) { try await store.commit { $0.more = [Slug(raw: "A"): 1] } }
    let part = Part(id: Number(text: "k1"))
    await #expect(throws: CommitError.self) { try await store.commit { try $0.parts.append(part) } }
    try await store.commit { $0.slugs[Slug(raw: "a")] = 1 }
    #expect(store.revision == 1)
  }
}

/// A key type with a mistake: keys differ in case, but their texts do not.
private struct Slug: Editable, Hashable, PathKey {
  let raw: String
  var keyText: String { raw.lowercased() }

  static func key(from text: String) -> Slug? { Slug(raw: text) }

  static let shape = EditableShape<Slug>.scalar(
    "Slug", as: String.self, examples: ["a"], expected: "a slug", encode: \.keyText, decode: Slug.key(from:))
}

/// A key type with another mistake: some texts of keys cannot be read.
private struct Number: Editable, Hashable, PathKey {
  let text: String
  var keyText: String { text }

  static func key(from text: String) -> Number? { Int(text) == nil ? nil : Number(text: text) }

  static let shape = EditableShape<Number>.scalar(
    "Number", as: String.self, examples: ["1"], expected: "a number", encode: \.text, decode: Number.init(text:))
}

private struct Part: Editable, Identifiable {
  let id: Number

  static let shape = EditableShape<Part>.members(Part.init(id:), StoredMember("id", id: \.id))
}

private struct Shelf: StateModel {
  var slugs: [Slug: Int] = [:]
  var more: [Slug: Int]?
  var parts: Identified<Part> = []

  static let shape = EditableShape<Shelf>.members(
    Shelf.init(slugs:more:parts:), StoredMember("slugs", \.slugs), StoredMember("more", \.more),
    StoredMember("parts", \.parts))
}
