import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyTestKit
import Synchronization
import Testing

/// What is answered while a journal has not yet kept what the answer was decided on.
struct SlowJournalTests {
  /// Keeps nothing by itself: the test is the journal's thread.
  private final class Silent: Journal {
    func nudge() {}
  }

  private static func put(_ body: String, ifMatch tag: String? = nil) -> Request {
    Request("PUT", "/state/count", fields: tag.map { [("If-Match", $0)] } ?? [], body: Array(body.utf8))
  }

  @Test func `every answer waits for the head that it was decided on`() throws {
    let store = Store(Zoo(), journal: Silent())
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
  func `what cannot be kept never was`(_ failure: JournalFailure, _ outcome: String) throws {
    let store = Store(Zoo(), journal: Silent())
    let loop = MemoryLoop(store)
    let before = try loop.get("/state")
    let waiting = [loop.begin(Self.put("5")), loop.begin(Self.put("6")), loop.begin(Self.put("5"))]
    store.finish(try #require(store.takeBatch()), .failure(failure))
    loop.settle()
    for exchange in waiting {
      let reply = try #require(exchange.reader.reply)
      #expect(reply.outcome == outcome)
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

  @Test func `an answer to someone who has left is not given to who came after`() throws {
    let store = Store(Zoo(), journal: Silent())
    let loop = MemoryLoop(store)
    let gone = loop.begin(Self.put("5"))
    let batch = try #require(store.takeBatch())
    loop.cut(gone)
    let next = loop.begin(Self.put("6"))
    #expect(next.id.slot == gone.id.slot)
    store.finish(batch, .success(()))
    loop.settle()
    #expect(next.bytes.isEmpty)
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(next.reader.reply?.revision == 2)
  }

  @Test func `an answer to someone who has left is dropped`() throws {
    let store = Store(Zoo(), journal: Silent())
    let loop = MemoryLoop(store)
    let gone = loop.begin(Self.put("5"))
    loop.cut(gone)
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(gone.bytes.isEmpty)
    #expect(try loop.text("/state/count") == "5")
  }

  @Test func `the journal is told once of all that one turn has gathered`() throws {
    let journal = Counting()
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

  @Test func `what could not be kept is not taken for another that bears its number`() throws {
    let store = Store(Zoo(), journal: Silent())
    let loop = MemoryLoop(store)
    let kept = loop.begin(Self.put("5"))
    store.finish(try #require(store.takeBatch()), .success(()))
    let lost = [loop.begin(Self.put("6")), loop.begin(Self.put("7"))]
    store.finish(try #require(store.takeBatch()), .failure(.full("no room")))
    let again = [loop.begin(Self.put("8")), loop.begin(Self.put("9"))]
    store.finish(try #require(store.takeBatch()), .success(()))
    let open = loop.begin(Self.put("10"))
    // All that before the loop looks.
    loop.settle()
    #expect(([kept] + again).map { $0.reader.reply?.revision } == [1, 2, 3])
    #expect(lost.map { $0.reader.reply?.status } == [507, 507])
    #expect(open.bytes.isEmpty)
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(open.reader.reply?.revision == 4)
  }

  @Test func `what is found to be kept after all is another decision`() throws {
    let store = Store(Zoo(), journal: Silent())
    let loop = MemoryLoop(store)
    let unsure = loop.begin(Self.put("6"))
    let batch = try #require(store.takeBatch())
    store.finish(batch, .failure(.unavailable("who knows")))
    let meanwhile = loop.begin(Self.put("7"))
    store.adopt(try #require(batch.drafts.last), refusing: .unavailable("another state"))
    loop.settle()
    #expect([unsure, meanwhile].map { $0.reader.reply?.status } == [503, 503])
    #expect(try loop.text("/state/count") == "6")
  }

  @Test func `a loop is woken by what is kept only while somebody waits`() async throws {
    let journal = Counting()
    let store = Store(Zoo(), journal: journal)
    let loop = MemoryLoop(store)
    let write = Task { try await store.commit { $0.count = 8 } }
    while store.pendingCount == 0 { await Task.yield() }
    store.finish(try #require(store.takeBatch()), .success(()))
    try await write.value
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

  @Test func `writers that have left do not gather without end, and keep nobody from reading`() throws {
    let store = Store(Zoo(), journal: Silent())
    var limits = StreamLimits()
    limits.unanswered = 3
    let loop = MemoryLoop(store, streamLimits: limits)
    for number in 10..<13 { loop.cut(loop.begin(Self.put("\(number)"))) }
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

  /// Counts how often it is told.
  private final class Counting: Journal {
    private let told = Atomic(0)
    var count: Int { told.load(ordering: .relaxed) }
    func nudge() { told.add(1, ordering: .relaxed) }
  }
}
