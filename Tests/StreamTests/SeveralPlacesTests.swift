import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyTestKit
import Testing

/// `/events`: several places on one stream, each event a snapshot.
struct SeveralPlacesTests {
  private let loop = Menus.loop()

  @Test func `the first event holds all places in their order, present or not`() {
    let stream = loop.listen("/events?path=/time/custom&path=/time&path=/")
    let events = stream.takeData()
    #expect(events.count == 1)
    let absent = #"{"path":"/time/custom","absent":{"reason":"inactive-case","activeCase":"tonight"}}"#
    let start =
      #"{"revision":0,"changes":[\#(absent),{"path":"/time","value":"tonight"},{"path":"/","value":{"dishes":["#
    #expect(events[0].hasPrefix(start))
  }

  @Test func `an event holds what differs and nothing else, at its revision`() {
    let stream = loop.follow("/events?path=/pinnedDish/name&path=/time&path=/time/custom&path=/favorites")
    loop.commit { $0.time = .custom($0.evening) }
    let date = "\"2026-11-21T19:00:00.000Z\""
    #expect(
      stream.takeData() == [
        #"{"revision":1,"changes":[{"path":"/time","value":{"custom":\#(date)}},"#
          + #"{"path":"/time/custom","value":\#(date)}]}"#
      ])
    loop.commit { $0.time = .tomorrow }
    let absent = #"{"path":"/time/custom","absent":{"reason":"inactive-case","activeCase":"tomorrow"}}"#
    #expect(stream.takeData() == [#"{"revision":2,"changes":[{"path":"/time","value":"tomorrow"},\#(absent)]}"#])
    loop.commit { $0.dishes.edit(at: 2) { $0.name = "Panna Cotta" } }
    #expect(stream.take() == [])
  }

  @Test func `what a slow reader missed comes as one snapshot`() throws {
    let stream = loop.follow("/events?path=/time&path=/selectedDayLabel&path=/favorites")
    loop.stall(stream)
    loop.commit { $0.time = .tomorrow }
    loop.commit { $0.carbonara.isFavorite = true }
    loop.commit { $0.selectedDay = $0.today.advanced(by: 1) }
    loop.commit { $0.carbonara.isFavorite = false }
    loop.flow(stream)
    let changes = #"{"path":"/time","value":"tomorrow"},{"path":"/selectedDayLabel","value":"Tomorrow"}"#
    #expect(stream.takeData() == [#"{"revision":4,"changes":[\#(changes)]}"#])
  }

  @Test func `one cursor resumes all places exactly`() {
    let target = "/events?path=/time&path=/favorites&path=/time/custom"
    let stream = loop.listen(target)
    loop.cut(stream)
    #expect(loop.listen(target, lastEventID: stream.lastEventID).take() == [])
    #expect(loop.listen(target + "&last-event-id=" + stream.lastEventID).take() == [])
    loop.commit { $0.carbonara.isFavorite = true }
    #expect(
      loop.listen(target, lastEventID: stream.lastEventID).takeData() == [
        #"{"revision":1,"changes":[{"path":"/favorites","value":["\#(Menus.first)"]}]}"#
      ])
    loop.commit { $0.carbonara.isFavorite = false }
    #expect(loop.listen(target, lastEventID: stream.lastEventID).take() == [])
  }

  @Test(arguments: [
    "path=/favorites&path=/time", "path=/time", "path=/time&path=/favorites&path=/days", "path=/time&path=/days",
  ])
  func `the cursor of another list counts as none`(list: String) {
    let stream = loop.listen("/events?path=/time&path=/favorites")
    let count = list.split(separator: "&").count
    let event = loop.listen("/events?\(list)", lastEventID: stream.lastEventID).takeData().first
    #expect(event?.split(separator: "\"path\"").count == count + 1)
  }

  @Test(arguments: ["", "garbage", "-", "AAAA", "AAAAAAAAAAAAAAAAAAAAAA"]) func `a cursor that is none counts as none`(
    cursor: String
  ) {
    #expect(loop.listen("/events?path=/time", lastEventID: cursor).take().count == 1)
  }

  @Test func `an unknown path is 404 and named`() throws {
    let reply = try #require(loop.listen("/events?path=/time&path=/nothing/here").reader.reply)
    #expect(reply.outcome == "404 unknown-path")
    #expect(reply.string("pointer") == "/nothing/here")
    for path in ["time", "/time/", "/a~b", "/dishes/x"] {
      #expect(loop.listen("/events?path=\(path)").reader.reply?.outcome == "404 unknown-path")
    }
  }

  @Test func `a stream carries 64 paths and no more, and at least one`() {
    let one = "path=/time&"
    #expect(loop.listen("/events?" + String(repeating: one, count: 64)).reader.head?.status == 200)
    #expect(loop.listen("/events?" + String(repeating: one, count: 65)).reader.reply?.outcome == "400 malformed-query")
    #expect(loop.listen("/events").reader.reply?.outcome == "400 malformed-query")
  }

  @Test func `a path named twice is told twice and forgotten once`() {
    let stream = loop.follow("/events?path=/time&path=/time")
    let other = loop.follow("/state/time")
    loop.cut(stream)
    loop.commit { $0.time = .tomorrow }
    #expect(other.takeData() == ["\"tomorrow\""])
  }

  @Test func `a path is called as its peer calls it`() throws {
    let upper = loop.listen("/events?path=/dishes/\(Menus.first.uppercased())/name")
    let lower = loop.listen("/events?path=/dishes/\(Menus.first)/name")
    #expect(try #require(upper.takeData().first).contains(Menus.first.uppercased()))
    #expect(try #require(lower.takeData().first).contains(Menus.first))
    loop.commit { $0.carbonara.name = "A" }
    #expect(try #require(upper.takeData().first).contains(Menus.first.uppercased()))
    #expect(try #require(lower.takeData().first).contains(Menus.first))
  }

  @Test func `methods and forms are checked as anywhere`() throws {
    let post = try loop.post("/events?path=/time", "{}")
    #expect(post.outcome == "405 method-not-allowed")
    #expect(post["Allow"] == "GET, HEAD, OPTIONS")
    #expect(try loop.get("/events?path=/time", ["Accept": "application/json"]).outcome == "406 not-acceptable")
    #expect(try loop.options("/events")["Allow"] == "GET, HEAD, OPTIONS")
    let head = try loop.head("/events?path=/time", ["Accept": "text/event-stream"])
    #expect(head.status == 200)
    #expect(head["Content-Type"] == "text/event-stream")
    #expect(head["Content-Length"] == nil)
  }
}
