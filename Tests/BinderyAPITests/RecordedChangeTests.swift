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
    ("PATCH", "/state", #"{"count":2,"title":"e","ratio":1.5,"tags":[],"note":"m"}"#),
    ("PATCH", "/state/animals/10", #"{"name":"Ant","legs":6,"nick":"A"}"#),
    ("POST", "/state/animals", #"{"id":7,"name":"Cow"}"#), ("PATCH", "/state/cell", "\"empty\""),
    ("PATCH", "/state/cell", #"{"point":{"x":1,"y":2}}"#), ("PATCH", "/state/prices", #"{"adult":null,"new":1}"#),
    ("PATCH", "/state/title", "\"" + String(repeating: "a", count: 2_000) + "\""), ("PATCH", "/state/title", "\"d\""),
  ]

  @Test func `the recorded change equals the result of comparing the versions`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    var count = 0
    for (method, target, body) in Self.writes {
      let drafts = try Self.write(Request(method, target, body: Array(body.utf8)), loop, store)
      for (recorded, before, after) in drafts {
        let compared = Revision(at: 0, from: before, to: after, Zoo.shape)
        #expect(recorded == compared)
        count += 1
      }
    }
    #expect(count == Self.writes.count - 1)
  }

  static let patches = [
    // Several places, below each other, and the same one twice.
    """
    [{"op":"replace","path":"/count","value":9},{"op":"replace","path":"/animals/10/legs","value":3},
    {"op":"add","path":"/animals/-","value":{"id":5,"name":"Cow"}},{"op":"replace","path":"/count","value":8}]
    """,
    // An element that is edited and then removed, another one that is edited, and a move.
    """
    [{"op":"replace","path":"/animals/10/name","value":"X"},{"op":"remove","path":"/animals/10"},
    {"op":"replace","path":"/animals/0/nick","value":"N"},{"op":"move","from":"/animals/0","path":"/animals/-"}]
    """,
    // Places that do not exist before or afterwards.
    """
    [{"op":"add","path":"/rooms/attic","value":{"name":"Attic"}},{"op":"replace","path":"/rooms/attic/size","value":4},
    {"op":"remove","path":"/prices/child"},{"op":"add","path":"/cell/point","value":{"x":1,"y":2}},
    {"op":"add","path":"/maybeCell","value":{"number":1}},{"op":"add","path":"/deep","value":{"some":{"some":3}}}]
    """,
    "[" + (0..<20).map { #"{"op":"add","path":"/prices/p\#($0)","value":\#($0)}"# }.joined(separator: ",") + "]",
    #"[{"op":"replace","path":"/doubled","value":40},{"op":"replace","path":"/title","value":"t"}]"#,
  ]

  @Test func `the recorded change of a JSON Patch leads from one version to the other, and back`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    for patch in Self.patches {
      let fields = [("Content-Type", "application/json-patch+json")]
      let request = Request("PATCH", "/state", fields: fields, body: Array(patch.utf8))
      let drafts = try Self.write(request, loop, store)
      #expect(drafts.count == 1, "\(patch)")
      for (recorded, before, after) in drafts {
        var (redone, undone) = (before.root, after.root)
        try Zoo.shape.restore(&redone, StoredPatch(parsing: recorded.patch))
        try Zoo.shape.restore(&undone, StoredPatch(parsing: recorded.undo))
        #expect(Zoo.shape.areSame(redone, after.root) && Zoo.shape.areSame(undone, before.root), "\(patch)")
      }
    }
  }

  @Test func `operations that cancel each other out change nothing`() throws {
    let loop = MemoryLoop(Store(Zoo()))
    let reply = try loop.jsonPatch(
      "/state",
      """
      [{"op":"add","path":"/animals/-","value":{"id":5,"name":"Cow"}},{"op":"replace","path":"/count","value":4},
      {"op":"remove","path":"/animals/5"},{"op":"replace","path":"/count","value":3}]
      """)
    #expect(reply.status == 200 && reply["State-Changed"] == "?0" && reply.revision == 0)
  }

  /// Makes a write, and returns the revision of each draft that it led to, with the versions before and after it.
  private static func write(
    _ request: Request, _ loop: MemoryLoop<Zoo>, _ store: Store<Zoo>
  ) throws -> [(Revision, before: Snapshot<Zoo>, after: Snapshot<Zoo>)] {
    let exchange = loop.begin(request)
    loop.settle()
    var drafts: [(Revision, before: Snapshot<Zoo>, after: Snapshot<Zoo>)] = []
    if let batch = store.takeBatch() {
      for (index, draft) in batch.drafts.enumerated() {
        #expect(batch.changes[index] != nil)
        let before = index == 0 ? batch.base : batch.drafts[index - 1]
        drafts.append((batch.revision(index, at: 0, of: Zoo.shape), before, draft))
      }
      store.finish(batch, .success(()))
      loop.settle()
    }
    let reply = try #require(exchange.reader.reply)
    #expect(reply.status < 300, "\(request): \(reply)")
    return drafts
  }
}
