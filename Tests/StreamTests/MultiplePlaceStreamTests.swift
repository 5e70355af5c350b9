import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyTestKit
import Testing

/// `/events`: a stream of several places, whose events are consistent snapshots.
struct MultiplePlaceStreamTests {
  private let loop = MenuFixture.loop()

  /// Returns the change that an event contains for the current value of a place.
  private func change(_ path: String) throws -> String {
    let reply = try loop.get("/state" + (path == "/" ? "" : path))
    return #"{"path":"\#(path)","value":\#(reply.text),"etag":"\#(try #require(reply.digest))"}"#
  }

  @Test func `the first event has all places in the requested order, also absent ones`() throws {
    let stream = loop.listen("/events?path=/time/custom&path=/time&path=/")
    let events = stream.takeData()
    #expect(events.count == 1)
    let absent = #"{"path":"/time/custom","absent":{"reason":"inactive-case","activeCase":"tonight"},"etag":"-"}"#
    #expect(events[0] == #"{"revision":0,"changes":[\#(absent),\#(try change("/time")),\#(try change("/"))]}"#)
  }

  @Test func `an event has only the places that differ, and their revision`() throws {
    let stream = loop.follow("/events?path=/pinnedDish/name&path=/time&path=/time/custom&path=/favorites")
    loop.commit { $0.time = .custom($0.evening) }
    #expect(
      stream.takeData() == [
        #"{"revision":1,"changes":[\#(try change("/time")),\#(try change("/time/custom"))]}"#
      ])
    loop.commit { $0.time = .tomorrow }
    let absent = #"{"path":"/time/custom","absent":{"reason":"inactive-case","activeCase":"tomorrow"},"etag":"-"}"#
    #expect(stream.takeData() == [#"{"revision":2,"changes":[\#(try change("/time")),\#(absent)]}"#])
    loop.commit { $0.dishes.edit(at: 2) { $0.name = "Panna Cotta" } }
    #expect(stream.take() == [])
  }

  @Test func `a slow subscriber receives the missed changes as one snapshot`() throws {
    let stream = loop.follow("/events?path=/time&path=/selectedDayLabel&path=/favorites")
    loop.pauseReading(stream)
    loop.commit { $0.time = .tomorrow }
    loop.commit { $0.firstDish.isFavorite = true }
    loop.commit { $0.selectedDay = $0.today.advanced(by: 1) }
    loop.commit { $0.firstDish.isFavorite = false }
    loop.resumeReading(stream)
    let changes = [try change("/time"), try change("/selectedDayLabel")].joined(separator: ",")
    #expect(stream.takeData() == [#"{"revision":4,"changes":[\#(changes)]}"#])
  }

  @Test func `one cursor resumes all places`() throws {
    let target = "/events?path=/time&path=/favorites&path=/time/custom"
    let stream = loop.listen(target)
    loop.disconnect(stream)
    #expect(loop.listen(target, lastEventID: stream.lastEventID).take() == [])
    #expect(loop.listen(target + "&last-event-id=" + stream.lastEventID).take() == [])
    loop.commit { $0.firstDish.isFavorite = true }
    #expect(
      loop.listen(target, lastEventID: stream.lastEventID).takeData() == [
        #"{"revision":1,"changes":[\#(try change("/favorites"))]}"#
      ])
    loop.commit { $0.firstDish.isFavorite = false }
    #expect(loop.listen(target, lastEventID: stream.lastEventID).take() == [])
  }

  @Test(arguments: [
    "path=/favorites&path=/time", "path=/time", "path=/time&path=/favorites&path=/days", "path=/time&path=/days",
  ])
  func `the cursor of another list of paths is ignored`(list: String) {
    let stream = loop.listen("/events?path=/time&path=/favorites")
    let count = list.split(separator: "&").count
    let event = loop.listen("/events?\(list)", lastEventID: stream.lastEventID).takeData().first
    #expect(event?.split(separator: "\"path\"").count == count + 1)
  }

  @Test func `a cursor has 128 bits of each place, and a difference in any of them sends the value`() throws {
    let target = "/events?path=/time&path=/favorites"
    let stream = loop.listen(target)
    let cursor = Array(stream.lastEventID.prefix { $0 != "~" })
    #expect(cursor.count == 64, "16 bytes for the list and for each of two places, in base64url")
    for index in cursor.indices {
      var other = cursor
      other[index] = cursor[index] == "A" ? "B" : "A"
      #expect(loop.listen(target, lastEventID: String(other)).take().count == 1, "character \(index)")
    }
  }

  @Test func `a place that is named more than once is sent once`() throws {
    let name = "/dishes/\(MenuFixture.first)/name"
    for target in ["path=/&path=&path=/&path=\(name)", "path=/&path=\(name)&path=\(name)&path="] {
      let stream = loop.listen("/events?" + target)
      #expect(stream.takeData() == [#"{"revision":0,"changes":[\#(try change("/")),\#(try change(name))]}"#])
      loop.disconnect(stream)
      #expect(loop.listen("/events?path=/&path=\(name)", lastEventID: stream.lastEventID).take() == [])
    }
    let repeated = loop.listen("/events?" + Array(repeating: "path=/", count: 64).joined(separator: "&"))
    #expect(repeated.takeData() == [#"{"revision":0,"changes":[\#(try change("/"))]}"#])
  }

  @Test(arguments: ["", "garbage", "-", "AAAA", "AAAAAAAAAAAAAAAAAAAAAA"]) func `an invalid cursor is ignored`(
    cursor: String
  ) {
    #expect(loop.listen("/events?path=/time", lastEventID: cursor).take().count == 1)
  }

  @Test func `an unknown path is rejected with 404 and named in the problem`() throws {
    let reply = try #require(loop.listen("/events?path=/time&path=/nothing/here").reader.reply)
    #expect(reply.outcome == "404 unknown-path")
    #expect(reply.string("pointer") == "/nothing/here")
    for path in ["time", "/time/", "/a~b", "/dishes/x"] {
      #expect(loop.listen("/events?path=\(path)").reader.reply?.outcome == "404 unknown-path")
    }
  }

  @Test func `a query with many combining marks in a row is refused`() throws {
    let marks = String(repeating: "%CC%81%CC%A3", count: 16)
    for query in ["path=/\(marks)", "pa\(marks)th=/"] {
      let reply = try #require(loop.listen("/events?\(query)").reader.reply)
      #expect(reply.outcome == "400 malformed-query")
      #expect(reply.string("detail") == "The query has more than 30 combining marks in a row.")
    }
  }

  @Test func `a stream has at least one and at most 64 paths`() {
    let one = "path=/time&"
    #expect(loop.listen("/events?" + String(repeating: one, count: 64)).reader.head?.status == 200)
    #expect(loop.listen("/events?" + String(repeating: one, count: 65)).reader.reply?.outcome == "400 malformed-query")
    #expect(loop.listen("/events").reader.reply?.outcome == "400 malformed-query")
  }

  @Test func `a path named twice is unsubscribed once per stream`() {
    let stream = loop.follow("/events?path=/time&path=/time")
    let other = loop.follow("/state/time")
    loop.disconnect(stream)
    loop.commit { $0.time = .tomorrow }
    #expect(other.takeData() == ["\"tomorrow\""])
  }

  @Test func `events name a path as the client spelled it`() throws {
    let upper = loop.listen("/events?path=/dishes/\(MenuFixture.first.uppercased())/name")
    let lower = loop.listen("/events?path=/dishes/\(MenuFixture.first)/name")
    #expect(try #require(upper.takeData().first).contains(MenuFixture.first.uppercased()))
    #expect(try #require(lower.takeData().first).contains(MenuFixture.first))
    let paths = [MenuFixture.first, MenuFixture.first.uppercased()].map { "/dishes/\($0)/name" }
    let both = loop.listen("/events?" + paths.map { "path=\($0)" }.joined(separator: "&"))
    func named() throws -> [String?] {
      let event = try JSONDocument(parsing: Array(try #require(both.takeData().first).utf8)).root
      return event["changes"]?.elements.map { $0["path"]?.string } ?? []
    }
    #expect(try named() == paths)
    loop.commit { $0.firstDish.name = "A" }
    #expect(try named() == paths)
    #expect(try #require(upper.takeData().first).contains(MenuFixture.first.uppercased()))
    #expect(try #require(lower.takeData().first).contains(MenuFixture.first))
  }

  @Test func `methods and media types are checked`() throws {
    let put = try loop.put("/events?path=/time", "{}")
    #expect(put.outcome == "405 method-not-allowed")
    #expect(put["Allow"] == "GET, HEAD, POST, OPTIONS")
    #expect(try loop.get("/events?path=/time", ["Accept": "application/json"]).outcome == "406 not-acceptable")
    #expect(try loop.options("/events")["Allow"] == "GET, HEAD, POST, OPTIONS")
    let head = try loop.head("/events?path=/time", ["Accept": "text/event-stream"])
    #expect(head.status == 200)
    #expect(head["Content-Type"] == "text/event-stream")
    #expect(head["Content-Length"] == nil)
  }
}
