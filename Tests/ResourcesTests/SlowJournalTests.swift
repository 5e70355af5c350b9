import State
import TestKit
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
}
