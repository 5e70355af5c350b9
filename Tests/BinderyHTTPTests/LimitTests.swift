import BinderyHTTP
import Testing

@Suite struct LimitTests {
  private static let limits: Limits = {
    var limits = Limits()
    limits.requestLineBytes = 40
    limits.headerBlockBytes = 100
    limits.headerFields = 3
    limits.bodyBytes = 10
    return limits
  }()

  private func parse(_ text: String) -> [ParseResult] { ParseResult.allSplits(text, limits: Self.limits) }

  @Test func `a request line may be as long as the limit and no longer`() {
    let path = "/" + String(repeating: "x", count: 40 - "GET / HTTP/1.1".utf8.count)
    for result in parse("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") { #expect(result.requests.count == 1) }
    for result in parse("GET \(path)x HTTP/1.1\r\nHost: a\r\n\r\n") { #expect(result.rejection == .lineTooLong) }
    for result in parse("GET {\(path)x HTTP/1.1\r\nHost: a\r\n\r\n") { #expect(result.rejection == .lineTooLong) }
    for result in parse(String(repeating: "x", count: 100)) { #expect(result.rejection == .unknownMethod) }
  }

  @Test func `a header section may be as large as the limit and no larger`() {
    let value = String(repeating: "x", count: 100 - "Host: a\r\nX: \r\n\r\n".utf8.count)
    for result in parse("GET / HTTP/1.1\r\nHost: a\r\nX: \(value)\r\n\r\n") { #expect(result.requests.count == 1) }
    for result in parse("GET / HTTP/1.1\r\nHost: a\r\nX: \(value)x\r\n\r\n") {
      #expect(result.rejection == .fieldsTooLarge)
    }
    for result in parse("GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\(value)\(value)") {
      #expect(result.rejection == .fieldsTooLarge)
    }
  }

  @Test func `a request may have as many fields as the limit and no more`() {
    for result in parse("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nX: 2\r\n\r\n") { #expect(result.requests.count == 1) }
    for result in parse("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nX: 2\r\nX: 3\r\n\r\n") {
      #expect(result.rejection == .tooManyFields)
    }
  }

  @Test func `a body may be as large as the limit and no larger`() {
    let head = "PUT / HTTP/1.1\r\nHost: a\r\n"
    for result in parse(head + "Content-Length: 10\r\n\r\n0123456789") { #expect(result.requests.count == 1) }
    for result in parse(head + "Content-Length: 11\r\n\r\n") { #expect(result.requests == ["too large"]) }
    for result in parse(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n") {
      #expect(result.requests.count == 1 && result.requests != ["too large"])
    }
    for result in parse(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n6\r\n56789x\r\n0\r\n\r\n") {
      #expect(result.requests == ["too large"])
    }
  }

  @Test func `the storage of a body grows with the bytes received, up to the length of the request`() {
    let text = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1500\r\n\r\n" + String(repeating: "x", count: 1_500)
    var remaining = Array(text.utf8)[...]
    var buffer = RequestBuffer(capacity: 16)
    while !remaining.isEmpty {
      buffer.fill(from: &remaining)
      let received = text.utf8.count - remaining.count
      #expect(buffer.bytes.count <= max(2 * received, 1_024))
      var step = buffer.next(limits: Limits())
      if step == .request(.pending) {
        buffer.startBody()
        step = buffer.next(limits: Limits())
      }
      #expect((step == .needsMore) == !remaining.isEmpty)
    }
    #expect(buffer.bytes.count == text.utf8.count)
  }

  @Test func `the total size of trailers and of chunk extensions is limited`() {
    let head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let trailers = "0\r\nA: \(String(repeating: "x", count: 100))\r\n\r\n"
    for result in parse(head + trailers) { #expect(result.rejection == .fieldsTooLarge) }
    for result in parse(head + "0\r\nA: 1\r\nA: 2\r\nA: 3\r\nA: 4\r\n\r\n") {
      #expect(result.rejection == .tooManyFields)
    }
    let chunk = "1;\(String(repeating: "e", count: 30))\r\nx\r\n"
    for result in parse(head + chunk + chunk + chunk + chunk) { #expect(result.rejection == .badChunk) }
  }
}
