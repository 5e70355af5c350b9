import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// `?wait=` with `If-None-Match`: the same comparison, once.
struct LongPollTests {
  private let loop = Menus.loop()

  private func poll(_ path: String, _ tag: String?, wait: String = "30") -> MemoryExchange {
    let fields = tag.map { [(name: "If-None-Match", value: $0)] } ?? []
    return loop.begin(Request("GET", "/state\(path)?wait=\(wait)", fields: fields))
  }

  @Test func `it is answered when the value differs`() throws {
    let exchange = poll("/time", try loop.get("/state/time").etag)
    loop.commit { $0.carbonara.name = "A" }
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

  @Test func `it is 404 when the place has gone, and at once when it is not there`() throws {
    let exchange = poll("/dishes/\(Menus.first)", try loop.get("/state/dishes/\(Menus.first)").etag)
    loop.commit { $0.dishes.remove(at: 0) }
    #expect(exchange.reader.reply?.outcome == "404 no-such-element")
    #expect(poll("/dishes/\(Menus.first)", "\"AAAAAAAAAAAAAAAAAAAAAA\"").reader.reply?.outcome == "404 no-such-element")
  }

  @Test func `it is 304 when the time is up, and not before`() throws {
    let exchange = poll("/time", try loop.get("/state/time").etag)
    loop.advance(milliseconds: 29_999)
    #expect(exchange.isOpen)
    loop.advance(milliseconds: 1_000)
    #expect(exchange.reader.reply?.outcome == "304")
  }

  @Test func `it is answered at once where the value differs already or nothing is compared`() throws {
    #expect(poll("/time", "\"AAAAAAAAAAAAAAAAAAAAAA\"").reader.reply?.outcome == "200")
    #expect(poll("/time", nil).reader.reply?.outcome == "200")
    #expect(poll("/time", try loop.get("/state/time").etag, wait: "0").reader.reply?.outcome == "304")
    for wait in ["61", "-1", "x"] {
      #expect(poll("/time", nil, wait: wait).reader.reply?.outcome == "400 malformed-query")
    }
  }

  @Test func `there and back between two looks is not told as a difference`() throws {
    let exchange = poll("/time", try loop.get("/state/time").etag)
    loop.store.post { $0.time = .tomorrow }
    loop.responder.woken()
    loop.store.post { $0.time = .tonight }
    loop.settle()
    // The answer is the value that differed, or the wait goes on: an early 304 would be neither.
    if let reply = exchange.reader.reply { #expect(reply.outcome == "200") }
    loop.commit { $0.time = .tomorrow }
    #expect(exchange.reader.reply?.outcome == "200")
  }

  @Test func `the value of a page and the indented one wait as well`() throws {
    let tag = try #require(try loop.get("/state/dishes").etag)
    let exchange = loop.begin(
      Request("GET", "/state/dishes?limit=1&pretty&wait=5", fields: [(name: "If-None-Match", value: tag)]))
    #expect(exchange.isOpen)
    loop.commit { $0.dishes.remove(at: 0) }
    #expect(exchange.reader.reply?["Link"]?.contains("limit=1") == true)
  }

  @Test func `a stop answers all who wait, and who comes after it is told to come back`() throws {
    let tag = try loop.get("/state/time").etag
    let exchange = poll("/time", tag)
    loop.responder.draining()
    loop.settle()
    #expect(exchange.reader.reply?.outcome == "304")
    let late = poll("/time", tag).reader.reply
    #expect(late?.outcome == "503 unavailable")
    #expect(late?["Retry-After"] != nil)
    #expect(late?["Connection"] == "close")
  }
}
