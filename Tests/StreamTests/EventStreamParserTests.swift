import BinderyTestKit
import Testing

/// The event stream parser of the test kit, checked with the rules and examples of the HTML standard
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
struct EventStreamParserTests {
  static let stream = """
    \u{FEFF}: a comment\r\n\r\nretry: 1500\rretry: soon\n\nid: 1\nevent: absent\ndata: {}\n\n\
    data: first\r\ndata:second\r\ndata\r\n\r\nid\n\nid: no\u{0}thing\ndata:  two blanks\n\nevent: forgotten\n\ndata: cut
    """
  static let events = [
    ServerSentEvent("absent", "{}", id: "1"), ServerSentEvent("message", "first\nsecond\n", id: "1"),
    ServerSentEvent("message", " two blanks", id: ""),
  ]

  @Test(arguments: [1, 2, 3, 7, 1_000]) func `the events do not depend on how the stream is split into pieces`(
    size: Int
  ) {
    let bytes = Array(Self.stream.utf8)
    var parser = EventStreamParser()
    for start in stride(from: 0, to: bytes.count, by: size) { parser.append(bytes[start...].prefix(size)) }
    #expect(parser.events == Self.events)
    #expect(parser.retryMilliseconds == 1_500)
    #expect(parser.commentCount == 1)
    #expect(parser.lastEventID == "")
  }
}
