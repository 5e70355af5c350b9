import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu
import BinderyTestKit
import Testing

/// `POST /events`: a stream of the places in the body, which also says what the client has of each.
struct PostedStreamTests {
  private let loop = MenuFixture.loop()

  /// Returns the change that an event contains for the current value of a place.
  private func change(_ path: String) throws -> String {
    let reply = try loop.get("/state" + (path == "/" ? "" : path))
    return #"{"path":"\#(path)","value":\#(reply.text),"etag":"\#(try tag(path))"}"#
  }

  private func tag(_ path: String) throws -> String {
    try #require(try loop.get("/state" + (path == "/" ? "" : path)).digest)
  }

  private let absent = #"{"path":"/time/custom","absent":{"reason":"inactive-case","activeCase":"tonight"},"etag":"-"}"#

  @Test func `the first event has all places whose content the client has not named`() throws {
    let stream = loop.post(events: #"[{"path":"/time/custom"},{"path":"/time"},{"path":"/"}]"#)
    let changes = [absent, try change("/time"), try change("/")].joined(separator: ",")
    #expect(stream.takeData() == [#"{"revision":0,"changes":[\#(changes)]}"#])
    #expect(stream.reader.head?["Content-Type"] == "text/event-stream")
  }

  @Test func `what the client has is not sent again, and what it has not is sent at once`() throws {
    let (time, favorites) = (try tag("/time"), try tag("/favorites"))
    let all = loop.post(
      events: #"[{"path":"/time","have":"\#(time)"},{"have":"-","path":"/time/custom"}]"#)
    #expect(all.take() == [])
    let added = loop.post(
      events: #"[{"path":"/time","have":"\#(time)"},{"path":"/time/custom","have":"\#(time)"},{"path":"/favorites"}]"#)
    #expect(added.takeData() == [#"{"revision":0,"changes":[\#(absent),\#(try change("/favorites"))]}"#])
    let known = #"{"path":"/time","have":"\#(time)"}"#
    for entries in [known + #",{"path":"/time"}"#, #"{"path":"/time"},"# + known] {
      #expect(loop.post(events: "[\(entries)]").takeData() == [#"{"revision":0,"changes":[\#(try change("/time"))]}"#])
    }
    loop.commit { $0.time = .tomorrow }
    let changed = #"{"revision":1,"changes":[\#(try change("/time"))]}"#
    #expect(all.takeData() == [changed])
    #expect(added.takeData().first?.hasPrefix(changed.dropLast(2)) == true)
    #expect(loop.post(events: #"[{"path":"/time","have":"\#(time)"}]"#).takeData() == [changed])
    loop.commit { $0.firstDish.isFavorite = true }
    #expect(all.take() == [])
    #expect(favorites != (try tag("/favorites")))
  }

  @Test func `events have no id, and Last-Event-ID is ignored`() throws {
    let other = loop.listen("/events?path=/time")
    let id = try #require(other.take().first).id
    let body = #"[{"path":"/time"}]"#
    let stream = loop.post(events: body, fields: [("Last-Event-ID", id)])
    #expect(stream.take().count == 1)
    #expect(stream.lastEventID == "")
    #expect(!String(decoding: stream.bytes, as: UTF8.self).contains("\nid:"))
  }

  @Test func `a shallow entry has the ETag and the number of elements without the value`() throws {
    let paths = ["/dishes", "/days", "/favorites", "/", "/time", "/pinnedDish"]
    let entries = paths.map { #"{"path":"\#($0)","shallow":true}"# }.joined(separator: ",")
    let stream = loop.post(events: "[\(entries),{\"path\":\"/time/custom\",\"shallow\":true}]")
    let counts = ["/dishes": 4, "/days": 11, "/favorites": try #require(try loop.get("/state/favorites").json?.count)]
    let changes = try paths.map { path in
      let count = counts[path].map { #""count":\#($0),"# } ?? ""
      return #"{"path":"\#(path)",\#(count)"etag":"\#(try tag(path))"}"#
    }
    #expect(stream.takeData() == [#"{"revision":0,"changes":[\#((changes + [absent]).joined(separator: ","))]}"#])
    loop.commit { $0.firstDish.name = "A" }
    #expect(
      stream.takeData() == [
        #"{"revision":1,"changes":[{"path":"/dishes","count":4,"etag":"\#(try tag("/dishes"))"},"#
          + #"{"path":"/","etag":"\#(try tag("/"))"},{"path":"/pinnedDish","etag":"\#(try tag("/pinnedDish"))"}]}"#
      ])
    loop.commit { $0.dishes.remove(at: 3) }
    #expect(stream.takeData().first?.contains(#"{"path":"/dishes","count":3,"#) == true)
    let dishes = #"[{"path":"/dishes","shallow":true,"have":"\#(try tag("/dishes"))"}]"#
    #expect(loop.post(events: dishes).take() == [])
  }

  @Test(arguments: [
    #"[{"path":"/time"},{"path":"/time"}]"#, #"[{"path":"/time","shallow":true},{"path":"/time"}]"#,
    #"[{"path":"/time"},{"path":"/time","shallow":true}]"#, #"[{"path":"/time","shallow":false}]"#,
  ])
  func `a place that is named more than once is sent once, and whole if it was asked for once`(body: String) throws {
    #expect(loop.post(events: body).takeData() == [#"{"revision":0,"changes":[\#(try change("/time"))]}"#])
  }

  @Test func `every spaces the events`() throws {
    let stream = loop.post(events: #"[{"path":"/time"}]"#, query: "?every=1000")
    #expect(stream.take().count == 1)
    loop.commit { $0.time = .tomorrow }
    loop.advance(milliseconds: 999)
    #expect(stream.take() == [])
    loop.advance(milliseconds: 1)
    #expect(stream.take().count == 1)
  }

  /// More combining marks in a row than are compared as text.
  private static let marks = String(repeating: "\u{301}\u{323}", count: 1_000)

  @Test(
    arguments: [
      ("", "400 malformed-json", nil), ("{}", "422 invalid-value", ""), ("[]", "422 invalid-value", ""),
      ("[1]", "422 invalid-value", "/0"), ("[{}]", "422 missing-member", "/0/path"),
      (#"[{"path":"/time"},{"path":1}]"#, "422 invalid-value", "/1/path"),
      (#"[{"path":"/time","have":"\"x\""}]"#, "422 invalid-value", "/0/have"),
      (#"[{"path":"/time","have":null}]"#, "422 invalid-value", "/0/have"),
      (#"[{"path":"/time","shallow":1}]"#, "422 invalid-value", "/0/shallow"),
      (#"[{"path":"/time","path":"/time"}]"#, "422 duplicate-member", "/0/path"),
      (#"[{"path":"/time","known":1}]"#, "422 unknown-member", "/0/known"),
      (#"[{"path":"/time"},{"path":"/nothing/here"}]"#, "404 unknown-path", "/nothing/here"),
      (#"[{"path":"time"}]"#, "404 unknown-path", "time"),
      (#"[{"path":"/\#(marks)"}]"#, "404 unknown-path", "/" + marks),
      (#"[{"path":"\#(marks)"}]"#, "404 unknown-path", marks),
      (#"[{"path":"/time","have":"-\#(marks)"}]"#, "422 invalid-value", "/0/have"),
    ] as [(String, String, String?)])
  func `a malformed body is refused with the place of the mistake`(
    body: String, outcome: String, pointer: String?
  ) throws {
    let reply = try #require(loop.post(events: body).reader.reply)
    #expect(reply.outcome == outcome)
    #expect(reply.string("pointer") == pointer)
  }

  @Test func `a stream has at most 1,000 places`() throws {
    func body(_ count: Int) -> String {
      let entries = (0..<count).map { #"{"path":"/dishes/b10de400-0000-8000-8000-\#(String(100_000_000_000 + $0))"}"# }
      return "[\(entries.joined(separator: ","))]"
    }
    let stream = loop.post(events: body(1_000))
    loop.settle()
    let event = try #require(stream.takeData().first)
    #expect(event.ranges(of: #""absent":{"reason":"no-such-element"},"etag":"-""#).count == 1_000)
    let refused = try #require(loop.post(events: body(1_001)).reader.reply)
    #expect(refused.outcome == "422 invalid-value")
    #expect(refused.string("detail")?.contains("1 to 1000 places") == true)
  }

  @Test func `the query, the media types and the method are checked`() throws {
    let body = #"[{"path":"/time"}]"#
    for query in ["?last-event-id=x", "?path=/time", "?every=x"] {
      #expect(loop.post(events: body, query: query).reader.reply?.outcome == "400 malformed-query")
    }
    let text = loop.post(events: body, fields: [("Content-Type", "text/plain")])
    #expect(text.reader.reply?.outcome == "415 unsupported-media-type")
    let json = loop.begin(
      Request("POST", "/events", fields: [("Accept", "application/json")], body: Array(body.utf8)))
    #expect(json.reader.reply?.outcome == "406 not-acceptable")
    // As curl sends it.
    let curl = loop.begin(
      Request(
        "POST", "/events", fields: [("Accept", "*/*"), ("Content-Type", "application/x-www-form-urlencoded")],
        body: Array(body.utf8)))
    #expect(curl.take().count == 1)
  }

  @Test func `streams that would watch too many places together are refused`() throws {
    var limits = StreamLimits()
    limits.maximumWatchedPlaces = 3
    let loop = MenuFixture.loop(limits)
    let two = #"[{"path":"/time"},{"path":"/favorites"}]"#
    let first = loop.post(events: two)
    #expect(first.take().count == 1)
    let refused = try #require(loop.post(events: two).reader.reply)
    #expect(refused.outcome == "503 unavailable")
    #expect(refused["Retry-After"] != nil)
    // A browser's EventSource would not reconnect after 503.
    let source = loop.listen("/events?path=/time&path=/favorites")
    #expect(source.reader.reply?.status == 200 && source.reader.parser.retryMilliseconds != nil)
    #expect(loop.listen("/state/time").take().count == 1)
    loop.disconnect(first)
    #expect(loop.post(events: two).take().count == 1)
  }

  @Test func `a stopping server refuses the request with 503`() throws {
    loop.responder.willStop()
    let refused = try #require(loop.post(events: #"[{"path":"/time"}]"#).reader.reply)
    #expect(refused.outcome == "503 unavailable")
  }

  @Test func `a value that does not fit is left out, and its ETag leads to it`() throws {
    var limits = StreamLimits()
    limits.maximumSnapshotBytes = 10_000
    let loop = MemoryLoop(Store(Library()), streamLimits: limits)
    let stream = loop.post(events: #"[{"path":"/books"},{"path":"/name"},{"path":"/books","shallow":true}]"#)
    loop.settle()
    let event = try #require(stream.takeData().first)
    let books = try #require(try loop.get("/state/books").digest)
    #expect(event.contains(#"{"path":"/books","etag":"\#(books)","large":true}"#))
    #expect(event.contains(#"{"path":"/name","value":"#))
    let again = loop.post(events: #"[{"path":"/books","have":"\#(books)"}]"#)
    loop.settle()
    #expect(again.take() == [])
  }

  @Test func `a stalled subscriber of many places holds one piece of the event`() throws {
    let library = MemoryLoop(Store(Library(count: 2_000)))
    let paths = (500..<1_500).map { "/books/\($0)" }
    let body = "[\(paths.map { #"{"path":"\#($0)"}"# }.joined(separator: ","))]"
    let stream = library.post(events: body)
    while stream.bytes.count < 60_000, library.turn() {}
    library.pauseReading(stream)
    library.settle()
    #expect(library.unreadBytes > 60_000 && library.unreadBytes < 70_000)
    library.resumeReading(stream)
    library.settle()
    let root = try JSONDocument(parsing: Array(try #require(stream.takeData().first).utf8)).root
    #expect(root["changes"]?.elements.map { $0["path"]?.string } == paths)
    #expect(library.unreadBytes == 0)
  }
}
