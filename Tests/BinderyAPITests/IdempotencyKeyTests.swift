import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// Writes with `Idempotency-Key`: a repetition gets the first result and changes nothing.
struct IdempotencyKeyTests {
  /// A journal that stores nothing by itself: the test takes and finishes the batches.
  private final class ManualJournal: Journal {
    func wake() {}
  }

  private static let soup = #"{"name":"Soup"}"#

  private static func fields(_ key: String, _ others: KeyValuePairs<String, String> = [:]) -> [(String, String)] {
    [("Idempotency-Key", key), ("Content-Type", "application/json")] + others.map { ($0.key, $0.value) }
  }

  private static func request(
    _ method: String, _ path: String, _ body: String?, key: String, _ others: KeyValuePairs<String, String> = [:]
  ) -> Request {
    Request(method, path, fields: fields(key, others), body: body.map { Array($0.utf8) })
  }

  private let loop = MemoryLoop(Store(Menus.fresh))

  private func send(
    _ method: String, _ path: String, _ body: String?, key: String, _ others: KeyValuePairs<String, String> = [:]
  ) throws -> Reply {
    try loop.send(Self.request(method, path, body, key: key, others))
  }

  /// Returns a response without the fields that only a repetition or only its time has.
  private static func comparable(_ reply: Reply) -> [String] {
    let fields = reply.fields.filter { !["Idempotency-Replayed", "Date"].contains($0.name) }
    return ["\(reply.status)", reply.text] + fields.map { "\($0.name): \($0.value)" }
  }

  @Test(arguments: [
    ("POST", "/state/dishes", IdempotencyKeyTests.soup), ("PUT", "/state/time", #""tomorrow""#),
    ("PATCH", "/state/time", #""tomorrow""#), ("PATCH", "/state", #"{"pinnedDish":{"isFavorite":true}}"#),
    ("PUT", "/state/dishes/\(Menus.unknownID)", IdempotencyKeyTests.soup),
    ("DELETE", "/state/dishes/\(Menus.first)", nil), ("DELETE", "/state/pinnedID", nil),
    ("PATCH", "/state/days/2026-11-22", #"{"isSelected":true}"#),
  ])
  func `a repetition gets the first response and changes nothing`(
    _ method: String, _ path: String, _ body: String?
  ) throws {
    let first = try send(method, path, body, key: "key-1")
    #expect(first.changed == true)
    #expect(first["Idempotency-Replayed"] == nil)
    for _ in 0..<2 {
      let repeated = try send(method, path, body, key: "key-1")
      #expect(repeated["Idempotency-Replayed"] == "?1")
      #expect(Self.comparable(repeated) == Self.comparable(first))
      #expect(loop.store.revision == 1)
    }
  }

  @Test func `a repetition gets the first response after others have changed the place`() throws {
    let first = try send("PATCH", "/state/time", #""tomorrow""#, key: "key-1", ["Prefer": "handling=strict"])
    _ = try loop.patch("/state/time", #""tonight""#)
    let repeated = try send("PATCH", "/state/time", #""tomorrow""#, key: "key-1", ["Prefer": "handling=strict"])
    #expect(Self.comparable(repeated) == Self.comparable(first))
    #expect(repeated.text == #""tomorrow""#)
    #expect(repeated.revision == 1)
    #expect(try loop.text("/state/time") == #""tonight""#)
  }

  @Test func `long content is repeated while the place has the same value`() throws {
    let operation = #"{"op":"add","path":"/dishes/-","value":{"name":"\#(String(repeating: "é", count: 100))"}}"#
    let patch = "[" + Array(repeating: operation, count: 10).joined(separator: ",") + "]"
    let request = Request(
      "PATCH", "/state",
      fields: [("Idempotency-Key", "key-1"), ("Content-Type", "application/json-patch+json")],
      body: Array(patch.utf8))
    let first = try loop.send(request)
    #expect(first.status == 200 && first.body.count > 1_024)
    #expect(Self.comparable(try loop.send(request)) == Self.comparable(first))
    _ = try loop.patch("/state/time", #""tomorrow""#)
    let later = try loop.send(request)
    #expect(later.status == 204 && later["Idempotency-Replayed"] == "?1")
    #expect(later.etag == first.etag && later.revision == 1 && later.changed == true)
    #expect(loop.store.revision == 2)
  }

  @Test func `long content of an element that was added is repeated while the element has the same value`() throws {
    let loop = MemoryLoop(Store(Notebook()))
    let text = String(repeating: "x", count: 2_000)
    let element = "/state/notes/a%2F~0b"
    let requests = [("POST", "/state/notes", #""id":"a/~b","#), ("PUT", element, ""), ("PATCH", element, "")]
    for (method, path, id) in requests {
      let request = Self.request(method, path, #"{\#(id)"text":"\#(method)\#(text)"}"#, key: method)
      let first = try loop.send(request)
      #expect(first.body.count > 2_000)
      #expect(Self.comparable(try loop.send(request)) == Self.comparable(first))
      // Other elements do not matter.
      #expect(try loop.put("/state/notes/\(method)", #"{"text":"y"}"#).status == 201)
      #expect(Self.comparable(try loop.send(request)) == Self.comparable(first))
      _ = try loop.patch(first["Location"] ?? path, #"{"text":"z"}"#)
      let later = try loop.send(request)
      #expect(later.text == "" && later["Idempotency-Replayed"] == "?1" && later.etag == first.etag)
    }
  }

  /// A model with long elements.
  private struct Notebook: StateModel {
    struct Note: Editable, Identifiable {
      let id: String
      var text: String
      static let shape = EditableShape<Note>.members(
        Note.init(id:text:), StoredMember("id", id: \.id), StoredMember("text", \.text))
    }

    var notes: Identified<Note> = []
    static let shape = EditableShape<Notebook>.members(Notebook.init(notes:), StoredMember("notes", \.notes))
  }

  @Test func `a key cannot be used for another request`() throws {
    _ = try send("PATCH", "/state/time", #""tomorrow""#, key: "key-1")
    let tag = try #require(try loop.get("/state/time").etag)
    let others = [
      Self.request("PUT", "/state/time", #""tomorrow""#, key: "key-1"),
      Self.request("PATCH", "/state/time?pretty", #""tomorrow""#, key: "key-1"),
      Self.request("PATCH", "/state/pinnedDish/name", #""tomorrow""#, key: "key-1"),
      Self.request("PATCH", "/state/time", #""tonight""#, key: "key-1"),
      Self.request("PATCH", "/state/time", #""tomorrow" "#, key: "key-1"),
      Self.request("PATCH", "/state/time", #""tomorrow""#, key: "key-1", ["If-Match": tag]),
      Self.request("PATCH", "/state/time", #""tomorrow""#, key: "key-1", ["If-None-Match": tag]),
      Self.request("PATCH", "/state/time", #""tomorrow""#, key: "key-1", ["Prefer": "return=minimal"]),
      Request("PATCH", "/state/time", fields: [("Idempotency-Key", "key-1")], body: Array(#""tomorrow""#.utf8)),
    ]
    for other in others {
      let reply = try loop.send(other)
      #expect(reply.outcome == "422 idempotency-key-reused", "\(other)")
      #expect(reply["Idempotency-Replayed"] == nil)
    }
    #expect(loop.store.revision == 1)
    // Fields that do not decide what a write does may differ.
    let traced = try send(
      "PATCH", "/state/time", #""tomorrow""#, key: "key-1", ["User-Agent": "other", "State-Revision": "1"])
    #expect(traced["Idempotency-Replayed"] == "?1")
  }

  @Test(arguments: ["a b", String(repeating: "k", count: 65), "é", ""])
  func `a key has 1 to 64 visible ASCII characters`(key: String) throws {
    let reply = try send("PATCH", "/state/time", #""tomorrow""#, key: key)
    #expect(reply.outcome == "400 malformed-header")
    #expect(reply.string("detail")?.contains("Idempotency-Key") == true)
    #expect(loop.store.revision == 0)
    #expect(try loop.get("/state/time", ["Idempotency-Key": key]).status == 200, "reads ignore it")
  }

  @Test func `a second line of the field is refused`() throws {
    let reply = try send("PATCH", "/state/time", #""tomorrow""#, key: "key-1", ["Idempotency-Key": "key-1"])
    #expect(reply.outcome == "400 malformed-header")
  }

  @Test func `a write that was refused or changed nothing leaves its key unused`() throws {
    #expect(try send("PATCH", "/state/time", "1", key: "key-1").status == 422)
    #expect(try send("PATCH", "/state/time", #""tonight""#, key: "key-1").changed == false)
    #expect(try send("PATCH", "/state/time", #""tomorrow""#, key: "key-1", ["If-Match": #""x""#]).status == 412)
    #expect(try send("DELETE", "/state/dishes/\(Menus.unknownID)", nil, key: "key-1").changed == false)
    let first = try send("PATCH", "/state/time", #""tomorrow""#, key: "key-1")
    #expect(first.changed == true && first["Idempotency-Replayed"] == nil)
  }

  @Test func `simultaneous requests with one key are applied once, and fail together`() throws {
    let store = Store(Menus.fresh, journal: ManualJournal())
    let loop = MemoryLoop(store)
    let request = Self.request("POST", "/state/dishes", Self.soup, key: "key-1")
    var waiting = [loop.begin(request), loop.begin(request)]
    store.finish(try #require(store.takeBatch()), .failure(.full("the disk is full")))
    loop.settle()
    #expect(try waiting.map { try #require($0.reader.reply).status } == [507, 507])

    waiting = [loop.begin(request), loop.begin(request)]
    #expect(waiting.allSatisfy { $0.bytes.isEmpty })
    let batch = try #require(store.takeBatch())
    #expect(batch.drafts.count == 1)
    store.finish(batch, .success(()))
    loop.settle()
    let replies = try waiting.map { try #require($0.reader.reply) }
    #expect(replies.map { $0["Idempotency-Replayed"] } == [nil, "?1"])
    #expect(Self.comparable(replies[0]) == Self.comparable(replies[1]))
    #expect(store.snapshot.root.dishes.count == Menus.fresh.dishes.count + 1)
  }

  @Test(arguments: [true, false])
  func `after an unknown outcome a repetition gets the result if the write was stored`(_ isStored: Bool) throws {
    let store = Store(Menus.fresh, journal: ManualJournal())
    let loop = MemoryLoop(store)
    let request = Self.request("POST", "/state/dishes", Self.soup, key: "key-1")
    let first = loop.begin(request)
    let batch = try #require(store.takeBatch())
    store.finish(batch, .failure(.unknownOutcome("the disk failed", after: 0)))
    loop.settle()
    #expect(first.reader.reply?.outcome == "503 unknown-outcome")
    // A request in the meantime is not stored.
    let early = loop.begin(request)
    if isStored {
      store.adopt(batch, refusing: .unavailable("another commit was stored"))
    } else {
      store.finish(try #require(store.takeBatch()), .failure(.unavailable("not stored")))
    }
    loop.settle()
    #expect(early.reader.reply?.status == 503)
    let repeated = loop.begin(request)
    if !isStored { store.finish(try #require(store.takeBatch()), .success(())) }
    loop.settle()
    let reply = try #require(repeated.reader.reply)
    #expect(reply.status == 201)
    #expect(reply["Idempotency-Replayed"] == (isStored ? "?1" : nil))
    #expect(store.snapshot.root.dishes.count == Menus.fresh.dishes.count + 1)
    #expect(store.takeBatch() == nil)
  }
}
