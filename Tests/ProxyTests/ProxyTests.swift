import BinderyTestKit
import Testing

/// The service behind nginx with `deploy/nginx.conf`, over TLS and HTTP/2.
@Suite(.enabled(if: Proxy.Configuration.nginx.isInstalled, "nginx is not installed: run scripts/test"))
struct ProxyTests {
  private static let name = "/state/pinnedDish/name"

  @Test(.timeLimit(.minutes(10)))
  func `an event is delivered without buffering`() throws {
    let proxy = try Proxy()
    let events = try proxy.client.events(Self.name)
    #expect(events.next()?.data == #""🍝 Spaghetti Carbonara""#)
    for round in 1...3 {
      let (version, reply) = try proxy.client.send("PATCH", Self.name, #""Pasta \#(round)""#)
      #expect(version == "HTTP/2")
      #expect(reply.outcome == "200")
      let event = try #require(events.next())
      #expect(event.data == #""Pasta \#(round)""#)
      let tag = event.id.split(separator: "~").first ?? ""
      #expect("\"\(tag)\"" == reply.etag)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `events of several paths are delivered without buffering`() throws {
    let proxy = try Proxy()
    let events = try proxy.client.events("/events?path=/time&path=/pinnedDish/name")
    #expect(events.next()?.data.contains("tonight") == true)
    let reply = try proxy.client.send("PATCH", "/state/time", #""tomorrow""#).1
    #expect(reply.outcome == "200")
    let etag = try #require(reply.etag).dropFirst().dropLast()
    #expect(
      events.next()?.data == #"{"revision":1,"changes":[{"path":"/time","value":"tomorrow","etag":"\#(etag)"}]}"#)
  }

  @Test(.timeLimit(.minutes(10)))
  func `conditional requests and error responses pass the proxy`() throws {
    let client = try Proxy().client
    let (_, read) = try client.send("GET", Self.name)
    let tag = try #require(read.etag)
    #expect(try client.send("GET", Self.name, nil, "If-None-Match: \(tag)").1.outcome == "304")
    #expect(try client.send("PATCH", Self.name, #""A""#, "If-Match: \(tag)").1.outcome == "200")
    let (_, stale) = try client.send("PATCH", Self.name, #""B""#, "If-Match: \(tag)")
    #expect(stale.outcome == "412 precondition-failed")
    #expect(stale.string("current") == "A")
    #expect(try client.send("PATCH", "/state/time/custom", #""2026-12-24T19:00:00Z""#).1.outcome == "409 inactive-case")
  }

  @Test(.timeLimit(.minutes(10)))
  func `requests share one upstream connection`() throws {
    let proxy = try Proxy()
    for _ in 1...20 { #expect(try proxy.client.send("GET", Self.name).1.outcome == "200") }
    #expect(try proxy.upstreamConnections == 1)
  }

  @Test(.timeLimit(.minutes(10)))
  func `while the server is down, streams get a retry delay and requests get 503`() throws {
    let proxy = try Proxy()
    let events = try proxy.client.events(Self.name)
    let first = try #require(events.next())
    proxy.stopServer()
    #expect(events.next() == nil)
    let (_, waiting) = try proxy.client.send("GET", Self.name, nil, "Accept: text/event-stream")
    #expect(waiting.status == 200)
    #expect(waiting["Content-Type"] == "text/event-stream")
    #expect(waiting.text == "retry: 2000\n\n")
    let (_, rejected) = try proxy.client.send("PATCH", Self.name, #""A""#)
    #expect(rejected.status == 503)
    #expect(rejected["Retry-After"] == "2")

    try proxy.startServer()
    let back = try proxy.client.events(Self.name, lastEventID: first.id)
    #expect(try proxy.client.send("PATCH", Self.name, #""A""#).1.outcome == "200")
    #expect(try [#""🍝 Spaghetti Carbonara""#, #""A""#].contains(#require(back.next()).data))
  }
}
