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

  private func read(_ text: String) -> [Reading] { Reading.all(text, limits: Self.limits) }

  @Test func `a request line may be as long as the limit, and no longer`() {
    let path = "/" + String(repeating: "x", count: 40 - "GET / HTTP/1.1".utf8.count)
    for reading in read("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") { #expect(reading.requests.count == 1) }
    for reading in read("GET \(path)x HTTP/1.1\r\nHost: a\r\n\r\n") { #expect(reading.rejection == .lineTooLong) }
    for reading in read("GET {\(path)x HTTP/1.1\r\nHost: a\r\n\r\n") { #expect(reading.rejection == .lineTooLong) }
    for reading in read(String(repeating: "x", count: 100)) { #expect(reading.rejection == .unknownMethod) }
  }

  @Test func `a header block may be as large as the limit, and no larger`() {
    let value = String(repeating: "x", count: 100 - "Host: a\r\nX: \r\n\r\n".utf8.count)
    for reading in read("GET / HTTP/1.1\r\nHost: a\r\nX: \(value)\r\n\r\n") { #expect(reading.requests.count == 1) }
    for reading in read("GET / HTTP/1.1\r\nHost: a\r\nX: \(value)x\r\n\r\n") {
      #expect(reading.rejection == .fieldsTooLarge)
    }
    for reading in read("GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\(value)\(value)") {
      #expect(reading.rejection == .fieldsTooLarge)
    }
  }

  @Test func `there may be as many fields as the limit, and no more`() {
    for reading in read("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nX: 2\r\n\r\n") { #expect(reading.requests.count == 1) }
    for reading in read("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nX: 2\r\nX: 3\r\n\r\n") {
      #expect(reading.rejection == .tooManyFields)
    }
  }

  @Test func `a body may be as large as the limit, and no larger`() {
    let head = "PUT / HTTP/1.1\r\nHost: a\r\n"
    for reading in read(head + "Content-Length: 10\r\n\r\n0123456789") { #expect(reading.requests.count == 1) }
    for reading in read(head + "Content-Length: 11\r\n\r\n") { #expect(reading.requests == ["too large"]) }
    for reading in read(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n") {
      #expect(reading.requests.count == 1 && reading.requests != ["too large"])
    }
    for reading in read(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n6\r\n56789x\r\n0\r\n\r\n") {
      #expect(reading.requests == ["too large"])
    }
  }

  @Test func `trailers and extensions are bounded together`() {
    let head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let trailers = "0\r\nA: \(String(repeating: "x", count: 100))\r\n\r\n"
    for reading in read(head + trailers) { #expect(reading.rejection == .fieldsTooLarge) }
    for reading in read(head + "0\r\nA: 1\r\nA: 2\r\nA: 3\r\nA: 4\r\n\r\n") {
      #expect(reading.rejection == .tooManyFields)
    }
    let chunk = "1;\(String(repeating: "e", count: 30))\r\nx\r\n"
    for reading in read(head + chunk + chunk + chunk + chunk) { #expect(reading.rejection == .badChunk) }
  }
}
