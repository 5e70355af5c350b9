import BinderyJSON
import BinderyTelemetry
import BinderyTestKit
import Testing

/// The access log and the trace context of requests.
struct AccessLogTests {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  /// Stops the server, so that all lines are written, and parses them.
  private func lines(of menu: ObservedMenu) throws -> [JSONNode] {
    menu.stop()
    return try menu.lines.all.map { try JSONDocument(parsing: Array($0.utf8)).root }
  }

  @Test func `a request is logged as one line without its query`() throws {
    let menu = try ObservedMenu(accessLog: .json)
    let client = try menu.client()
    let reply = try client.get("/state/time?last-event-id=secret")
    _ = try client.patch("/state/time", "7")
    let lines = try lines(of: menu)
    #expect(lines.count == 2)
    #expect(lines[0]["method"]?.string == "GET")
    #expect(lines[0]["path"]?.string == "/state/time")
    #expect(lines[0]["status"].map { String(decoding: $0.text, as: UTF8.self) } == "200")
    #expect(lines[0]["peer"]?.string?.hasPrefix("127.0.0.1:") == true)
    #expect(lines[1]["status"].map { String(decoding: $0.text, as: UTF8.self) } == "422")
    #expect(!menu.lines.text.contains("secret"))
    let trace = try #require(lines[0]["trace"]?.string)
    #expect(reply["traceresponse"]?.contains(trace) == true && reply["traceparent"] == reply["traceresponse"])
  }

  @Test func `a request with a traceparent continues that trace`() throws {
    for format in [LogFormat.json, nil] {
      let menu = try ObservedMenu(accessLog: format)
      let client = try menu.client()
      let response = try #require(try client.get("/state/time", ["traceparent": Self.parent])["traceresponse"])
      #expect(response.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") && response.hasSuffix("-01"))
      #expect(response != Self.parent)
      let lines = try lines(of: menu)
      if format != nil { #expect(lines[0]["trace"]?.string == "4bf92f3577b34da6a3ce929d0e0e4736") }
    }
  }

  @Test func `an invalid or repeated traceparent is ignored`() throws {
    let menu = try ObservedMenu()
    defer { menu.stop() }
    let client = try menu.client()
    #expect(try client.get("/state/time")["traceresponse"] == nil)
    #expect(try client.get("/state/time", ["traceparent": "00-0-0-0"])["traceresponse"] == nil)
    let twice: Client.Fields = ["traceparent": Self.parent, "Traceparent": Self.parent]
    #expect(try client.get("/state/time", twice)["traceresponse"] == nil)
    // The trace belongs to one request, not to the connection.
    #expect(try client.get("/state/time", ["traceparent": Self.parent])["traceresponse"] != nil)
    #expect(try client.get("/state/time")["traceresponse"] == nil)
  }

  @Test(arguments: [
    Array("GET /\u{1B}[2J HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
    Array("GET /a\nforged HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
    [UInt8]("GET /".utf8) + [0xFF, 0xC0, 0x0D] + [UInt8](" HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
    Array("GET /%0D%0A2026-11-21T00:00:00.000Z%20error HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8),
    Array("GET /%1B%5B2J%FF HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8),
    Array("OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8),
    Array("get / HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
  ])
  func `a message is logged as one printable line, whatever bytes it contains`(_ message: [UInt8]) throws {
    for format in LogFormat.allCases {
      let menu = try ObservedMenu(accessLog: format)
      _ = try menu.exchange(message)
      menu.stop()
      #expect(menu.lines.all.count == 1)
      let controls = menu.lines.text.dropLast().unicodeScalars.filter { $0.properties.generalCategory == .control }
      #expect(controls.isEmpty)
      if format == .json { _ = try JSONDocument(parsing: Array(menu.lines.text.utf8)) }
    }
  }

  @Test func `an event stream is logged when it ends`() throws {
    let menu = try ObservedMenu(accessLog: .json)
    let stream = try SocketEventStream(menu.address, "/state/time")
    _ = try stream.next()
    #expect(menu.lines.all.isEmpty)
    let lines = try lines(of: menu)
    #expect(lines.count == 1)
    #expect(lines[0]["path"]?.string == "/state/time")
    let bytes = lines[0]["bytes"].flatMap { Int(String(decoding: $0.text, as: UTF8.self)) }
    #expect(try #require(bytes) > 100)
  }
}
