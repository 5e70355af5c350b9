import BinderyHTTP
import Testing

@Suite struct ResponseWriterTests {
  private func write(_ context: ResponseWriter.Context = .init(), _ body: (inout ResponseWriter) -> Void) -> String {
    var writer = ResponseWriter()
    writer.context = context
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
      .replacing("\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n", with: "\r\n")
  }

  @Test func `a response contains its status, fields and content`() {
    let text = write { output in
      output.start(.created)
      output.field(.location, "/a")
      output.field(.stateRevision, 1_234_567_890)
      output.field(.etag, "\"1\"")
      output.field(custom: "X-Y", "z")
      output.finish(content: "abc")
    }
    #expect(
      text == "HTTP/1.1 201 Created\r\nLocation: /a\r\nState-Revision: 1234567890\r\nETag: \"1\"\r\nX-Y: z\r\n"
        + "Content-Length: 3\r\n\r\nabc")
  }

  @Test func `control characters in values cannot start a new line`() {
    let hostile = "a\r\nSet-Cookie: x\r\n\r\n\u{0}\u{7f}b"
    let text = write { output in
      output.start(.ok)
      output.field(.location, hostile)
      output.field(.link, Array(hostile.utf8).span)
      output.field(.etag, hostile)
      output.field(custom: "X: y\r\nZ", hostile)
      output.finish()
    }
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    #expect(lines.count == 8)
    #expect(lines[1] == "Location: a  Set-Cookie: x      b")
    #expect(lines[4].hasPrefix("X--y--Z: a "))
    #expect(!text.contains("\u{0}"))
  }

  @Test(arguments: [true, false], [true, false])
  func `a prepared chunk equals a chunk encoded in place`(isHead: Bool, isHTTP11: Bool) {
    let context = ResponseWriter.Context(isHead: isHead, isHTTP11: isHTTP11)
    for length in [1, 9, 10, 15, 16, 255, 256, 70_000] {
      let content = [UInt8](repeating: 0x61, count: length)
      let encoded = write(context) { $0.chunk { $0.append(contentsOf: content) } }
      let prepared = write(context) { $0.chunk(PreparedChunk(content)) }
      // The encoded size has leading zeros, which RFC 9112 §7.1 allows.
      #expect(prepared == (isHTTP11 ? String(encoded.drop { $0 == "0" }) : encoded))
      #expect(prepared.isEmpty == isHead)
    }
  }

  @Test(arguments: [HTTPStatus.noContent, .notModified])
  func `a status that forbids content has no content and no length`(status: HTTPStatus) {
    let variants: [(inout ResponseWriter) -> Void] = [
      { $0.finish() }, { $0.finish(content: "x") }, { $0.finish(content: [1]) },
    ]
    for finish in variants {
      let text = write { output in
        output.start(status)
        output.field(.etag, "\"1\"")
        finish(&output)
      }
      #expect(text.hasSuffix("\r\nETag: \"1\"\r\n\r\n") && !text.contains("Content-Length"))
    }
    let text = write { output in
      output.start(status)
      output.fields(upTo: 30) { $0.appendField(.stateRevision, 7) }
      output.finish(content: [1])
    }
    #expect(text.hasSuffix("\r\nState-Revision: 7\r\n\r\n") && !text.contains("Content-Length"))
  }

  @Test(arguments: [0, 1, 9, 10, 12_345, 1_048_576])
  func `content has the correct length`(length: Int) {
    func text(isHead: Bool) -> String {
      write(.init(isHead: isHead)) { output in
        output.start(.ok)
        output.finish(content: [UInt8](repeating: 0x2E, count: length))
      }
    }
    let parts = text(isHead: false).split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
    #expect(parts[1].utf8.count == length)
    #expect(parts[0].split(separator: " ").last == "\(length)")
    #expect(text(isHead: true) == parts[0] + "\r\n\r\n")
  }

  @Test func `a response to HEAD has a length and no content`() {
    let variants: [(inout ResponseWriter) -> Void] = [
      { $0.finish(content: "abc") }, { $0.finish(content: [1, 2, 3]) },
      { $0.finish(line: [1, 2], after: FieldLines()) },
    ]
    for finish in variants {
      let text = write(.init(isHead: true)) { output in
        output.start(.ok)
        finish(&output)
      }
      #expect(text.hasSuffix("\r\nContent-Length: 3\r\n\r\n"))
    }
  }

  @Test func `several fields can be built in place`() {
    let text = write { output in
      output.start(.ok)
      output.fields(upTo: 80) { fields in
        fields.appendTagField(.etag, high: 0, low: .max)
        fields.appendField(.stateRevision, .max)
      }
      output.finish(content: [0x61, 0x62])
    }
    #expect(
      text == "HTTP/1.1 200 OK\r\nETag: \"AAAAAAAAAAD__________w\"\r\nState-Revision: 9223372036854775807\r\n"
        + "Content-Length: 2\r\n\r\nab")
  }

  @Test func `the trace is part of the next response only`() {
    var writer = ResponseWriter()
    writer.nextTrace = InlineArray(repeating: UInt8(ascii: "1"))
    writer.start(.noContent)
    writer.finish()
    let value = String(repeating: "1", count: 55)
    let text = String(decoding: writer.bytes, as: UTF8.self)
    #expect(text.hasSuffix("\r\ntraceparent: \(value)\r\ntraceresponse: \(value)\r\n\r\n"))
    writer.removeAll()
    writer.start(.noContent)
    writer.finish()
    #expect(!String(decoding: writer.bytes, as: UTF8.self).contains("trace"))
  }

  @Test func `common fields are part of every response until they are replaced`() {
    var writer = ResponseWriter()
    func respond(_ status: HTTPStatus) -> String {
      writer.removeAll()
      writer.start(status)
      writer.finish()
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    let first = FieldLines { $0.field(.vary, "A") }
    let second = FieldLines { $0.field(.vary, "B") }
    for (fields, line) in [(first, "\r\nVary: A\r\n"), (second, "\r\nVary: B\r\n"), (first, "\r\nVary: A\r\n")] {
      writer.setCommonFields(fields)
      for seconds in [0, 86_400] as [Int64] {
        writer.setDate(seconds: seconds)
        for status in [HTTPStatus.ok, .created] {
          let text = respond(status)
          #expect(text.contains(line) && text.split(separator: "Vary").count == 2)
          #expect(text.contains(seconds == 0 ? "Thu, 01 Jan 1970" : "Fri, 02 Jan 1970"))
        }
      }
    }
    writer.setCommonFields(FieldLines())
    #expect(!respond(.ok).contains("Vary"))
  }

  @Test func `the Connection field is sent only if it differs from the default of the version`() {
    func head(_ isHTTP11: Bool, _ keepAlive: Bool) -> String {
      write(.init(isHTTP11: isHTTP11, keepAlive: keepAlive)) { $0.start(.ok) }
    }
    #expect(!head(true, true).contains("Connection"))
    #expect(head(true, false).contains("\r\nConnection: close\r\n"))
    #expect(head(false, true).contains("\r\nConnection: keep-alive\r\n"))
    #expect(head(false, false).contains("\r\nConnection: close\r\n"))
  }

  @Test func `a chunk starts with its size and an empty chunk is not sent`() {
    for size in [0, 1, 15, 16, 255, 70_000] {
      let text = write { $0.chunk { $0.append(contentsOf: repeatElement(0x2E, count: size)) } }
      guard size > 0 else {
        #expect(text == "")
        continue
      }
      #expect(Int(text.prefix(8), radix: 16) == size)
      #expect(text.utf8.count == 8 + 2 + size + 2 && text.hasSuffix(".\r\n"))
    }
  }
}

extension ResponseWriter {
  fileprivate mutating func finish(content: String) { finish(content: Array(content.utf8)) }
}
