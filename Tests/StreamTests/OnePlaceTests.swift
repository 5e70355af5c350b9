import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// A stream of one place: its head, its first event, its ids, its absences.
struct OnePlaceTests {
  private let loop = Menus.loop()

  @Test func `the head goes out at once and forbids caches and buffers to hold events back`() throws {
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

  @Test func `each connection is told another time to come back after, 2 seconds and a fifth more or less`() throws {
    var times: Set<Int> = []
    for _ in 0..<100 {
      let stream = loop.listen("/state/time")
      times.insert(try #require(stream.reader.parser.retryMilliseconds))
      loop.cut(stream)
    }
    #expect(times.allSatisfy { (1_600...2_400).contains($0) })
    #expect(times.count > 20)
    #expect(try #require(times.max()) - times.min()! > 400)
  }

  @Test(arguments: [
    "", "/time", "/dishes", "/dishes/\(Menus.first)", "/dishes/\(Menus.first)/status/inStock/quantity", "/pinnedID",
    "/pinnedDish/name", "/editing", "/days", "/days/2026-11-22/isSelected", "/customTimeOrDefault", "/lastCustomTime",
  ]) func `the first event is what GET gives, and its id is the ETag`(path: String) throws {
    let got = try loop.get("/state" + path)
    let event = try #require(loop.listen("/state" + path).take().first)
    #expect(event == ServerSentEvent("message", got.text, id: try #require(got.digest)))
  }

  @Test func `an event has no name where there is a value and its data is bare JSON`() {
    let stream = loop.listen("/state/time")
    let frames = String(decoding: stream.bytes, as: UTF8.self)
    #expect(frames.contains("\r\nretry: "))
    #expect(frames.contains("\ndata: \"tonight\"\n\n"))
    #expect(!frames.contains("event:"))
  }

  @Test(arguments: [
    ("/dishes/\(Menus.nobody)", #"{"reason":"no-such-element"}"#),
    ("/dishes/\(Menus.nobody)/name", #"{"reason":"no-such-element"}"#),
    ("/dishes/\(Menus.first)/status/outOfStock", #"{"reason":"inactive-case","activeCase":"inStock"}"#),
    ("/dishes/\(Menus.first)/status/outOfStock/isOnBackOrder", #"{"reason":"inactive-case","activeCase":"inStock"}"#),
    ("/time/custom", #"{"reason":"inactive-case","activeCase":"tonight"}"#),
    ("/editing/some", #"{"reason":"nil-optional"}"#), ("/editing/some/name", #"{"reason":"nil-optional"}"#),
    ("/days/2026-11-20", #"{"reason":"no-such-element"}"#),
  ]) func `a stream opened on an absent place says so at once`(path: String, reason: String) throws {
    #expect(loop.listen("/state" + path).take() == [ServerSentEvent("absent", reason, id: "-")])
    let got = try loop.get("/state" + path)
    #expect(got.status == 404)
    #expect(reason.contains(try #require(got.problem)))
  }

  @Test func `a place that goes is absent and one that comes has its value again`() throws {
    let stream = loop.follow("/state/dishes/\(Menus.first)/status/inStock/quantity")
    loop.commit { $0.carbonara.status = .outOfStock(isOnBackOrder: true) }
    #expect(
      stream.take() == [ServerSentEvent("absent", #"{"reason":"inactive-case","activeCase":"outOfStock"}"#, id: "-")])
    loop.commit { $0.carbonara.status = .inStock(quantity: 1) }
    #expect(stream.takeData() == ["1"])
    let dish = loop.store.snapshot.root.carbonara
    loop.commit { $0.dishes.remove(id: dish.id) }
    #expect(stream.take() == [ServerSentEvent("absent", #"{"reason":"no-such-element"}"#, id: "-")])
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

  @Test func `another reason alone makes no event but whoever comes new is told the right one`() {
    let path = "/state/dishes/\(Menus.first)/status/outOfStock/isOnBackOrder"
    let stream = loop.follow(path)
    loop.commit { $0.dishes.remove(at: 0) }
    #expect(stream.take() == [])
    #expect(loop.listen(path).takeData() == [#"{"reason":"no-such-element"}"#])
    let time = loop.follow("/state/time/custom")
    loop.commit { $0.time = .tomorrow }
    #expect(time.take() == [])
    #expect(loop.listen("/state/time/custom").takeData() == [#"{"reason":"inactive-case","activeCase":"tomorrow"}"#])
  }

  @Test func `a path that the types do not know is 404, stream or not`() {
    for path in ["/state/nothing", "/state/time/tonight", "/state/dishes/0", "/state/dishes/"] {
      #expect(loop.listen(path).reader.reply?.outcome == "404 unknown-path")
    }
  }

  @Test func `HEAD tells what a stream would begin with, and holds no stream open`() throws {
    let reply = try loop.head("/state/time", ["Accept": "text/event-stream"])
    #expect(reply.status == 200)
    #expect(reply["Content-Type"] == "text/event-stream")
    // The length of a stream is not known, and 0 would be wrong (RFC 9110 §8.6).
    #expect(reply["Content-Length"] == nil)
    #expect(reply.body.isEmpty)
  }

  @Test func `who accepts JSON as well and does not prefer events gets JSON`() throws {
    #expect(try loop.get("/state/time", ["Accept": "*/*"])["Content-Type"] == "application/json")
    #expect(
      try loop.get("/state/time", ["Accept": "application/json, text/event-stream;q=0.5"])["Content-Type"]
        == "application/json")
    #expect(try loop.get("/state/time", ["Accept": "text/html"]).outcome == "406 not-acceptable")
  }

  @Test func `both spellings of an id are one place, and neither hides it from the other`() {
    let upper = loop.follow("/state/dishes/\(Menus.first.uppercased())/name")
    let lower = loop.follow("/state/dishes/\(Menus.first)/name")
    loop.commit { $0.carbonara.name = "A" }
    #expect(upper.takeData() == [#""A""#])
    #expect(lower.takeData() == [#""A""#])
    loop.cut(lower)
    loop.commit { $0.carbonara.name = "B" }
    #expect(upper.takeData() == [#""B""#])
  }

  @Test func `a stream of HTTP 1.0 ends with its connection and is not chunked`() throws {
    let live = try LiveService(Menus.fresh)
    defer { live.stop() }
    let bytes = try RawExchange.firstBytes(
      live.address, "GET /state/time HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n", until: "\"tonight\"\n\n")
    #expect(bytes.contains("Connection: close\r\n"))
    #expect(!bytes.contains("Transfer-Encoding"))
    #expect(bytes.hasSuffix("data: \"tonight\"\n\n"))
  }
}
