import BinderyCore
import BinderyTestKit
import Testing

/// The `test` operation compares canonical encodings, at the root as at a leaf.
struct SamenessTests {
  /// The state of the menu, spelled in another way than the server does.
  private static func respelled(_ text: String) -> String {
    text.replacing("b10de400", with: "B10DE400").replacing(":00.000Z\"", with: ":00Z\"")
      .replacing("\"Caprese", with: "\"\\u0043aprese").replacing("\"quantity\":1}", with: "\"quantity\":1.0e0}")
  }

  @Test(arguments: ["", "/dishes", "/dishes/0", "/pinnedDish", "/customTimeOrDefault", "/time", "/editing"])
  func `another spelling of the same value is equal`(_ path: String) throws {
    try TestTransport.memory.serve(Menus.custom) { client, _ throws in
      let get = path == "/dishes/0" ? "/dishes/" + Menus.first : path
      let (text, other) = (try client.text("/state" + get), Self.respelled(try client.text("/state" + get)))
      if path != "/editing" { #expect(text != other) }
      for value in [text, other] {
        let reply = try client.jsonPatch("/state", #"[{"op":"test","path":"\#(path)","value":\#(value)}]"#)
        #expect(reply.status == 200, "\(reply)")
      }
    }
  }

  @Test func `another value is different at every level`() throws {
    try TestTransport.memory.serve(Menus.fresh) { client, _ throws in
      let text = try client.text("/state")
      for (old, new) in [
        ("\"isFavorite\":false", "\"isFavorite\":true"), ("Caprese", "caprese"), ("\"tonight\"", "\"tomorrow\""),
        ("\"favorites\":[]", "\"favorites\":[\"\(Menus.first)\"]"), ("\"isSelected\":true", "\"isSelected\":false"),
        ("\"Saturday\"", "\"Sunday\""), (",\"favorites\":[]", ""), ("\"editing\":null", "\"editing\":{\"some\":null}"),
        ("\"editing\":null", "\"editing\":null,\"editing\":null"), ("{\"dishes\"", "{\"evening\":0,\"dishes\""),
      ] {
        let value = text.replacing(old, with: new, maxReplacements: 1)
        #expect(value != text, "\(old)")
        let reply = try client.jsonPatch("/state", #"[{"op":"test","path":"","value":\#(value)}]"#)
        #expect(reply.outcome == "409 test-failed", "\(new)")
      }
    }
  }

  @Test func `hidden members take no part, wherever they are`() throws {
    try TestTransport.memory.serve(Vault()) { client, _ throws in
      for path in ["", "/boxes", "/spare", "/first", "/kept"] {
        let text = try client.text("/state" + path)
        let reply = try client.jsonPatch("/state", #"[{"op":"test","path":"\#(path)","value":\#(text)}]"#)
        #expect(reply.status == 200, "\(path): \(reply)")
      }
      // Read-only and computed members that are sent back are recognized in the same way.
      let back = try client.put("/state", try client.text("/state"), ["Prefer": "handling=strict"])
      #expect(back.status == 200 && back.changed == false, "\(back)")
    }
  }
}

/// A box with a combination that JSON does not show.
private struct Box: Editable, Identifiable {
  let id: String
  var combination: Int
  var isOdd: Bool { combination % 2 == 1 }

  static let shape = EditableShape<Box>.members(
    Box.init(id:combination:), StoredMember("id", id: \.id),
    StoredMember(hidden: "combination", \.combination, default: 0),
    computed: [ComputedMember("isOdd", readOnly: \.isOdd)])
}

private struct Vault: StateModel {
  var boxes: Identified<Box> = []
  var spare: Box?
  var kept = [Box(id: "k", combination: 5)]
  var first: Identified<Box> {
    get { [Box(id: "f", combination: 3)] }
    set {}
  }

  init() { spare = Box(id: "s", combination: 7) }

  init(boxes: Identified<Box>, spare: Box?, kept: [Box]) { (self.boxes, self.spare, self.kept) = (boxes, spare, kept) }

  static let shape = EditableShape<Vault>.members(
    Vault.init(boxes:spare:kept:), StoredMember("boxes", \.boxes), StoredMember("spare", \.spare),
    StoredMember("kept", readOnly: \.kept), computed: [ComputedMember("first", \.first)])
}
