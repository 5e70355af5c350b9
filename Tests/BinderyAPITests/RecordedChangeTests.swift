import BinderyCore
import BinderyTestKit
import Testing

/// The revision of a write whose change was recorded during the write, without a comparison of the versions.
struct RecordedChangeTests {
  /// A journal that stores nothing: the test takes and finishes the batches.
  private final class ManualJournal: Journal {
    func wake() {}
  }

  static let writes: [(method: String, target: String, body: String)] = [
    ("PATCH", "/state/count", "4"), ("PUT", "/state/count", "5"), ("PATCH", "/state/count", "5"),
    ("PATCH", "/state/ratio", "0.25"), ("PATCH", "/state/title", #""a/b~\"é\n""#), ("PUT", "/state/title", "\"b\""),
    ("PATCH", "/state/note", "\"n\""), ("PATCH", "/state/note", "null"), ("PATCH", "/state/tags", "[\"x\"]"),
    ("PATCH", "/state/prices/adult", "13"), ("PUT", "/state/prices/a~1b%20", "1"),
    ("PATCH", "/state/prices/a~1b%20", "2"), ("PATCH", "/state/rooms/hall/size", "3"),
    ("PATCH", "/state/rooms/hall", #"{"size":4}"#), ("PATCH", "/state/cell", #"{"number":1}"#),
    ("PATCH", "/state/cell/number", "5"), ("PUT", "/state/cell/point", #"{"x":1,"y":2}"#),
    ("PATCH", "/state/cell/point/x", "7"), ("PUT", "/state/cell/size", #"{"width":2}"#),
    ("PATCH", "/state/cell/size/width", "3"), ("PUT", "/state/cell/word", "\"w\""),
    ("PATCH", "/state/cell/word", "null"),
    ("PUT", "/state/cell/room", #"{"name":"R","size":1,"door":null}"#), ("PATCH", "/state/cell/room/size", "2"),
    ("PUT", "/state/cell/herd", #"[{"id":3,"name":"Cat","legs":4,"nick":null}]"#),
    ("PATCH", "/state/cell/herd/3/legs", "3"), ("PATCH", "/state/animals/10/legs", "3"),
    ("PATCH", "/state/animals/0/name", "\"Bee \u{1F41D}\""), ("PATCH", "/state/animals/0/nick", "\"B2\""),
    ("PUT", "/state/sheet/some", #"{"name":"S","size":1,"door":null}"#), ("PATCH", "/state/sheet/some/size", "2"),
    ("PUT", "/state/maybeCell", #"{"number":1}"#), ("PATCH", "/state/maybeCell/number", "2"),
    ("PUT", "/state/deep/some/some", "1"), ("PATCH", "/state/deep/some/some", "2"), ("PATCH", "/state/doubled", "20"),
    ("DELETE", "/state/animals/0", ""), ("PATCH", "/state", #"{"count":1,"title":"c"}"#),
    ("PATCH", "/state/title", "\"" + String(repeating: "a", count: 2_000) + "\""), ("PATCH", "/state/title", "\"d\""),
  ]

  @Test func `the recorded change equals the result of comparing the versions`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    var count = 0
    for (method, target, body) in Self.writes {
      let exchange = loop.begin(Request(method, target, body: Array(body.utf8)))
      loop.settle()
      if let batch = store.takeBatch() {
        var before = batch.base
        for draft in batch.drafts {
          let recorded = Revision(at: 0, from: before, to: draft, Zoo.shape)
          let computed = Revision(number: draft.revision, at: 0, from: before.root, to: draft.root, Zoo.shape)
          #expect(Self.text(recorded.patch) == Self.text(computed.patch), "\(target)")
          #expect(Self.text(recorded.undo) == Self.text(computed.undo), "\(target)")
          #expect(recorded.number == computed.number)
          #expect(recorded.byteCount == computed.byteCount && recorded.positions == computed.positions)
          #expect((recorded.shown == nil) == (computed.shown == nil))
          before = draft
          count += 1
        }
        store.finish(batch, .success(()))
        loop.settle()
      }
      let reply = try #require(exchange.reader.reply)
      #expect(reply.status < 300, "\(method) \(target): \(reply)")
    }
    #expect(count == Self.writes.count - 1)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
