import BinderyTestKit
import Testing

/// Sends every attack over a real socket to one server, which must keep running.
@Suite struct SocketConformanceTests {
  private static let end = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  /// Returns the statuses of all responses until the server closes the connection. If the attack does not close it, a
  /// final request does.
  private func statuses(_ server: MenuServer, _ attack: Attack, _ split: (Int) -> [Range<Int>]) throws -> [Int] {
    let bytes = attack.bytes + (attack.closes ? [] : Array(Self.end.utf8))
    let bytesReceived = try server.exchange(split(bytes.count).map { bytes[$0] })
    return try Replies.read(bytesReceived).map(\.status).filter { $0 >= 200 }
  }

  @Test func `every attack gets the same responses as in memory and the server keeps running`() throws {
    let server = try MenuServer()
    defer { server.stop() }
    for attack in Attack.all {
      let expected = attack.statuses + (attack.closes ? [] : [200])
      #expect(try statuses(server, attack) { [0..<$0] } == expected, "\(attack)")
      #expect(try statuses(server, attack) { [0..<$0 / 2, $0 / 2..<$0] } == expected, "\(attack), split in two")
    }
    #expect(try server.servesOthers())
  }

  @Test func `attacks sent byte by byte get the same responses`() throws {
    let server = try MenuServer(loopCount: 2)
    defer { server.stop() }
    for (index, attack) in Attack.all.enumerated() where index % 5 == 0 && attack.bytes.count < 1_000 {
      let expected = attack.statuses + (attack.closes ? [] : [200])
      #expect(try statuses(server, attack) { count in (0..<count).map { $0..<$0 + 1 } } == expected, "\(attack)")
    }
  }

  @Test func `a client that has closed its sending side still gets its responses`() throws {
    let server = try MenuServer()
    defer { server.stop() }
    let three = Attack.good + Attack.good + Attack.good
    #expect(try server.exchange(three, endWriting: true).map(\.status) == [200, 200, 200])
    #expect(try server.exchange(three + "GET /li", endWriting: true).map(\.status) == [200, 200, 200, 400])
    #expect(try server.exchange("", endWriting: true) == [])
  }

  @Test func `a client that is still sending receives the last response`() throws {
    let server = try MenuServer()
    defer { server.stop() }
    let body = String(repeating: "x", count: 4_000_000)
    let replies = try server.exchange(
      Attack.patch + "Content-Length: \(body.utf8.count)\r\n\r\n" + body, endWriting: true)
    #expect(replies.map(\.status) == [413])
  }

  @Test func `100 Continue is sent if the body is needed and never before an error`() throws {
    let server = try MenuServer()
    defer { server.stop() }
    let client = try server.connect()
    try client.send(Attack.good + Attack.patch + "Expect: 100-continue\r\nContent-Length: 9\r\n\r\n")
    let first = try client.receive(until: "100 Continue\r\n\r\n")
    #expect(try Replies.read(first).map(\.status) == [200, 100])
    try client.send("\"tonight\"" + Self.end)
    #expect(try Replies.read(try client.receiveAll()).map(\.status) == [200, 200])
    for (head, status) in [
      ("PATCH /no HTTP/1.1\r\n", 404), ("PATCH /livez HTTP/1.1\r\n", 405),
      ("PATCH /state/time HTTP/1.1\r\nContent-Type: text/plain\r\n", 415),
      ("PATCH /state/time HTTP/1.1\r\nContent-Encoding: br\r\n", 415),
    ] {
      let request = head + "Host: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"
      #expect(try server.exchange(request, endWriting: true).map(\.status) == [status])
    }
  }

  @Test(arguments: [
    "/", "/livez", "/readyz", "/no", "/problems", "/problems/gone", "/history", "/state",
    "/state?pretty", "/state/dishes?limit=1", "/state/time/custom", "/state/no", "/state/%00", "/state?pretty=x",
    "/events", TestMenu.dish,
  ])
  func `HEAD gets the same head as GET and no content`(_ target: String) throws {
    let server = try MenuServer()
    defer { server.stop() }
    func bytes(_ method: String, _ fields: String) throws -> [UInt8] {
      let text = "\(method) \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n"
      return try server.exchange([Array(text.utf8)[...]])
    }
    for fields in ["", "If-None-Match: *\r\n", "If-Match: \"a\"\r\n", "Accept: image/png\r\n"] {
      let get = try #require(try Replies.read(try bytes("GET", fields)).first)
      let head = try Replies.read(try bytes("HEAD", fields), toHEAD: [0])
      #expect(head.count == 1 && head[0].status == get.status)
      let withoutDate = { (reply: Reply) in
        reply.fields.filter { $0.name != "Date" }.map { "\($0.name): \($0.value)" }
      }
      #expect(head.map(withoutDate) == [withoutDate(get)])
    }
  }

  @Test func `HEAD of a stream gets the same head as GET`() throws {
    let server = try MenuServer()
    defer { server.stop() }
    var heads: [[UInt8]] = []
    for method in ["GET", "HEAD"] {
      let client = try server.connect()
      try client.send("\(method) /events?path=/time HTTP/1.1\r\nHost: a\r\n\r\n")
      let bytes = try client.receive(until: "\r\n\r\n")
      heads.append(Array(bytes[..<bytes.firstRange(of: Array("\r\n\r\n".utf8))!.lowerBound]))
    }
    let lines = heads.map { head in
      String(decoding: head, as: UTF8.self).split(separator: "\r\n").filter { !$0.hasPrefix("Date") }
    }
    #expect(lines[0] == lines[1] && lines[0].count > 5)
  }

  @Test func `a rejected HEAD request gets no content`() throws {
    let server = try MenuServer()
    defer { server.stop() }
    for head in ["HEAD /{ HTTP/1.1\r\n\r\n", "HEAD / HTTP/1.1\r\n\r\n", "HEAD / HTTP/4.0\r\n\r\n", "HEAD /no"] {
      let bytes = try server.exchange([Array(head.utf8)[...]], endWriting: true)
      #expect(try Replies.read(bytes, toHEAD: [0]).count == 1)
    }
  }
}
