import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyTestKit
import Testing

/// Pages of the history with revisions that are longer than a slice.
struct LongHistoryTests {
  /// A history of which each page has all revisions.
  private struct OnePage: History {
    let revisions: [Revision]
    var continuation: Int?

    func revisions(
      _ query: HistoryQuery, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void
    ) {
      completion(.success(HistoryPage(revisions: revisions, oldest: revisions[0].number, continuation: continuation)))
    }
  }

  /// The patch of the revision: half a megabyte.
  private static let patch = Array(
    #"[{"op":"replace","path":"/note","value":"\#(String(repeating: "x", count: 500_000))"}]"#.utf8)

  private func loop(_ limits: StreamLimits = StreamLimits(), revision: Int = 1) -> MemoryLoop<Zoo> {
    let revision = Revision(number: revision, at: 0, patch: Self.patch, undo: [UInt8]("[]".utf8), shown: nil)
    return MemoryLoop(Store(Zoo(), revision: 1), streamLimits: limits, history: OnePage(revisions: [revision]))
  }

  @Test func `a long revision is sent slice by slice`() throws {
    let loop = loop()
    let exchange = loop.begin(Request("GET", "/history"))
    var largest = 0
    var last = 0
    while loop.turn() {
      largest = max(largest, exchange.bytes.count - last)
      last = exchange.bytes.count
    }
    let reply = try #require(exchange.reader.reply)
    #expect(reply["Transfer-Encoding"] == "chunked")
    #expect(reply["Cache-Control"] == "no-store")
    #expect(reply.text.contains(String(decoding: Self.patch, as: UTF8.self)))
    #expect(reply.member("oldest") == "1")
    #expect((1...70_000).contains(largest))
  }

  @Test func `long pages that clients do not read are limited in bytes`() throws {
    var limits = StreamLimits()
    limits.historyBytes = 1_200_000
    let loop = loop(limits)
    let unread = (0..<2).map { _ in loop.begin(Request("GET", "/history")) }
    for exchange in unread { loop.pauseReading(exchange) }
    loop.settle()
    let refused = try loop.get("/history")
    #expect(refused.outcome == "503 unavailable")
    #expect(refused["Retry-After"] != nil)
    loop.disconnect(unread[0])
    #expect(try loop.get("/history").status == 200)
  }

  @Test func `a revision that is not published yet is not listed`() throws {
    #expect(try loop(revision: 2).get("/history").text == #"{"revisions":[],"oldest":2}"#)
  }

  @Test func `a page of short and long revisions is complete JSON`() throws {
    func patch(_ count: Int) -> String {
      #"[{"op":"add","path":"/letters/id","at":3,"value":"\#(String(repeating: "x", count: count))"}]"#
    }
    func shown(_ count: Int) -> String {
      #"[{"op":"add","path":"/letters/3","value":"\#(String(repeating: "x", count: count))"}]"#
    }
    let counts = [10, 100_000, 5, 70_000, 70_000, 1]
    let revisions = counts.enumerated().map { number, count in
      Revision(
        number: number + 1, at: 0, patch: Array(patch(count).utf8), undo: Array(#"[{"op":"remove","path":"/x"}]"#.utf8),
        shown: nil,
        positions: Revision.Pair(patch: Array(#"["/letters/3"]"#.utf8), undo: Array(#"["/x"]"#.utf8)))
    }
    let history = OnePage(revisions: revisions, continuation: 6)
    let loop = MemoryLoop(Store(Zoo(), revision: 9), history: history)
    let expected = counts.enumerated().map { number, count in
      #"{"revision":\#(number + 1),"at":"1970-01-01T00:00:00.000Z","by":"in-process","patch":\#(shown(count)),"#
        + #""undo":[{"op":"remove","path":"/x"}]}"#
    }
    let reply = try loop.get("/history")
    #expect(reply.text == #"{"revisions":[\#(expected.joined(separator: ","))],"oldest":1}"#)
    #expect(reply["Link"] == "</history?after=6&limit=100>; rel=\"next\"")
  }
}
