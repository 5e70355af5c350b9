import BinderyHTTP
import BinderyServer
import BinderySystem
import BinderyTestKit
import Testing

@Suite struct ServerTests {
  private let close = "Host: a\r\nConnection: close\r\n\r\n"

  @Test func `a request gets a response and the connection stays open`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try server.connect()
    for path in ["/first", "/second"] {
      try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      let response = try client.receive(until: path)
      #expect(response.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
      #expect(response.contains("\r\nContent-Length: \(path.utf8.count)\r\n\r\n"))
      #expect(!response.contains("Connection:"))
    }
  }

  @Test func `close in a Connection list closes the connection and is sent back`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let response = try server.exchange(
      "GET /a HTTP/1.1\r\nHost: a\r\nConnection: TE , Close\r\n\r\nGET /b HTTP/1.1\r\n")
    #expect(response.contains("\r\nConnection: close\r\n"))
    #expect(response.hasSuffix("/a"))
  }

  @Test func `an HTTP 1 0 connection closes unless the client requests keep-alive`() throws {
    let server = try TestServer()
    defer { server.stop() }
    #expect(try server.exchange("GET /a HTTP/1.0\r\n\r\n").contains("\r\nConnection: close\r\n"))
    let client = try server.connect()
    try client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(try client.receive(until: "/a").contains("\r\nConnection: keep-alive\r\n"))
    try client.send("GET /b HTTP/1.0\r\n\r\n")
    #expect(try client.receiveAll().hasSuffix("/b"))
  }

  @Test func `a response to HEAD has a length and no content`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let response = try server.exchange("HEAD /abc HTTP/1.1\r\n" + close)
    #expect(response.contains("Content-Length: 4\r\n"))
    #expect(response.hasSuffix("\r\n\r\n"))
  }

  @Test(arguments: [1, 2, 127, 128, 129, 3000])
  func `pipelined requests get responses in order for any number of requests`(count: Int) throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try server.connect()
    var requests = ""
    for number in 0..<count { requests += "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n" }
    try client.send(requests + "GET /end HTTP/1.1\r\n" + close)
    let responses = try client.receiveAll().split(separator: "HTTP/1.1 200 OK\r\n")
    #expect(responses.count == count + 1)
    for number in 0..<count { #expect(responses[number].hasSuffix("\r\n\r\n/\(number)")) }
  }

  @Test func `a body is received by length and in chunks and the next request follows`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let response = try server.exchange(
      "PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nfirst"
        + "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3\r\nsec\r\n3;x=y\r\nond\r\n0\r\nT: x\r\n\r\n"
        + "GET /third HTTP/1.1\r\n" + close)
    let contents = response.split(separator: "\r\n\r\n").dropFirst().map { $0.split(separator: "HTTP/1.1")[0] }
    #expect(contents == ["first", "second", "/third"])
  }

  @Test func `a request may arrive byte by byte`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try server.connect()
    let request = "PUT /a HTTP/1.1\r\n" + close.replacing("\r\n\r\n", with: "\r\nTransfer-Encoding: chunked\r\n\r\n")
    for byte in (request + "3\r\nabc\r\n0\r\n\r\n").utf8 { try client.send([byte]) }
    #expect(try client.receiveAll().hasSuffix("\r\n\r\nabc"))
  }

  @Test func `100 Continue is sent if the responder needs the body and not before an error`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try server.connect()
    try client.send("PUT /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    try client.send("abc")
    #expect(try client.receive(until: "abc").hasPrefix("HTTP/1.1 200"))
    try client.send("PUT /refused HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    let rejection = try client.receiveAll()
    #expect(rejection.hasPrefix("HTTP/1.1 403") && rejection.contains("Connection: close"))
  }

  @Test func `a body at the limit is accepted and a larger one is rejected and discarded`() throws {
    var limits = Limits()
    limits.bodyBytes = 200_000
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    let body = String(repeating: "x", count: 200_000)
    #expect(
      try server.exchange("PUT /a HTTP/1.1\r\nContent-Length: 200000\r\n\(close)\(body)").utf8.count > 200_000)
    let rejection = try server.exchange(
      "PUT /a HTTP/1.1\r\nContent-Length: 200001\r\n\(close)\(body)x", endWriting: true)
    #expect(rejection.hasPrefix("HTTP/1.1 413"))
  }

  @Test func `a rejected message gets one response after the responses to earlier requests`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let response = try server.exchange(
      "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\n\(close)")
    #expect(response.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }.filter { Int($0) != nil } == ["200", "400"])
  }

  @Test func `a later response blocks the pipeline`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let response = try server.exchange("GET /later HTTP/1.1\r\nHost: a\r\n\r\nGET /now HTTP/1.1\r\n" + close)
    let later = try #require(response.firstRange(of: "later"))
    let now = try #require(response.firstRange(of: "/now"))
    #expect(later.lowerBound < now.lowerBound)
  }

  @Test func `a client that has closed its sending side still gets the response`() throws {
    let server = try TestServer()
    defer { server.stop() }
    #expect(try server.exchange("GET /later HTTP/1.1\r\nHost: a\r\n\r\n", endWriting: true).hasSuffix("later"))
    #expect(try server.exchange("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", endWriting: true).hasSuffix("/a"))
  }

  @Test func `a stream is chunked for HTTP 1 1 and ends with the connection for HTTP 1 0`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let chunked = try server.exchange("GET /stream HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\n" + close)
    #expect(chunked.contains("\r\n\r\n00000003\r\none\r\n00000003\r\ntwo\r\n0\r\n\r\nHTTP/1.1 200"))
    #expect(chunked.hasSuffix("/next"))
    let plain = try server.exchange("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(plain.contains("Connection: close") && plain.hasSuffix("\r\n\r\nonetwo"))
  }

  @Test func `the responder is notified once when the client of a stream disconnects`() throws {
    let server = try TestServer()
    do {
      let client = try server.connect()
      try client.send("GET /flood HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try client.receive()
    }
    try server.wait(for: "disconnected")
    server.stop()
    #expect(server.log.all.count(where: { $0 == "disconnected" }) == 1)
  }

  @Test func `a long poll ends when its client closes its sending side`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try server.connect()
    try client.send("GET /poll HTTP/1.1\r\nHost: a\r\n\r\n")
    try server.wait(for: "open")
    client.endWriting()
    #expect(try client.receiveAll() == "")
    try server.wait(for: "disconnected")
  }

  @Test(arguments: ["/poll", "/flood"])
  func `a client that ends with its request gets the responses before a long poll or a stream`(path: String) throws {
    let server = try TestServer()
    defer { server.stop() }
    let held = try server.connect()
    try held.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
    try server.wait(for: "held")
    // The request and the end arrive together, because the loop is busy.
    let client = try server.connect()
    try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
    client.endWriting()
    server.log.add("release")
    #expect(try client.receiveAll().contains("\r\n\r\n/a"))
    try server.wait(for: "disconnected")
  }

  @Test func `the responder learns that a client disconnects before it has sent a body that is needed`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try server.connect()
    try client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx")
    client.endWriting()
    #expect(try client.receiveAll().hasPrefix("HTTP/1.1 400 "))
    try server.wait(for: "disconnected")
  }

  @Test func `a client that reads nothing is disconnected and others are served meanwhile`() throws {
    var limits = Limits()
    limits.writeTimeoutMilliseconds = 100
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    let client = try server.connect()
    try client.send("GET /flood HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try server.exchange("GET /a HTTP/1.1\r\n" + close).hasSuffix("/a"))
    try server.wait(for: "disconnected")
  }

  @Test func `a slow head and a slow body get 408 and an idle connection closes without a response`() throws {
    var limits = Limits()
    limits.headerTimeoutMilliseconds = 100
    limits.bodyPaceMilliseconds = 100
    limits.idleTimeoutMilliseconds = 100
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    #expect(try server.exchange("GET / HT").hasPrefix("HTTP/1.1 408"))
    #expect(try server.exchange("PUT / HTTP/1.1\r\nContent-Length: 9\r\n\(close)x").hasPrefix("HTTP/1.1 408"))
    #expect(try server.exchange("") == "")
    let client = try server.connect()
    try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.receiveAll().hasSuffix("/a"))
  }

  @Test func `a responder that writes nothing causes a 500 response`() throws {
    let server = try TestServer()
    defer { server.stop() }
    #expect(try server.exchange("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n").hasPrefix("HTTP/1.1 500"))
  }

  @Test func `a stop finishes open exchanges and refuses new connections`() throws {
    let server = try TestServer(loopCount: 2)
    let idle = try server.connect()
    let busy = try server.connect()
    try busy.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
    try server.wait(for: "open")
    server.stop()
    #expect(server.log.all.count(where: { $0 == "stopping" }) == 2)
    let response = try busy.receiveAll()
    #expect(response.hasPrefix("HTTP/1.1 503") && response.contains("Connection: close"))
    #expect(try idle.receiveAll() == "")
    #expect(throws: Errno.self) { try server.exchange("GET / HTTP/1.1\r\n\r\n") }
  }

  @Test func `all loops share the port that the kernel chose`() throws {
    let server = try TestServer(loopCount: 3)
    defer { server.stop() }
    if case .internet(_, let port) = server.server.addresses[0] { #expect(port != 0) }
    try waitUntil {
      _ = try server.exchange("GET /loop HTTP/1.1\r\n" + close)
      return Set(server.log.all).count == 3
    }
  }

  @Test(arguments: [1, 2]) func `a second server on the same port fails to start`(_ loopCount: Int) throws {
    let first = try TestServer(loopCount: loopCount)
    defer { first.stop() }
    let configuration = ServerConfiguration(addresses: first.server.addresses, loopCount: loopCount)
    let log = EchoResponder.Log()
    #expect {
      try Server(configuration: configuration) { EchoResponder(context: $0, log: log) }
    } throws: { error in
      let error = error as? ListenError
      return error?.errno == .addressInUse
        && "\(error!)".contains("listen at another address (on the command line: --listen)")
    }
  }

  @Test func `a server listens on IPv6`() throws {
    let server = try TestServer(host: "::1")
    defer { server.stop() }
    #expect(try server.exchange("GET /a HTTP/1.1\r\n" + close).hasSuffix("/a"))
  }
}
