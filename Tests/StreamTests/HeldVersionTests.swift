import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyTestKit
import Testing

/// Long responses and events that clients read slowly keep old versions of the state in memory, but not many.
struct HeldVersionTests {
  private let loop: MemoryLoop<Library>

  init() {
    var limits = StreamLimits()
    limits.maximumHeldVersions = 2
    loop = MemoryLoop(Store(Library()), streamLimits: limits)
  }

  /// Begins five exchanges whose clients do not read on, each with another version.
  private func stalled(_ begin: () -> MemoryExchange) -> [MemoryExchange] {
    (0..<5).map { number in
      let exchange = begin()
      loop.turn()
      loop.pauseReading(exchange)
      loop.store.post { $0.name = "version \(number)" }
      loop.settle()
      return exchange
    }
  }

  private func areOpen(_ exchanges: [MemoryExchange]) -> [Bool] {
    exchanges.forEach(loop.resumeReading)
    loop.settle()
    return exchanges.map { $0.isOpen || $0.reader.isEnded }
  }

  @Test func `the oldest of many long responses end before their contents`() {
    let readers = stalled { loop.begin(Request("GET", "/state")) }
    loop.advance(milliseconds: 11_000)
    #expect(areOpen(readers) == [false, false, false, true, true])
  }

  @Test(arguments: ["/state", "/events?path=/"])
  func `the oldest of many long events end`(_ target: String) {
    let streams = stalled { loop.listen(target) }
    loop.advance(milliseconds: 11_000)
    streams.forEach(loop.resumeReading)
    loop.settle()
    #expect(streams.map(\.isOpen) == [false, false, false, true, true])
    // A client discards an incomplete event. The others receive theirs, and then the newest.
    #expect(streams.map { $0.takeData().count } == [0, 0, 0, 2, 2])
  }

  @Test func `a client that reads for less than ten seconds is not disturbed`() {
    let readers = stalled { loop.begin(Request("GET", "/state")) }
    loop.advance(milliseconds: 8_000)
    #expect(areOpen(readers) == Array(repeating: true, count: 5))
  }

  @Test func `many clients may read one version slowly`() {
    let readers = (0..<5).map { _ in loop.begin(Request("GET", "/state")) }
    loop.turn()
    readers.forEach(loop.pauseReading)
    loop.store.post { $0.name = "new" }
    loop.advance(milliseconds: 60_000)
    #expect(areOpen(readers) == Array(repeating: true, count: 5))
  }
}
