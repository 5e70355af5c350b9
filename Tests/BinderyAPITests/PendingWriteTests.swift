import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyTestKit
import Synchronization
import Testing

/// Responses that wait until the journal has stored the draft that they were decided on.
struct PendingWriteTests {
  /// A journal that stores nothing by itself: the test takes and finishes the batches.
  private final class ManualJournal: Journal {
    func wake() {}
  }

  private static func put(_ body: String, ifMatch tag: String? = nil) -> Request {
    Request("PUT", "/state/count", fields: tag.map { [("If-Match", $0)] } ?? [], body: Array(body.utf8))
  }

  @Test func `every response waits for the draft that it was decided on`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    let tag = try loop.get("/state/count").etag
    let waiting = [
      loop.begin(Self.put("5")),
      loop.begin(Self.put("5")),
      loop.begin(Self.put("6", ifMatch: tag)),
      loop.begin(Self.put("\"x\"")),
      loop.begin(Request("DELETE", "/state/note")),
    ]
    loop.settle()
    #expect(waiting.allSatisfy { $0.bytes.isEmpty })
    let published = try loop.get("/state/count")
    #expect(published.text == "3")
    #expect(published.revision == 0)

    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    let replies = try waiting.map { try #require($0.reader.reply) }
    #expect(replies.map(\.outcome) == ["200", "200", "412 precondition-failed", "422 invalid-value", "204"])
    #expect(replies.map(\.changed) == [true, false, nil, nil, false])
    #expect(replies[0].revision == 1)
    #expect(replies[1].revision == 1)
    #expect(replies[2].member("current") == "5")
    #expect(try loop.text("/state/count") == "5")
  }

  @Test(arguments: [
    (JournalFailure.full("the disk is full"), "507 insufficient-storage"),
    (JournalFailure.unavailable("no connection"), "503 unavailable"),
  ])
  func `a write that cannot be stored changes nothing`(_ failure: JournalFailure, _ outcome: String) throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    let before = try loop.get("/state")
    let waiting = [loop.begin(Self.put("5")), loop.begin(Self.put("6")), loop.begin(Self.put("5"))]
    store.finish(try #require(store.takeBatch()), .failure(failure))
    loop.settle()
    for exchange in waiting {
      let reply = try #require(exchange.reader.reply)
      #expect(reply.outcome == outcome)
      #expect(reply.string("detail")?.hasSuffix("Nothing was changed.") == true)
      #expect(reply["Retry-After"] != nil)
    }
    let after = try loop.get("/state")
    #expect(after.body == before.body)
    #expect(after.etag == before.etag)
    #expect(after.revision == 0)

    let again = loop.begin(Self.put("7"))
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(again.reader.reply?.revision == 1)
  }

  @Test func `a write of unknown outcome is distinguished from one that was never written`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    let first = loop.begin(Self.put("4"))
    store.finish(try #require(store.takeBatch()), .success(()))
    let unsure = loop.begin(Self.put("5"))
    let batch = try #require(store.takeBatch())
    let later = loop.begin(Self.put("6"))
    store.finish(batch, .failure(.unknownOutcome("The disk failed.", after: 1)))
    // The outcome becomes known before the loop runs.
    store.adopt(batch, refusing: .unavailable("another state"))
    loop.settle()
    #expect(first.reader.reply?.status == 200)
    let reply = try #require(unsure.reader.reply)
    #expect(reply.outcome == "503 unknown-outcome")
    #expect(reply.revision == 1)
    #expect(reply.string("detail")?.contains("State-Revision is still 1") == true)
    #expect(later.reader.reply?.outcome == "503 unavailable")
    #expect(later.reader.reply?.string("detail") == "The disk failed. Nothing was changed.")
  }

  @Test func `writes that wait are limited in bytes, and so are the values in their responses`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    var limits = StreamLimits()
    limits.pendingWriteBytes = 1_000
    let loop = MemoryLoop(store, streamLimits: limits)
    func note(_ count: Int, _ fields: [(String, String)] = []) -> MemoryExchange {
      let body = Array("\"\(String(repeating: "x", count: count))\"".utf8)
      return loop.begin(Request("PUT", "/state/note", fields: fields, body: body))
    }
    func finish(_ result: Result<Void, JournalFailure>) throws {
      store.finish(try #require(store.takeBatch()), result)
      loop.settle()
    }
    // A single write of any size is admitted.
    let large = note(5_000)
    #expect(large.reader.reply == nil)
    let refused = try #require(note(1).reader.reply)
    #expect(refused.outcome == "503 unavailable")
    #expect(refused["Retry-After"] != nil)
    #expect(refused.string("detail")?.contains("Nothing was changed") == true)
    try finish(.success(()))
    #expect(large.reader.reply?.status == 200)
    #expect(try loop.get("/state/note").body.count > 5_000)
    // A failure gives the bytes back too, and a client that has gone does not.
    loop.disconnect(note(700))
    #expect(note(700).reader.reply?.status == 503)
    try finish(.failure(.full("no room")))
    let small = note(900)
    // This response waits for the draft and shows the whole state.
    let condition = loop.begin(
      Request("PUT", "/state", fields: [("If-Match", "\"AAAAAAAAAAAAAAAAAAAAAA\"")], body: Array("{}".utf8)))
    #expect(condition.reader.reply == nil)
    #expect(note(1).reader.reply?.status == 503)
    try finish(.success(()))
    #expect(small.reader.reply?.status == 200 && condition.reader.reply?.status == 412)
  }

  @Test func `a response for a closed connection does not go to the next one in its slot`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    let gone = loop.begin(Self.put("5"))
    let batch = try #require(store.takeBatch())
    loop.disconnect(gone)
    let next = loop.begin(Self.put("6"))
    #expect(next.id.slot == gone.id.slot)
    store.finish(batch, .success(()))
    loop.settle()
    #expect(next.bytes.isEmpty)
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(next.reader.reply?.revision == 2)
  }

  @Test func `a response for a closed connection is dropped`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    let gone = loop.begin(Self.put("5"))
    loop.disconnect(gone)
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(gone.bytes.isEmpty)
    #expect(try loop.text("/state/count") == "5")
  }

  @Test func `the journal is woken once per turn`() throws {
    let journal = CountingJournal()
    let store = Store(Zoo(), journal: journal)
    let loop = MemoryLoop(store)
    let waiting = (10..<15).map { loop.begin(Self.put("\($0)")) }
    #expect(journal.count == 0)
    loop.settle()
    #expect(journal.count == 1)
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(waiting.map { $0.reader.reply?.revision } == [1, 2, 3, 4, 5])
    _ = try loop.get("/state/count")
    #expect(journal.count == 1)
  }

  @Test func `a discarded revision is not mistaken for a later one with the same number`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    let stored = loop.begin(Self.put("5"))
    store.finish(try #require(store.takeBatch()), .success(()))
    let lost = [loop.begin(Self.put("6")), loop.begin(Self.put("7"))]
    store.finish(try #require(store.takeBatch()), .failure(.full("no room")))
    let again = [loop.begin(Self.put("8")), loop.begin(Self.put("9"))]
    store.finish(try #require(store.takeBatch()), .success(()))
    let open = loop.begin(Self.put("10"))
    // All of this happens before the loop runs again.
    loop.settle()
    #expect(([stored] + again).map { $0.reader.reply?.revision } == [1, 2, 3])
    #expect(lost.map { $0.reader.reply?.status } == [507, 507])
    #expect(open.bytes.isEmpty)
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(open.reader.reply?.revision == 4)
  }

  @Test func `a draft that is adopted later does not change a response`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    let loop = MemoryLoop(store)
    let unsure = loop.begin(Self.put("6"))
    let batch = try #require(store.takeBatch())
    store.finish(batch, .failure(.unavailable("who knows")))
    let meanwhile = loop.begin(Self.put("7"))
    store.adopt(batch, refusing: .unavailable("another state"))
    loop.settle()
    #expect([unsure, meanwhile].map { $0.reader.reply?.status } == [503, 503])
    #expect(try loop.text("/state/count") == "6")
  }

  @Test func `a batch wakes the loop only while a write waits`() async throws {
    let journal = CountingJournal()
    let store = Store(Zoo(), journal: journal)
    let loop = MemoryLoop(store)
    let write = Task { try await store.commit { $0.count = 8 } }
    try await waitUntil { store.pendingCount > 0 }
    store.finish(try #require(store.takeBatch()), .success(()))
    _ = try await write.value
    #expect(!loop.handle.takeWake())
    let waiting = loop.begin(Self.put("9"))
    for (number, result) in [(10, Result.success(())), (11, .failure(JournalFailure.full("no room")))] {
      _ = loop.begin(Self.put("\(number)"))
      store.finish(try #require(store.takeBatch()), result)
      #expect(loop.turn())
    }
    loop.settle()
    #expect(waiting.reader.reply?.revision == 2)
    #expect(!loop.handle.takeWake())
  }

  @Test func `abandoned writes are limited and do not block reads`() throws {
    let store = Store(Zoo(), journal: ManualJournal())
    var limits = StreamLimits()
    limits.maximumPendingResponses = 3
    let loop = MemoryLoop(store, streamLimits: limits)
    for number in 10..<13 { loop.disconnect(loop.begin(Self.put("\(number)"))) }
    let refused = loop.begin(Self.put("14"))
    #expect(refused.reader.reply?.outcome == "503 unavailable")
    #expect(try loop.text("/state/count") == "3")
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(try loop.text("/state/count") == "12")
    let taken = loop.begin(Self.put("15"))
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(taken.reader.reply?.status == 200)
  }

  /// A journal that counts how often it is woken.
  private final class CountingJournal: Journal {
    private let wakes = Atomic(0)
    var count: Int { wakes.load(ordering: .relaxed) }
    func wake() { wakes.add(1, ordering: .relaxed) }
  }
}
