import Testing

/// Every attack over a real socket, on one server that must outlive them all.
@Suite struct SocketConformanceTests {
  private static let end = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  /// The statuses of all answers until the server closes, which it is asked to where it would not.
  private func statuses(_ live: LiveRestaurant, _ attack: Attack, _ cut: (Int) -> [Range<Int>]) throws -> [Int] {
    let bytes = attack.bytes + (attack.closes ? [] : Array(Self.end.utf8))
    let answer = try live.exchange(cut(bytes.count).map { bytes[$0] })
    return try Replies.read(answer).map(\.status).filter { $0 >= 200 }
  }

  @Test func `every attack is answered as in memory, and the server goes on`() throws {
    let live = try LiveRestaurant()
    defer { live.stop() }
    for attack in Attack.all {
      let expected = attack.statuses + (attack.closes ? [] : [200])
      // Whoever says it again, so that it may be known, is told the same.
      for _ in 0..<4 { #expect(try statuses(live, attack) { [0..<$0] } == expected, "\(attack)") }
      #expect(try statuses(live, attack) { [0..<$0 / 2, $0 / 2..<$0] } == expected, "\(attack), cut in two")
    }
    #expect(try live.servesOthers())
  }

  @Test func `a good many come byte by byte`() throws {
    let live = try LiveRestaurant(loopCount: 2)
    defer { live.stop() }
    for (index, attack) in Attack.all.enumerated() where index % 5 == 0 && attack.bytes.count < 1_000 {
      let expected = attack.statuses + (attack.closes ? [] : [200])
      #expect(try statuses(live, attack) { count in (0..<count).map { $0..<$0 + 1 } } == expected, "\(attack)")
    }
  }

  @Test func `a peer that has ended its side still gets its answers`() throws {
    let live = try LiveRestaurant()
    defer { live.stop() }
    let three = Attack.good + Attack.good + Attack.good
    #expect(try live.exchange(three, endWriting: true).map(\.status) == [200, 200, 200])
    #expect(try live.exchange(three + "GET /li", endWriting: true).map(\.status) == [200, 200, 200, 400])
    #expect(try live.exchange("", endWriting: true) == [])
  }

  @Test func `an answer that closes is read by a peer that is still sending`() throws {
    let live = try LiveRestaurant()
    defer { live.stop() }
    let body = String(repeating: "x", count: 4_000_000)
    let replies = try live.exchange(
      Attack.patch + "Content-Length: \(body.utf8.count)\r\n\r\n" + body, endWriting: true)
    #expect(replies.map(\.status) == [413])
  }

  @Test func `100 Continue comes when the body is wanted, and never before a refusal`() throws {
    let live = try LiveRestaurant()
    defer { live.stop() }
    let client = try live.connect()
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
      let refused = head + "Host: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"
      #expect(try live.exchange(refused, endWriting: true).map(\.status) == [status])
    }
  }

  @Test(arguments: [
    "/", "/livez", "/readyz", "/no", "/problems", "/problems/gone", "/history", "/state",
    "/state?pretty", "/state/dishes?limit=1", "/state/time/custom", "/state/no", "/state/%00", "/state?pretty=x",
    "/events", Restaurant.dish,
  ])
  func `HEAD has the head of GET and no content`(_ target: String) throws {
    let live = try LiveRestaurant()
    defer { live.stop() }
    func bytes(_ method: String, _ fields: String) throws -> [UInt8] {
      let text = "\(method) \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n"
      return try live.exchange([Array(text.utf8)[...]])
    }
    for fields in ["", "If-None-Match: *\r\n", "If-Match: \"a\"\r\n", "Accept: image/png\r\n"] {
      let get = try #require(try Replies.read(try bytes("GET", fields)).first)
      let head = try Replies.read(try bytes("HEAD", fields), toHEAD: [0])
      #expect(head.count == 1 && head[0].status == get.status)
      let without = { (fields: [String]) in fields.filter { !$0.hasPrefix("Date: ") } }
      #expect(head.map { without($0.fields) } == [without(get.fields)])
    }
  }

  @Test func `HEAD of a stream has its head`() throws {
    let live = try LiveRestaurant()
    defer { live.stop() }
    var heads: [[UInt8]] = []
    for method in ["GET", "HEAD"] {
      let client = try live.connect()
      try client.send("\(method) /events?path=/time HTTP/1.1\r\nHost: a\r\n\r\n")
      let bytes = try client.receive(until: "\r\n\r\n")
      heads.append(Array(bytes[..<bytes.firstRange(of: Array("\r\n\r\n".utf8))!.lowerBound]))
    }
    #expect(
      heads.map { String(decoding: $0, as: UTF8.self).split(separator: "\r\n").filter { !$0.hasPrefix("Date") } }
        .count == 2)
    #expect(heads[0].count == heads[1].count && heads[0].suffix(40) == heads[1].suffix(40))
  }

  @Test func `a refused HEAD has no content either`() throws {
    let live = try LiveRestaurant()
    defer { live.stop() }
    for head in ["HEAD /{ HTTP/1.1\r\n\r\n", "HEAD / HTTP/1.1\r\n\r\n", "HEAD / HTTP/4.0\r\n\r\n", "HEAD /no"] {
      let bytes = try live.exchange([Array(head.utf8)[...]], endWriting: true)
      #expect(try Replies.read(bytes, toHEAD: [0]).count == 1)
    }
  }
}
