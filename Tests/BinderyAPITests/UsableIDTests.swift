import BinderyCore
import BinderyTestKit
import Testing

/// Every element has a URL, so an id that no URL can contain is refused.
struct UsableIDTests {
  static let unusable = [
    "", ".", "..", "a\\u0000b", String(repeating: "x", count: 9_000), String(repeating: "é", count: 700),
    String(repeating: "~", count: 1_025),
  ]

  @Test(arguments: unusable)
  func `an id that no URL can contain is refused`(_ id: String) throws {
    try TestTransport.memory.serve(Drawer()) { client, store throws in
      let element = #"{"id":"\#(id)","text":"x"}"#
      let requests = [
        ("POST", "/labels", element, "application/json", "/id"),
        ("PUT", "/labels", "[\(element)]", "application/json", "/0/id"),
        ("PATCH", "", #"{"labels":[\#(element)]}"#, "application/json", "/labels/0/id"),
        (
          "PATCH", "", #"[{"op":"add","path":"/labels/-","value":\#(element)}]"#, "application/json-patch+json",
          "/0/value/id"
        ),
      ]
      for (method, path, body, type, pointer) in requests {
        let reply = try client.send(method, "/state" + path, body, ["Content-Type": type])
        #expect(reply.outcome == "422 invalid-value", "\(reply)")
        #expect(reply.string("pointer") == pointer)
        #expect(reply.body.count < 1_000)
      }
      #expect(store.revision == 0)
    }
  }

  @Test(arguments: [
    "-", "...", " ", "a/b", "%", "é", String(repeating: "x", count: 2_000), String(repeating: "~/", count: 512),
  ])
  func `an element with any other id has a URL`(_ id: String) throws {
    try TestTransport.memory.serve(Drawer()) { client, _ throws in
      let reply = try client.post("/state/labels", #"{"id":"\#(id)","text":"x"}"#)
      #expect(reply.status == 201)
      #expect(try client.text(try #require(reply["Location"]) + "/text") == "\"x\"")
    }
  }

  @Test func `Swift code cannot add such an element either`() async throws {
    let store = Store(Drawer())
    await #expect(throws: CommitError.self) {
      try await store.commit { draft in try draft.labels.append(Label(id: "..", text: "x")) }
    }
    #expect(store.revision == 0)
  }
}

private struct Label: Editable, Identifiable {
  let id: String
  var text: String

  static let shape = EditableShape<Label>.members(
    Label.init, StoredMember("id", id: \.id), StoredMember("text", \.text))
}

private struct Drawer: StateModel {
  var labels: Identified<Label> = []

  static let shape = EditableShape<Drawer>.members(Drawer.init(labels:), StoredMember("labels", \.labels))
}
