import BinderyTelemetry
import BinderyTestKit
import BindingLaws
import Testing

/// The parsing of `traceparent` (https://www.w3.org/TR/trace-context/#traceparent-header).
struct TraceContextTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"

  @Test(arguments: [
    "00-\(trace)-\(span)-01",
    "00-\(trace)-\(span)-00",
    // Unknown flags are ignored.
    "00-\(trace)-\(span)-ff",
    // A later version is parsed like version 00, and further parts are ignored.
    "01-\(trace)-\(span)-01",
    "cc-\(trace)-\(span)-01-what-the-future-will-be-like",
    "fe-\(trace)-\(span)-01-",
  ])
  func `a valid traceparent is accepted`(_ value: String) throws {
    let context = try #require(parse(value))
    #expect(context.traceText == Self.trace)
    #expect(text(context).hasPrefix("00-\(Self.trace)-\(Self.span)-0"))
  }

  @Test(arguments: [
    "", "00", "00-", "00-\(trace)", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-0",
    "00-\(trace)-\(span)-01-more", "00-\(trace)-\(span)-011", "ff-\(trace)-\(span)-01",
    "cc-\(trace)-\(span)-01.what", "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-\(span)-01", "00-\(trace)-00F067AA0BA902B7-01", "0g-\(trace)-\(span)-01",
    "00-\(trace)-\(span)-0x", "00_\(trace)_\(span)_01", " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01 ",
    "00-\(trace)-\(span)-01,00-\(trace)-\(span)-01", "00-+bf92f3577b34da6a3ce929d0e0e4736-\(span)-01",
  ])
  func `an invalid traceparent is ignored`(_ value: String) {
    #expect(parse(value) == nil)
  }

  @Test func `every digit must be a lower-case hexadecimal one`() {
    let digits = Set("0123456789abcdef".utf8)
    let value = Array("00-\(Self.trace)-\(Self.span)-01".utf8)
    for index in value.indices where value[index] != UInt8(ascii: "-") {
      for byte in UInt8.min...UInt8.max {
        var changed = value
        changed[index] = byte
        #expect((TraceContext(parsing: changed.span) != nil) == digits.contains(byte), "\(byte) at \(index)")
      }
    }
  }

  private func parse(_ value: String) -> TraceContext? { TraceContext(parsing: Array(value.utf8).span) }

  private func text(_ context: TraceContext) -> String {
    let text = context.text
    return String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
  }

  @Test func `a child span keeps the trace id and the flags`() throws {
    var random = SeededGenerator(seed: 1)
    let parent = try #require(parse("00-\(Self.trace)-\(Self.span)-01"))
    let child = parent.child(using: &random)
    #expect(child.traceText == Self.trace)
    #expect(child.flags == 1)
    #expect(child.span != parent.span)
    #expect(parse(text(child)) == child)
  }

  @Test func `new traces have distinct, valid ids`() {
    var random = SeededGenerator(seed: 2)
    let traces = (0..<100).map { _ in TraceContext(using: &random) }
    #expect(Set(traces.map(\.traceText)).count == 100)
    for trace in traces { #expect(parse(text(trace)) == trace) }
  }
}
