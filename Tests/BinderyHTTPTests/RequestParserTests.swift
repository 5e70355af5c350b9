import BinderyHTTP
import Testing

@Suite struct RequestParserTests {
  @Test(arguments: acceptedMessages)
  func `a valid message is parsed the same however it is split`(message: String, requests: [String]) {
    for result in ParseResult.allSplits(message) {
      #expect(result.requests == requests)
      #expect(result.rejection == nil && !result.isWaiting)
    }
  }

  @Test(arguments: rejectedMessages)
  func `an invalid message is rejected the same however it is split`(message: String, rejection: Rejection) {
    for result in ParseResult.allSplits(message) {
      #expect(result.requests == [] && result.rejection == rejection)
    }
  }

  @Test(arguments: rejectedChunks)
  func `an invalid chunk is rejected the same however it is split`(chunks: String, rejection: Rejection) {
    let head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    for result in ParseResult.allSplits(head + chunks) {
      #expect(result.requests == [] && result.rejection == rejection)
    }
  }

  @Test func `an incomplete message waits for more bytes wherever it ends`() {
    let message = Array(
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nA: b\r\n\r\n".utf8)
    for end in 1..<message.count {
      let result = ParseResult([message[..<end]])
      #expect(result.requests == [] && result.rejection == nil && result.isWaiting)
    }
    #expect(ParseResult([message[...]]).requests.count == 1)
  }

  @Test func `every known field name is recognized ignoring case and no other name is`() {
    for name in FieldName.allCases where name != .other {
      for spelling in [name.spelling, name.spelling.uppercased(), name.spelling.lowercased()] where name != .host {
        let value = name == .contentLength ? "0" : name == .transferEncoding ? "chunked" : "100-continue"
        let result = ParseResult("GET / HTTP/1.0\r\nX\(spelling): 1\r\n\r\n")
        #expect(result.requests == ["GET / @ 1.0 close [other:1]"])
        let known = ParseResult("GET / HTTP/1.1\r\nHost: a\r\n\(spelling): \(value)\r\n\r\n0\r\n\r\n")
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
        return ParseResult([bytes[...]]).requests.count == 1
      }
      #expect(accepts("GET /?", " HTTP/1.1\r\nHost: a\r\n\r\n") == (path.contains(byte) || byte == 0x3F))
      let isText = byte == 9 || byte >= 0x20 && byte != 0x7F
      // Paths, names and values are tested several bytes at a time, so every offset is tried.
      for count in 1...9 {
        let text = String(repeating: "x", count: count)
        let isPath = path.contains(byte) || byte == 0x3F
        #expect(accepts("GET /\(text)", "x HTTP/1.1\r\nHost: a\r\n\r\n") == isPath)
        let isName = token.contains(byte) || byte == 0x3A
        #expect(accepts("GET / HTTP/1.1\r\nHost: a\r\n\(text)", "X: y\r\n\r\n") == isName)
        #expect(accepts("GET / HTTP/1.1\r\nHost: a\r\nX: \(text)", "y\r\n\r\n") == isText)
      }
    }
  }
}
