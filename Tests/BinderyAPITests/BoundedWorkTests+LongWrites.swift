import BinderyCore
import BinderyJSON
import BinderyTestKit
import Testing

/// Long writes are decided without the store's lock: while they work, another commit is made on the same thread, which
/// would wait for itself if the lock were held.
extension BoundedWorkTests {
  struct LongWrite: Sendable, CustomTestStringConvertible {
    let method: String
    let path: String
    /// The JSON around the marks.
    let body: (before: String, after: String)
    /// The state before the write.
    var ledger = Ledger()

    var testDescription: String { "\(method) \(path) \(body.before)…" }

    init(
      _ method: String, _ path: String, _ before: String, _ after: String,
      prepare: (inout Ledger) -> Void = { _ in }
    ) {
      (self.method, self.path, body) = (method, path, (before, after))
      prepare(&ledger)
    }
  }

  static let longWrites = [
    LongWrite("PUT", "/marks", "[", "]"), LongWrite("PATCH", "", "{\"marks\":[", "]}"),
    LongWrite("PUT", "/pages/one", "[", "]"), LongWrite("PUT", "/pages/new", "[", "]"),
    LongWrite("PATCH", "/pages", "{\"one\":[", "]}"), LongWrite("PUT", "/kind/many", "[", "]"),
    LongWrite("PATCH", "/kind", "{\"many\":[", "]}"), LongWrite("PATCH", "/maybe", "[", "]"),
    LongWrite("POST", "/leaves", "{\"id\":\"new\",\"marks\":[", "]}"),
    LongWrite("PUT", "/leaves", "[{\"id\":\"new\",\"marks\":[", "]}]"),
    LongWrite("PUT", "/leaves/first/marks", "[", "]"), LongWrite("PUT", "/leaves/new", "{\"marks\":[", "]}"),
    LongWrite("PUT", "/kind/many", "[", "]") { $0.kind = .none },
    LongWrite("PATCH", "/kind", "{\"many\":[", "]}") { $0.kind = .none },
    LongWrite("PATCH", "/maybe", "[", "]") { $0.maybe = nil }, LongWrite("PUT", "/maybe", "[", "]") { $0.maybe = nil },
    LongWrite(
      "JSON Patch", "", "[{\"op\":\"add\",\"path\":\"/leaves/-\",\"value\":{\"id\":\"new\",\"marks\":[", "]}}]"),
    LongWrite("JSON Patch", "", "[{\"op\":\"replace\",\"path\":\"/marks\",\"value\":[", "]}]"),
  ]

  @Test(arguments: longWrites, [true, false])
  func `a long body is decoded once, without the store's lock`(_ write: LongWrite, isValid: Bool) throws {
    let store = Store(write.ledger)
    let loop = MemoryLoop(store)
    let marks = (0..<1_000).map { "\"\($0)\"" }.joined(separator: ",") + (isValid ? "" : ",1")
    let isPatch = write.method == "JSON Patch"
    Work.reset()
    Work.interrupt(.decoding) { store.post { $0.title = "meanwhile" } }
    let reply = try loop.send(
      isPatch ? "PATCH" : write.method, "/state" + write.path, write.body.before + marks + write.body.after,
      ["Content-Type": isPatch ? "application/json-patch+json" : "application/json"])
    #expect(isValid ? reply.status < 300 : reply.status == 422, "\(reply)")
    #expect(Work.decodings == 1_000)
    #expect(try loop.text("/state/title") == "\"meanwhile\"")
    #expect(try loop.text("/state").contains("\"998\",\"999\"") == isValid)
  }

  @Test(arguments: [1, 2, 3])
  func `a condition on a collection is evaluated without the store's lock, up to three times`(_ times: Int) throws {
    let store = Store(Ledger(marks: 1))
    let loop = MemoryLoop(store)
    let tag = try #require(try loop.get("/state/marks").etag)
    Work.reset()
    Work.interrupt(.encoding, times: times) { store.post { $0.title += "!" } }
    #expect(try loop.put("/state/marks", "[]", ["If-Match": tag]).status == 200)
    #expect(try loop.text("/state/title") == "\"Ledger" + String(repeating: "!", count: times) + "\"")
    // Each attempt evaluates the condition once; only the last one is made under the lock.
    #expect(Work.encodings == times + 1)
  }

  @Test func `a condition that fails because of another commit refuses the write`() throws {
    let store = Store(Ledger(marks: 1))
    let loop = MemoryLoop(store)
    let tag = try #require(try loop.get("/state/marks").etag)
    Work.interrupt(.encoding) { store.post { $0.marks = [] } }
    #expect(try loop.put("/state/marks", "[\"2\"]", ["If-Match": tag]).status == 412)
    #expect(try loop.text("/state/marks") == "[]")
  }

  @Test func `getters on the way to a write run without the store's lock`() throws {
    let store = Store(Ledger())
    let loop = MemoryLoop(store)
    for (method, path, body, type) in [
      ("PUT", "/headline", "\"newer\"", "application/json"),
      ("PATCH", "", "{\"headline\":\"new\"}", "application/json"),
      ("PATCH", "", #"[{"op":"test","path":"/sum","value":6}]"#, "application/json-patch+json"),
    ] {
      Work.reset()
      Work.interrupt(.getter) { store.post { $0.maybe = nil } }
      #expect(try loop.send(method, "/state" + path, body, ["Content-Type": type]).status == 200)
    }
    #expect(try loop.text("/state/title") == "\"new\"" && loop.text("/state/maybe") == "null")
  }

  @Test func `readers and the journal do not wait for a writer`() throws {
    final class ManualJournal: Journal { func wake() {} }
    let store = Store(Ledger(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    let title = Ledger.places.title
    Work.reset()
    // All of this happens while the model settles the write, on the same thread, which would wait for itself if the
    // writer held a lock that readers need.
    Work.interrupt(.settling) {
      #expect((try? MemoryLoop(store).text("/state/title")) == "\"Ledger\"")
      #expect((try? store.read(title)) == "Ledger" && store.pendingCount == 0 && store.takeBatch() == nil)
      store.removeObserver(store.observe {})
    }
    let exchange = loop.begin(Request("PATCH", "/state/title", body: Array("\"new\"".utf8)))
    loop.settle()
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(exchange.reader.reply?.status == 200)
    #expect(try store.read(title) == "new")
  }

  /// A history of one revision.
  private struct OneRevision: History {
    let revision: Revision

    func revisions(
      _ query: HistoryQuery, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void
    ) {
      completion(.success(HistoryPage(revisions: [revision], oldest: revision.number)))
    }
  }

  @Test func `a long revision is reverted without the store's lock`() throws {
    let store = Store(Ledger(), revision: 1)
    func patch(_ marks: Int) -> [UInt8] {
      let marks = (1...marks).map { "\"\($0)\"" }.joined(separator: ",")
      return Array(#"[{"op":"replace","path":"/marks","value":[\#(marks)]}]"#.utf8)
    }
    let revision = Revision(number: 1, at: 0, patch: patch(3), undo: patch(1_000), shown: nil)
    let loop = MemoryLoop(store, history: OneRevision(revision: revision))
    Work.reset()
    Work.interrupt(.decoding) { store.post { $0.title = "meanwhile" } }
    #expect(try loop.post("/history/1/revert", "").status == 200)
    // The three values of the patch are decoded in both attempts, because they are shorter than their key.
    #expect(Work.decodings == 1_006)
    #expect(try loop.text("/state/title") == "\"meanwhile\"")
    #expect(try loop.text("/state/marks").contains("\"1000\""))
  }
}
