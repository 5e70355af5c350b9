import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// A stream of one place: its response head, first event, ids and absences.
struct SinglePlaceStreamTests {
  private let loop = MenuFixture.loop()

  @Test func `the response head is sent at once and disables caching and buffering`() throws {
    let stream = loop.listen("/state/time")
    let head = try #require(stream.reader.head)
    #expect(head.status == 200)
    #expect(head["Content-Type"] == "text/event-stream")
    #expect(head["Cache-Control"] == "no-store")
    #expect(head["X-Accel-Buffering"] == "no")
    #expect(head["Vary"] == "Accept")
    #expect(head["Content-Length"] == nil)
    #expect(!stream.reader.isEnded)
  }

  @Test func `each connection has its own random retry time of 2 seconds ± 20 %`() throws {
    var times: Set<Int> = []
    for _ in 0..<100 {
      let stream = loop.listen("/state/time")
      times.insert(try #require(stream.reader.parser.retryMilliseconds))
      loop.disconnect(stream)
    }
    #expect(times.allSatisfy { (1_600...2_400).contains($0) })
    #expect(times.count > 20)
    #expect(try #require(times.max()) - times.min()! > 400)
  }

  @Test(arguments: [
    "", "/time", "/dishes", "/dishes/\(MenuFixture.first)", "/dishes/\(MenuFixture.first)/status/inStock/quantity",
    "/pinnedID",
    "/pinnedDish/name", "/editing", "/days", "/days/2026-11-22/isSelected", "/customTimeOrDefault", "/lastCustomTime",
  ]) func `the first event equals the GET response, and its id begins with the ETag`(path: String) throws {
    let reply = try loop.get("/state" + path)
    let event = try #require(loop.listen("/state" + path).take().first)
    #expect(event == ServerSentEvent("message", reply.text, id: loop.id(try #require(reply.digest))))
  }

  @Test func `an event with a value has no type and its data is plain JSON`() {
    let stream = loop.listen("/state/time")
    let frames = String(decoding: stream.bytes, as: UTF8.self)
    #expect(frames.contains("\r\nretry: "))
    #expect(frames.contains("\ndata: \"tonight\"\n\n"))
    #expect(!frames.contains("event:"))
  }

  @Test(arguments: [
    ("/dishes/\(MenuFixture.unknownID)", #"{"reason":"no-such-element"}"#),
    ("/dishes/\(MenuFixture.unknownID)/name", #"{"reason":"no-such-element"}"#),
    ("/dishes/\(MenuFixture.first)/status/outOfStock", #"{"reason":"inactive-case","activeCase":"inStock"}"#),
    (
      "/dishes/\(MenuFixture.first)/status/outOfStock/isOnBackOrder",
      #"{"reason":"inactive-case","activeCase":"inStock"}"#
    ),
    ("/time/custom", #"{"reason":"inactive-case","activeCase":"tonight"}"#),
    ("/editing/some", #"{"reason":"nil-optional"}"#), ("/editing/some/name", #"{"reason":"nil-optional"}"#),
    ("/days/2026-11-20", #"{"reason":"no-such-element"}"#),
  ]) func `a stream of an absent place begins with an absent event`(path: String, reason: String) throws {
    #expect(loop.listen("/state" + path).take() == [ServerSentEvent("absent", reason, id: loop.id("-"))])
    let reply = try loop.get("/state" + path)
    #expect(reply.status == 404)
    #expect(reason.contains(try #require(reply.problem)))
  }

  @Test func `a removed place sends an absent event, and a restored one its value`() throws {
    let stream = loop.follow("/state/dishes/\(MenuFixture.first)/status/inStock/quantity")
    loop.commit { $0.firstDish.status = .outOfStock(isOnBackOrder: true) }
    #expect(
      stream.take() == [
        ServerSentEvent("absent", #"{"reason":"inactive-case","activeCase":"outOfStock"}"#, id: loop.id("-"))
      ])
    loop.commit { $0.firstDish.status = .inStock(quantity: 1) }
    #expect(stream.takeData() == ["1"])
    let dish = loop.store.snapshot.root.firstDish
    loop.commit { $0.dishes.remove(id: dish.id) }
    #expect(stream.take() == [ServerSentEvent("absent", #"{"reason":"no-such-element"}"#, id: loop.id("-"))])
    loop.commit { _ = try? $0.dishes.append(dish) }
    #expect(stream.takeData() == ["1"])
  }

  @Test func `absent is not null`() {
    let (sheet, inside) = (loop.follow("/state/editing"), loop.follow("/state/editing/some"))
    loop.commit { $0.editing = .some(.none) }
    #expect(sheet.take().map(\.type) == ["message"])
    let event = inside.take()
    #expect(event.map(\.type) == ["message"])
    #expect(event.map(\.data) == ["null"])
    loop.commit { $0.editing = .none }
    #expect(sheet.takeData() == ["null"])
    #expect(inside.take().map(\.type) == ["absent"])
  }

  @Test func `a changed reason alone sends no event, but a new subscriber receives the current reason`() {
    let path = "/state/dishes/\(MenuFixture.first)/status/outOfStock/isOnBackOrder"
    let stream = loop.follow(path)
    loop.commit { $0.dishes.remove(at: 0) }
    #expect(stream.take() == [])
    #expect(loop.listen(path).takeData() == [#"{"reason":"no-such-element"}"#])
    let time = loop.follow("/state/time/custom")
    loop.commit { $0.time = .tomorrow }
    #expect(time.take() == [])
    #expect(loop.listen("/state/time/custom").takeData() == [#"{"reason":"inactive-case","activeCase":"tomorrow"}"#])
  }

  @Test func `a stream of an unknown path is rejected with 404`() {
    for path in ["/state/nothing", "/state/time/tonight", "/state/dishes/0", "/state/dishes/"] {
      #expect(loop.listen(path).reader.reply?.outcome == "404 unknown-path")
    }
  }

  @Test func `HEAD returns the head of a stream and opens no stream`() throws {
    let reply = try loop.head("/state/time", ["Accept": "text/event-stream"])
    #expect(reply.status == 200)
    #expect(reply["Content-Type"] == "text/event-stream")
    // The length of a stream is unknown, so Content-Length must be absent; 0 would be wrong (RFC 9110 §8.6).
    #expect(reply["Content-Length"] == nil)
    #expect(reply.body.isEmpty)
  }

  @Test func `JSON is sent unless events are preferred`() throws {
    #expect(try loop.get("/state/time", ["Accept": "*/*"])["Content-Type"] == "application/json")
    #expect(
      try loop.get("/state/time", ["Accept": "application/json, text/event-stream;q=0.5"])["Content-Type"]
        == "application/json")
    #expect(
      try loop.get("/state/time", ["Accept": "application/*;q=0.5, text/event-stream;q=0.4"])["Content-Type"]
        == "application/json")
    #expect(try loop.get("/state/time", ["Accept": ""])["Content-Type"] == "application/json")
    #expect(try loop.get("/state/time", ["Accept": "text/html"]).outcome == "406 not-acceptable")
    for accept in ["text/event-stream;q=0", "*/*;q=0", "*/*, text/event-stream;q=0", "application/json"] {
      #expect(try loop.get("/events?path=/time", ["Accept": accept]).outcome == "406 not-acceptable")
    }
  }

  @Test func `two spellings of an id share one place and are independent subscriptions`() {
    let upper = loop.follow("/state/dishes/\(MenuFixture.first.uppercased())/name")
    let lower = loop.follow("/state/dishes/\(MenuFixture.first)/name")
    loop.commit { $0.firstDish.name = "A" }
    #expect(upper.takeData() == [#""A""#])
    #expect(lower.takeData() == [#""A""#])
    loop.disconnect(lower)
    loop.commit { $0.firstDish.name = "B" }
    #expect(upper.takeData() == [#""B""#])
  }

  @Test func `an HTTP 1.0 stream is not chunked and ends with its connection`() throws {
    let live = try LiveService(MenuFixture.initial)
    defer { live.stop() }
    let bytes = try RawExchange.firstBytes(
      live.address, "GET /state/time HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n", until: "\"tonight\"\n\n")
    #expect(bytes.contains("Connection: close\r\n"))
    #expect(!bytes.contains("Transfer-Encoding"))
    #expect(bytes.hasSuffix("data: \"tonight\"\n\n"))
  }
}
