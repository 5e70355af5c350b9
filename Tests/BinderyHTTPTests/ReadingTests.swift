import BinderyHTTP
import Testing

@Suite struct ReadingTests {
  @Test(arguments: acceptedMessages)
  func `a good message is understood, however it is cut`(message: String, requests: [String]) {
    for reading in Reading.all(message) {
      #expect(reading.requests == requests)
      #expect(reading.rejection == nil && !reading.isWaiting)
    }
  }

  @Test(arguments: refusedMessages)
  func `a bad message is refused, however it is cut`(message: String, rejection: Rejection) {
    for reading in Reading.all(message) {
      #expect(reading.requests == [] && reading.rejection == rejection)
    }
  }

  @Test(arguments: refusedChunks)
  func `a bad chunk is refused, however it is cut`(chunks: String, rejection: Rejection) {
    let head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    for reading in Reading.all(head + chunks) {
      #expect(reading.requests == [] && reading.rejection == rejection)
    }
  }

  @Test func `a message that stops early waits, wherever it stops`() {
    let message = Array(
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nA: b\r\n\r\n".utf8)
    for end in 1..<message.count {
      let reading = Reading([message[..<end]])
      #expect(reading.requests == [] && reading.rejection == nil && reading.isWaiting)
    }
    #expect(Reading([message[...]]).requests.count == 1)
  }

  @Test func `every known field name is found in either case, and none other`() {
    for name in FieldName.allCases where name != .other {
      for spelling in [name.spelling, name.spelling.uppercased(), name.spelling.lowercased()] where name != .host {
        let value = name == .contentLength ? "0" : name == .transferEncoding ? "chunked" : "100-continue"
        let reading = Reading("GET / HTTP/1.0\r\nX\(spelling): 1\r\n\r\n")
        #expect(reading.requests == ["GET / @ 1.0 close [other:1]"])
        let known = Reading("GET / HTTP/1.1\r\nHost: a\r\n\(spelling): \(value)\r\n\r\n0\r\n\r\n")
        #expect(known.requests.first?.contains("[\(name):\(value)]") == true)
      }
    }
  }

  @Test func `every byte is allowed exactly where the grammar allows it`() {
    let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    let path = Set("-._~!$&'()*+,;=:@/0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    for byte in UInt8.min...UInt8.max {
      func accepts(_ before: String, _ after: String) -> Bool {
        let bytes = Array(before.utf8) + [byte] + Array(after.utf8)
        return Reading([bytes[...]]).requests.count == 1
      }
      #expect(accepts("GET / HTTP/1.1\r\nHost: a\r\nX", "X: y\r\n\r\n") == (token.contains(byte) || byte == 0x3A))
      #expect(accepts("GET /x", "x HTTP/1.1\r\nHost: a\r\n\r\n") == (path.contains(byte) || byte == 0x3F))
      #expect(accepts("GET /?", " HTTP/1.1\r\nHost: a\r\n\r\n") == (path.contains(byte) || byte == 0x3F))
      let isText = byte == 9 || byte >= 0x20 && byte != 0x7F
      #expect(accepts("GET / HTTP/1.1\r\nHost: a\r\nX: y", "y\r\n\r\n") == isText)
    }
  }
}
