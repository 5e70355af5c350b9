import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyTestKit
import Testing

/// Events that are longer than one slice, which are written in pieces.
struct LongEventTests {
  private static let paths = ["", "/books", "/annex", "/titles", "/name"]

  @Test(arguments: paths) func `a long event has the value that GET returns, in every form`(path: String) throws {
    let loop = MemoryLoop(Store(Library()))
    let reply = try loop.get("/state" + path)
    let targets = ["/state\(path)", "/state\(path)?as=patch", "/events?path=/\(path.dropFirst())"]
    let streams = targets.map { loop.listen($0) }
    loop.settle()
    let change = #"{"path":"/\#(path.dropFirst())","value":\#(reply.text),"etag":"\#(try #require(reply.digest))"}"#
    for (stream, data) in zip(streams, [reply.text, reply.text, #"{"revision":0,"changes":[\#(change)]}"#]) {
      let events = stream.takeData()
      #expect(events.count == 1)
      #expect(difference(Array((events.first ?? "").utf8), Array(data.utf8)) == nil)
    }
  }

  @Test func `an event of several places leaves out the values that exceed its limit, and keeps the others`() throws {
    let store = Store(Library(count: 300))
    let paths = ["/name", "/annex", "/books", "/notes", "/titles", "/annex/some/open/shelf%201"]
    let key = DigestKey.random()
    var kept: Set<[String]> = []
    for limit in [3_000, 30_000, 60_000, 100_000, 130_000, 190_000, 370_000] {
      var limits = StreamLimits()
      limits.maximumSnapshotBytes = limit
      let loop = MemoryLoop(store, key: key, streamLimits: limits)
      let stream = loop.listen("/events?" + paths.map { "path=\($0)" }.joined(separator: "&"))
      loop.settle()
      let event = try #require(stream.take().first)
      #expect(event.data.utf8.count + event.id.utf8.count <= limit)
      let root = try JSONDocument(parsing: Array(event.data.utf8)).root
      let changes = Array(try #require(root["changes"]).elements)
      #expect(changes.count == paths.count)
      var present: [String] = []
      for change in changes {
        let path = try #require(change["path"]?.string)
        let reply = try loop.get("/state" + path.replacing(" ", with: "%20"))
        #expect(change["etag"]?.string == reply.digest)
        if let value = change["value"] {
          present.append(path)
          #expect(difference(Array(value.text) + Array("\n".utf8), reply.body) == nil)
          #expect(change["large"] == nil)
        } else {
          #expect(change["large"].map { Array($0.text) } == Array("true".utf8))
          #expect(reply.body.count > 2_000, "\(path) is short and fits")
        }
      }
      kept.insert(present)
    }
    #expect(kept.count > 3)
  }

  @Test func `an event of several places has at most 8 MiB`() throws {
    let loop = MemoryLoop(Store(Library(count: 1_000, bookBytes: 5_000)))
    let stream = loop.listen("/events?path=/books&path=/&path=/name")
    loop.settle()
    let event = try #require(stream.take().first)
    #expect(event.data.utf8.count < 8 * 1024 * 1024)
    #expect(event.data.contains("\"large\":true"))
    loop.store.post { $0.name = "Pergamon" }
    loop.settle()
    let next = try #require(stream.takeData().first)
    #expect(next.contains(#"{"path":"/","value":"#) && !next.contains("large"))
  }

  /// The limit is for the whole event, with its paths and ETags.
  @Test func `a value is sent if it fits after one that does not`() throws {
    let store = Store(Library(count: 600))
    let lengths = [Library.json(store.snapshot.root).count, Library.json(store.snapshot.root.books).count]
    #expect(lengths[1] > 100_000 && lengths[0] > lengths[1] + 1_000)
    for excess in [0, 100, 300] {
      var limits = StreamLimits()
      limits.maximumSnapshotBytes = lengths[0] + excess
      let loop = MemoryLoop(store, streamLimits: limits)
      let stream = loop.listen("/events?path=/&path=/books")
      loop.settle()
      let event = try JSONDocument(parsing: Array(try #require(stream.takeData().first).utf8)).root
      let changes = Array(try #require(event["changes"]).elements)
      #expect(changes.map { $0["value"] != nil } == [false, true], "\(excess)")
    }
  }

  @Test func `a value that is left out is not sent again until it changes`() throws {
    var limits = StreamLimits()
    limits.maximumSnapshotBytes = 10_000
    let loop = MemoryLoop(Store(Library()), streamLimits: limits)
    let target = "/events?path=/books&path=/name"
    let stream = loop.listen(target)
    loop.settle()
    #expect(stream.take().count == 1)
    loop.store.post { $0.name = "Pergamon" }
    loop.settle()
    #expect(stream.takeData().first?.contains("/books") == false)
    let resumed = loop.listen(target, lastEventID: stream.lastEventID)
    loop.settle()
    #expect(resumed.take() == [])
  }

  @Test(arguments: ["/state", "/events?path=/"])
  func `heartbeats and the end of the server do not interrupt a long event`(
    target: String
  ) throws {
    let loop = MemoryLoop(Store(Library()))
    let stream = loop.listen(target)
    while stream.bytes.count < 100_000, loop.turn() {}
    loop.pauseReading(stream)
    loop.advance(milliseconds: 60_000)
    loop.responder.willStop()
    loop.resumeReading(stream)
    loop.settle()
    #expect(stream.reader.isEnded)
    #expect((1_000...3_000).contains(try #require(stream.reader.parser.retryMilliseconds)))
    let data = try #require(stream.takeData().first)
    #expect(throws: Never.self) { _ = try JSONDocument(parsing: Array(data.utf8)) }
  }

  /// Two names with the same digest under a secret whose words are all equal.
  private static let (first, second) = (#"abcdef"ghijkl"mnopqrstuvwxyz"#, #"ghijkl"abcdef"mnopqrstuvwxyz"#)

  @Test func `responses and events that are cached belong to the value, not to its digest`() throws {
    let store = Store(Library(count: 1))
    let loop = MemoryLoop(store, key: DigestKey(secret: [UInt8](repeating: 7, count: 192)))
    store.post { $0.name = Self.first }
    let open = loop.listen("/state/name")
    let before = try loop.get("/state/name")
    #expect(before.json?.string == Self.first)
    store.post { $0.name = Self.second }
    loop.settle()
    let after = try loop.get("/state/name")
    #expect(after.etag == before.etag, "the digests of the test must collide")
    #expect(after.json?.string == Self.second)
    let late = loop.listen("/state/name")
    #expect(late.takeData() == [after.text])
    loop.disconnect(open)
  }
}
