import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// Long polls: `?wait=` with `If-None-Match`.
struct LongPollTests {
  private let loop = MenuFixture.loop()

  private func poll(_ path: String, _ tag: String?, wait: String = "30") -> MemoryExchange {
    let fields = tag.map { [(name: "If-None-Match", value: $0)] } ?? []
    return loop.begin(Request("GET", "/state\(path)?wait=\(wait)", fields: fields))
  }

  @Test func `a long poll gets its response when the value differs`() throws {
    let exchange = poll("/time", try loop.get("/state/time").etag)
    loop.commit { $0.firstDish.name = "A" }
    loop.advance(milliseconds: 10_000)
    #expect(exchange.isOpen)
    #expect(exchange.bytes.isEmpty)
    loop.commit { $0.time = .tomorrow }
    let reply = try #require(exchange.reader.reply)
    #expect(reply.outcome == "200")
    #expect(reply.text == "\"tomorrow\"")
    #expect(reply.etag == (try loop.get("/state/time").etag))
    #expect(reply.revision == 2)
  }

  @Test func `a long poll of a removed or missing place gets 404`() throws {
    let exchange = poll("/dishes/\(MenuFixture.first)", try loop.get("/state/dishes/\(MenuFixture.first)").etag)
    loop.commit { $0.dishes.remove(at: 0) }
    #expect(exchange.reader.reply?.outcome == "404 no-such-element")
    #expect(
      poll("/dishes/\(MenuFixture.first)", "\"AAAAAAAAAAAAAAAAAAAAAA\"").reader.reply?.outcome == "404 no-such-element")
  }

  @Test func `a long poll gets 304 when its time has expired, and not before`() throws {
    let exchange = poll("/time", try loop.get("/state/time").etag)
    loop.advance(milliseconds: 29_999)
    #expect(exchange.isOpen)
    loop.advance(milliseconds: 1_000)
    #expect(exchange.reader.reply?.outcome == "304")
  }

  @Test func `a request gets its response at once if the value already differs or it has no condition`() throws {
    #expect(poll("/time", "\"AAAAAAAAAAAAAAAAAAAAAA\"").reader.reply?.outcome == "200")
    #expect(poll("/time", nil).reader.reply?.outcome == "200")
    #expect(poll("/time", try loop.get("/state/time").etag, wait: "0").reader.reply?.outcome == "304")
    for wait in ["61", "-1", "x"] {
      #expect(poll("/time", nil, wait: wait).reader.reply?.outcome == "400 malformed-query")
    }
  }

  @Test func `a long poll waits with If-Match, and ends when the condition is false`() throws {
    let place = "/dishes/\(MenuFixture.first)"
    let tag = try #require(try loop.get("/state" + place).etag)
    func poll(_ match: String) -> MemoryExchange {
      loop.begin(Request("GET", "/state\(place)?wait=30", fields: [("If-None-Match", tag), ("If-Match", match)]))
    }
    #expect(poll("\"AAAAAAAAAAAAAAAAAAAAAA\"").reader.reply?.outcome == "412 precondition-failed")
    let (any, same) = (poll("*"), poll(tag))
    #expect(any.isOpen && same.isOpen)
    loop.commit { $0.dishes.edit(at: 0) { $0.name = "A" } }
    #expect(any.reader.reply?.outcome == "200")
    #expect(same.reader.reply?.outcome == "412 precondition-failed")
  }

  @Test func `a value that changes back does not end a long poll with 304`() throws {
    let exchange = poll("/time", try loop.get("/state/time").etag)
    loop.store.post { $0.time = .tomorrow }
    loop.responder.didReceiveWake()
    loop.store.post { $0.time = .tonight }
    loop.settle()
    // Either the response has the value that differed, or the long poll continues. An early 304 would be wrong.
    if let reply = exchange.reader.reply { #expect(reply.outcome == "200") }
    loop.commit { $0.time = .tomorrow }
    #expect(exchange.reader.reply?.outcome == "200")
  }

  @Test func `a long poll can ask for a page and for indented JSON`() throws {
    let tag = try #require(try loop.get("/state/dishes").etag)
    let exchange = loop.begin(
      Request("GET", "/state/dishes?limit=1&pretty&wait=5", fields: [(name: "If-None-Match", value: tag)]))
    #expect(exchange.isOpen)
    loop.commit { $0.dishes.remove(at: 0) }
    #expect(exchange.reader.reply?["Link"]?.contains("limit=1") == true)
  }

  @Test func `a stopping server responds to all long polls and rejects new ones with Retry-After`() throws {
    let tag = try loop.get("/state/time").etag
    let exchange = poll("/time", tag)
    loop.responder.willStop()
    loop.settle()
    #expect(exchange.reader.reply?.outcome == "304")
    let late = poll("/time", tag).reader.reply
    #expect(late?.outcome == "503 unavailable")
    #expect(late?["Retry-After"] != nil)
    #expect(late?["Connection"] == "close")
  }
}
