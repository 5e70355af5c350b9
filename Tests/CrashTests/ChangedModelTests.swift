import BinderySQLite
import BinderyTestKit
import Foundation
import Testing

/// Servers whose model changes between a kill and the next start. ModelEvolutionTests has the changes after a shutdown.
@Suite(.serialized)
struct ChangedModelTests {
  private static let item = #"{"type": "object", "properties": {"id": {"type": "string"}, "a": \#(text)"#
  private static let text = #"{"type": "string", "default": ""}"#

  private let folder: TemporaryFolder
  private var store: String { folder("store.db") }

  init() throws { folder = try TemporaryFolder() }

  /// Writes a model with a list of elements, which have further members.
  private func model(_ name: String, item members: String = "", _ others: String = "") throws -> String {
    let list = #"{"type": "array", "items": \#(Self.item)\#(members)}, "x-bindery": {"id": "id"}}}"#
    return try file(name, #"{"type": "object", "properties": {"items": \#(list)\#(others)}}"#)
  }

  private func file(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: folder(name)))
    return folder(name)
  }

  private func serve(_ model: String) throws -> Server { try Server(store: store, options: ["--model", model]) }

  private func check(_ model: String) throws -> String {
    try Server.run("check", "--store", store, "--model", model).output
  }

  @Test(arguments: [true, false])
  func `a changed model that writes nothing takes no value from the previous one`(_ isKilled: Bool) throws {
    let (old, new) = (try model("old.json", item: #", "b": \#(Self.text)"#), try model("new.json"))
    let first = try serve(old)
    #expect(try first.client.put("/state/items/i", #"{"id":"i","a":"A","b":"B"}"#).status == 201)
    first.kill()
    // The revisions since the last snapshot are replayed.
    let changed = try serve(new)
    #expect(changed.startupOutput.contains("\(store): removed from the state: /items/*/b (1 value dropped)"))
    #expect(try changed.client.get("/state/items/i").text == #"{"id":"i","a":"A"}"#)
    if isKilled { changed.kill() } else { #expect(changed.stop() == 0) }
    let next = try serve(old)
    #expect(try next.client.get("/state/items/i/b").text == #""B""#)
    #expect(!next.startupOutput.contains("the model"), "\(next.startupOutput)")
    #expect(next.stop() == 0)
    // With its first write, the changed model discards the value.
    let last = try serve(new)
    #expect(try last.client.patch("/state/items/i/a", #""C""#).status == 200)
    last.kill()
    let rolledBack = try serve(old)
    #expect(rolledBack.startupOutput.contains("added to the model: /items/*/b string"))
    #expect(try rolledBack.client.get("/state/items/i").text == #"{"id":"i","a":"C","b":""}"#)
    rolledBack.kill()
  }

  @Test func `a backup does not replace the store of another model`() throws {
    let other = try file("other.json", #"{"type": "object", "properties": {"title": \#(Self.text)}}"#)
    let source = try Server(store: folder("other.db"), options: ["--model", other])
    #expect(try source.client.patch("/state/title", #""T""#).status == 200)
    #expect(source.stop() == 0)
    let items = try model("items.json")
    let server = try serve(items)
    #expect(try server.client.put("/state/items/i", #"{"id":"i","a":"A"}"#).status == 201)
    #expect(server.stop() == 0)
    func restore(to store: String) throws -> ChildProcess.Result {
      try Server.run("restore", folder("other.db"), "--model", other, "--store", store)
    }
    let refused = try restore(to: store)
    #expect(refused.code == 78 && refused.errors.contains("\(store) belongs to another model"), "\(refused)")
    let kept = try serve(items)
    #expect(try kept.client.get("/state/items/i").status == 200)
    #expect(kept.stop() == 0)
    // A store that cannot be read is what a backup is for.
    try Data("damaged".utf8).write(to: URL(filePath: folder("damaged.db")))
    #expect(try restore(to: folder("damaged.db")).code == 0)
  }

  @Test func `a revert is refused if the model no longer has a member of the values`() throws {
    let (old, new) = (try model("old.json", item: #", "b": \#(Self.text)"#), try model("new.json"))
    let first = try serve(old)
    #expect(try first.client.put("/state/items/i", #"{"id":"i","a":"A","b":"B"}"#).revision == 1)
    #expect(try first.client.delete("/state/items/i").revision == 2)
    #expect(try first.client.put("/state/items/j", #"{"id":"j","a":"A"}"#).revision == 3)
    #expect(first.stop() == 0)
    let changed = try serve(new)
    let refused = try changed.client.send("POST", "/history/2/revert", nil, ["Content-Type": "application/json"])
    #expect(refused.outcome == "409 changed-since" && refused.string("pointer") == "/items/i/b", "\(refused)")
    #expect(refused.string("detail")?.contains("the model no longer has this member") == true, "\(refused)")
    #expect(try changed.client.get("/state/items").text == #"[{"id":"j","a":"A"}]"#)
    // The values that the revert of this revision restores have no such member.
    let reverted = try changed.client.send("POST", "/history/3/revert", nil, ["Content-Type": "application/json"])
    #expect(reverted.status == 200, "\(reverted)")
    #expect(try changed.client.get("/state/items").text == "[]")
    changed.kill()
    // A member that is computed now is not stored either.
    let orDefault = #"{"x-bindery": {"orDefault": {"of": "/c", "value": "x"}}}"#
    let computed = try serve(
      model("computed.json", item: #", "c": {"type": ["string", "null"]}, "b": \#(orDefault)"#))
    let lost = try computed.client.send("POST", "/history/2/revert", nil, ["Content-Type": "application/json"])
    #expect(lost.outcome == "409 changed-since" && lost.string("pointer") == "/items/i/b", "\(lost)")
    computed.kill()
  }

  @Test func `a check and the start count what is dropped in the newest state`() throws {
    let (old, new) = (try model("old.json", item: #", "b": \#(Self.text)"#), try model("new.json"))
    let line = "\(store): removed from the state: /items/*/b (2 values dropped)"
    let server = try serve(old)
    for id in ["i", "j"] { #expect(try server.client.put("/state/items/\(id)", #"{"id":"\#(id)"}"#).status == 201) }
    #expect(try check(new).contains(line))
    server.kill()
    #expect(try check(new).contains(line))
    let again = try serve(old)
    #expect(try again.client.patch("/state/items", "[]").status == 200)
    again.kill()
    let changed = try serve(new)
    #expect(!changed.startupOutput.contains("dropped"), "\(changed.startupOutput)")
    changed.kill()
  }

  @Test func `values of a model that was killed after its first write are named when they are dropped`() throws {
    let (old, new) = (try model("old.json"), try model("new.json", #", "n": \#(Self.text)"#))
    #expect(try serve(old).stop() == 0)
    let changed = try serve(new)
    #expect(try changed.client.patch("/state/n", #""precious""#).status == 200)
    changed.kill()
    let lines = ["removed from the model: /n string", "removed from the state: /n (1 value dropped)"]
    for line in lines { #expect(try check(old).contains("\(store): \(line)")) }
    let back = try serve(old)
    for line in lines { #expect(back.startupOutput.contains("\(store): \(line)")) }
    back.kill()
  }

  @Test func `a free member that a computed one hides is named`() throws {
    let rest = #""type": "object", "additionalProperties": true, "properties": {"a": \#(Self.text)"#
    let old = try file("old.json", "{\(rest)}}")
    let new = try file("new.json", #"{\#(rest), "x": {"x-bindery": {"alias": "/a"}}}}"#)
    let server = try serve(old)
    #expect(try server.client.patch("/state", #"{"x":"3"}"#).status == 200)
    #expect(server.stop() == 0)
    #expect(try check(new).contains("\(store): removed from the state: /x (1 value dropped)"))
  }

  @Test func `keys whose form has changed are replayed as they were written`() throws {
    let upper = "6F1C0000-0000-8000-8000-000000000001"
    func model(_ name: String, _ keys: String) throws -> String {
      let entries = #""type": "object", "additionalProperties": {"type": "integer"}\#(keys)"#
      return try file(name, #"{"type": "object", "properties": {"a": {\#(entries)}}}"#)
    }
    let old = try model("old.json", "")
    let new = try model("new.json", #", "x-bindery": {"keys": "uuid"}"#)
    let server = try serve(old)
    #expect(try server.client.put("/state/a/\(upper)", "1").status == 201)
    #expect(try server.client.put("/state/a/\(upper.lowercased())", "2").status == 201)
    // Only the new model takes the two keys for the same one.
    let refusal = "/a/\(upper): the key “\(upper)” would become “\(upper.lowercased())” in this model"
    server.kill()
    #expect(try Server.run("check", "--store", store, "--model", new).errors.contains(refusal))
    let corrected = try serve(old)
    #expect(try corrected.client.delete("/state/a/\(upper)").status == 204)
    corrected.kill()
    #expect(try check(new).contains("\(store): added to the model: /a key uuid"))
    let changed = try serve(new)
    #expect(try changed.client.get("/state/a").text == #"{"\#(upper.lowercased())":2}"#)
    #expect(try changed.client.put("/state/a/\(upper)", "3").status == 200)
    changed.kill()
    let back = try serve(old)
    #expect(try back.client.get("/state/a").text == #"{"\#(upper.lowercased())":3}"#)
    back.kill()
  }
}
