import BinderyAPI
import BinderyCore
import BinderyJournal
import BinderyMenu
import BinderySQLite
import BinderyTelemetry
import BinderyTestKit
import Testing

/// The metrics of `/metrics`, compared with the requests that were sent.
struct MetricsTests {
  @Test func `requests are counted by method, route and status`() throws {
    let menu = try ObservedMenu()
    defer { menu.stop() }
    let client = try menu.client()
    for _ in 0..<3 { #expect(try client.get("/state/time").status == 200) }
    let tag = try #require(try client.get("/state/time").etag)
    for _ in 0..<2 { #expect(try client.get("/state/time", ["If-None-Match": tag]).status == 304) }
    for id in ObservedMenu.dishes { #expect(try client.get("/state/dishes/\(id)/name").status == 200) }
    #expect(try client.get("/state/dishes/b10de400-0000-8000-8000-0000000000ff").status == 404)
    #expect(try client.get("/state/nothing").status == 404)
    #expect(try client.get("/nothing").status == 404)
    #expect(try client.head("/livez").status == 200)
    #expect(try client.get("/problems/gone").status == 200)
    #expect(try client.get("/problems/unavailable").status == 200)
    #expect(try client.delete("/state/time").status == 405)

    let metrics = try menu.scrape()
    let count = { metrics("bindery_http_requests_total", ["method": $0, "route": $1, "status": $2]) }
    #expect(count("GET", "/state/time", "200") == 4)
    #expect(count("GET", "/state/time", "304") == 2)
    #expect(count("GET", "/state/dishes/{id}/name", "200") == 4)
    #expect(count("GET", "/state/dishes/{id}", "404") == 1)
    #expect(count("GET", "other", "404") == 2)
    #expect(count("HEAD", "/livez", "200") == 1)
    #expect(count("GET", "/problems/{type}", "200") == 2)
    #expect(count("DELETE", "/state/time", "405") == 1)
    #expect(metrics.sum("bindery_http_requests_total") == 17)
    #expect(metrics.sum("bindery_http_request_duration_seconds_count") == 17)
    #expect(metrics("bindery_http_problems_total", ["method": "GET", "type": "unknown-path"]) == 2)
    #expect(metrics("bindery_http_problems_total", ["method": "GET", "type": "no-such-element"]) == 1)
    #expect(metrics("bindery_http_problems_total", ["method": "DELETE", "type": "method-not-allowed"]) == 1)
  }

  @Test func `writes are counted by their outcome`() throws {
    let menu = try ObservedMenu()
    defer { menu.stop() }
    let client = try menu.client()
    #expect(try client.patch("/state/time", #""tomorrow""#).status == 200)
    #expect(try client.patch("/state/time", #""tomorrow""#).changed == false)
    #expect(try client.put("/state/time", #""tomorrow""#).changed == false)
    #expect(try client.patch("/state/time", "7").status == 422)
    #expect(try client.patch("/state/time", "{").status == 400)
    #expect(try client.post("/state/dishes", #"{"name": "x"}"#).status == 201)

    let metrics = try menu.scrape()
    #expect(metrics("bindery_commits_total") == 2)
    #expect(metrics("bindery_state_revision") == 2)
    #expect(metrics("bindery_http_writes_unchanged_total") == 2)
    #expect(metrics("bindery_http_problems_total", ["method": "PATCH", "type": "invalid-value"]) == 1)
    #expect(metrics("bindery_http_problems_total", ["method": "PATCH", "type": "malformed-json"]) == 1)
    #expect(metrics.sum("bindery_http_problems_total") == 2)
  }

  @Test func `malformed requests are counted by reason`() throws {
    let menu = try ObservedMenu()
    defer { menu.stop() }
    for _ in 0..<2 { _ = try menu.exchange(Array("GET / HTTP/1.1\r\n\r\n".utf8)) }
    _ = try menu.exchange(Array("GET /\u{1B}[2J HTTP/1.1\r\n\r\n".utf8))
    let metrics = try menu.scrape()
    #expect(metrics("bindery_http_rejections_total", ["reason": "missingHost"]) == 2)
    #expect(metrics("bindery_http_rejections_total", ["reason": "badTarget"]) == 1)
    #expect(metrics.sum("bindery_http_requests_total") == 0)
  }

  @Test func `the metrics of all event loops are added`() throws {
    let menu = try ObservedMenu(eventLoops: 2)
    defer { menu.stop() }
    // The kernel distributes the connections over the event loops.
    for _ in 0..<40 { #expect(try menu.client().get("/state/time").status == 200) }
    let metrics = try menu.scrape()
    let labels = ["method": "GET", "route": "/state/time"]
    #expect(metrics("bindery_http_requests_total", labels.merging(["status": "200"]) { $1 }) == 40)
    #expect(metrics("bindery_http_request_duration_seconds_count", labels) == 40)
    #expect(metrics("bindery_connections_accepted_total") == 41)
    #expect(metrics("bindery_connections_open") >= 1)
  }

  @Test func `the number of route labels is bounded, whatever is requested`() throws {
    let menu = try ObservedMenu()
    defer { menu.stop() }
    let client = try menu.client()
    for number in 0..<300 {
      _ = try client.get("/state/\(number)")
      _ = try client.get("/history/\(number)/revert")
      _ = try client.get("/state/dishes/b10de400-0000-8000-8000-\(String(100_000_000_000 + number))")
      _ = try client.get("/state/days/2026-11-\(10 + number % 20)/weekday")
      _ = try client.get("/\(number)?x=\(number)")
    }
    let routes = try menu.scrape().values(of: "route", in: "bindery_http_requests_total")
    #expect(
      routes == ["other", "/history/{revision}/revert", "/state/dishes/{id}", "/state/days/{id}/weekday"])
  }

  @Test func `routes have the names as they are in URLs`() throws {
    let live = try LiveService(Names())
    defer { live.stop() }
    let client = try SocketClient(live.address)
    let names = ["/a~1b", "/a/b", "/%C3%A9", "/e%CC%81", "/%7Bid%7D"]
    for name in names { #expect(try client.get("/state\(name)").status == 200) }
    let routes = try Scrape(client.get("/metrics").text).values(of: "route", in: "bindery_http_requests_total")
    #expect(routes.isSuperset(of: names.map { "/state\($0)" }))
  }

  @Test func `event streams and their events are counted`() throws {
    let menu = try ObservedMenu()
    defer { menu.stop() }
    let client = try menu.client()
    let stream = try SocketEventStream(menu.address, "/state/time")
    _ = try stream.next()
    _ = try client.patch("/state/time", #""tomorrow""#)
    _ = try stream.next()
    let metrics = try menu.scrape()
    #expect(metrics("bindery_streams_open") == 1)
    #expect(metrics("bindery_streams_opened_total") == 1)
    #expect(metrics("bindery_stream_events_total") == 2)
    #expect(metrics("bindery_watched_places") == 1)
    let labels = ["method": "GET", "route": "/state/time"]
    #expect(metrics("bindery_http_requests_total", labels.merging(["status": "200"]) { $1 }) == 1)
    #expect(metrics("bindery_http_request_duration_seconds_count", labels) == 0)

    stream.disconnect()
    var open = 1.0
    for _ in 0..<1_000 where open > 0 { open = try menu.scrape()("bindery_streams_open") }
    #expect(open == 0)
  }

  @Test func `coalesced changes of a slow subscriber are counted`() throws {
    let loop = MemoryLoop(Store(ObservedMenu.menu))
    let stream = loop.listen("/events?path=/time&path=/customTimeOrDefault")
    loop.settle()
    loop.pauseReading(stream)
    for time in ["tomorrow", "tonight", "tomorrow"] {
      #expect(try loop.patch("/state/time", "\"\(time)\"").status == 200)
    }
    loop.resumeReading(stream)
    let metrics = try loop.scrape()
    #expect(metrics("bindery_stream_events_total") == 2)
    #expect(metrics("bindery_stream_changes_coalesced_total") == 2)
  }

  @Test func `the journal counts its batches`() throws {
    let folder = try TemporaryFolder()
    let storage = try SQLiteStorage(folder("store.db"))
    let recovery = try Recovery(from: storage) { ObservedMenu.menu }
    let journal = try StorageJournal(storage, recovery)
    let store = Store(recovery.root, revision: recovery.revision, journal: journal)
    try journal.start(store)
    defer { journal.stop() }
    let menu = try ObservedMenu(store, metrics: [{ journal.collect(store, into: &$0) }])
    defer { menu.stop() }
    let client = try menu.client()
    for number in 0..<10 {
      #expect(try client.patch("/state/time", number.isMultiple(of: 2) ? #""tomorrow""# : #""tonight""#).status == 200)
    }
    let metrics = try menu.scrape()
    #expect(metrics("bindery_commits_total") == 10)
    #expect(metrics("bindery_journal_batch_revisions_sum") == 10)
    #expect(
      metrics("bindery_journal_batch_revisions_count") == metrics("bindery_journal_write_duration_seconds_count"))
    #expect(metrics("bindery_journal_waiting_revisions") == 0)
    #expect(metrics("bindery_journal_up") == 1)
    #expect(metrics("bindery_http_requests_waiting") == 0)
    let labels = ["method": "PATCH", "route": "/state/time"]
    #expect(metrics("bindery_http_requests_total", labels.merging(["status": "200"]) { $1 }) == 10)
    #expect(metrics("bindery_http_request_duration_seconds_count", labels) == 10)
  }

  @Test func `a request whose client disconnects is counted as abandoned`() throws {
    let loop = MemoryLoop(Store(ObservedMenu.menu))
    let tag = try #require(try loop.get("/state/time").etag)
    let poll = loop.begin(Request("GET", "/state/time?wait=60", fields: [("If-None-Match", tag)]))
    #expect(try loop.scrape()("bindery_long_polls_open") == 1)
    #expect(try loop.scrape()("bindery_http_requests_waiting") == 1)
    loop.disconnect(poll)
    let metrics = try loop.scrape()
    #expect(metrics("bindery_long_polls_open") == 0)
    #expect(metrics("bindery_http_requests_waiting") == 0)
    #expect(metrics("bindery_http_requests_abandoned_total") == 1)
    #expect(metrics.sum("bindery_http_requests_total") == 1)
  }

  @Test func `a long poll is counted but not timed`() throws {
    let loop = MemoryLoop(Store(ObservedMenu.menu))
    let tag = try #require(try loop.get("/state/time").etag)
    _ = loop.begin(Request("GET", "/state/time?wait=60", fields: [("If-None-Match", tag)]))
    loop.advance(milliseconds: 61_000)
    let metrics = try loop.scrape()
    let labels = ["method": "GET", "route": "/state/time"]
    #expect(metrics("bindery_http_requests_total", labels.merging(["status": "304"]) { $1 }) == 1)
    #expect(metrics("bindery_http_request_duration_seconds_count", labels) == 1)
  }

  @Test func `process metrics have the standard names`() throws {
    let menu = try ObservedMenu()
    defer { menu.stop() }
    let metrics = try menu.scrape()
    #expect(metrics("process_resident_memory_bytes") > 1_000_000)
    #expect(metrics("process_virtual_memory_bytes") >= metrics("process_resident_memory_bytes"))
    #expect(metrics("process_open_fds") > 3)
    #expect(metrics("process_max_fds") >= metrics("process_open_fds"))
    #expect(metrics("process_cpu_seconds_total") > 0)
    #expect(metrics("process_threads") >= 2)
    #expect(metrics("process_start_time_seconds") > 1_600_000_000)
  }

  @Test func `the metrics resource is read-only`() throws {
    let menu = try ObservedMenu()
    defer { menu.stop() }
    let client = try menu.client()
    let reply = try client.get("/metrics")
    #expect(reply["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    #expect(reply["Cache-Control"] == "no-store")
    #expect(try client.head("/metrics").body.isEmpty)
    #expect(try client.post("/metrics", "{}").status == 405)
  }
}

extension MemoryLoop {
  fileprivate func scrape() throws -> Scrape {
    var exposition = Exposition()
    metrics.collect(into: &exposition)
    return try Scrape(String(decoding: exposition.bytes, as: UTF8.self))
  }
}

/// Members whose names are equal as paths or as strings, or look like a placeholder.
private struct Names: StateModel {
  struct Inner: Editable {
    var b = 0
    static let shape = EditableShape<Inner>.members(Inner.init, StoredMember("b", \.b))
  }

  var inner = Inner()
  var slash = 0
  var composed = 0
  var decomposed = 0
  var placeholder = 0

  static let shape = EditableShape<Names>.members(
    Names.init, StoredMember("a", \.inner), StoredMember("a/b", \.slash), StoredMember("\u{E9}", \.composed),
    StoredMember("e\u{301}", \.decomposed), StoredMember("{id}", \.placeholder))
}
