import BinderyHTTP
import BinderyMenu
import BinderyTestKit
import Testing

/// Heartbeats and minimum intervals, with a clock that the test controls.
struct StreamTimingTests {
  private let loop = MenuFixture.loop()

  @Test func `every stream receives a heartbeat every 15 seconds`() {
    let streams = (0..<40).map { _ in loop.follow("/state/time") }
    for beats in 1...4 {
      loop.advance(milliseconds: 15_000)
      #expect(streams.allSatisfy { $0.reader.parser.commentCount == beats })
    }
    #expect(streams.allSatisfy { $0.take().isEmpty })
    #expect(String(decoding: streams[0].bytes, as: UTF8.self).contains(": hb\n\n"))
  }

  @Test func `a loop without streams has no timers`() {
    let stream = loop.follow("/state/time")
    loop.advance(milliseconds: 20_000)
    loop.disconnect(stream)
    loop.advance(milliseconds: 1_000)
    #expect(loop.context.nextWorkMilliseconds == .max)
    let other = loop.follow("/state/time")
    loop.advance(milliseconds: 15_000)
    #expect(other.reader.parser.commentCount == 1)
  }

  @Test func `events respect the minimum interval, and the last value is not lost`() {
    let stream = loop.listen("/state/dishes/\(MenuFixture.first)/name?every=250")
    #expect(stream.take().count == 1)
    for number in 1...10 {
      loop.commit { $0.firstDish.name = "\(number)" }
      loop.advance(milliseconds: 100)
    }
    let values = stream.takeData()
    #expect(values.count == 3 || values.count == 4)
    loop.advance(milliseconds: 300)
    #expect((values + stream.takeData()).last == "\"10\"")
    loop.advance(milliseconds: 1_000)
    loop.commit { $0.firstDish.name = "at once" }
    #expect(stream.takeData() == ["\"at once\""])
    loop.commit { $0.firstDish.name = "later" }
    loop.advance(milliseconds: 249)
    #expect(stream.take() == [])
    loop.advance(milliseconds: 100)
    #expect(stream.takeData() == ["\"later\""])
  }

  @Test func `a value that changes back within the minimum interval sends no event`() {
    let stream = loop.follow("/state/time?every=1000")
    loop.commit { $0.time = .tomorrow }
    loop.commit { $0.time = .tonight }
    loop.advance(milliseconds: 5_000)
    #expect(stream.take() == [])
  }

  @Test(arguments: ["-1", "x", "1.5", "3600001", ""]) func `an invalid minimum interval is rejected with 400`(
    every: String
  ) {
    #expect(loop.listen("/state/time?every=\(every)").reader.reply?.outcome == "400 malformed-query")
  }

  @Test func `closed streams and long polls leave no timers`() throws {
    let tag = try #require(try loop.get("/state/time").etag)
    for _ in 0..<50 {
      let stream = loop.follow("/state/time?every=3600000")
      loop.commit { $0.time = $0.time == .tonight ? .tomorrow : .tonight }
      loop.disconnect(stream)
      loop.disconnect(
        loop.begin(Request("GET", "/state/pinnedID?wait=60", fields: [(name: "If-None-Match", value: tag)])))
      let pinned = try #require(try loop.get("/state/pinnedID").etag)
      loop.disconnect(
        loop.begin(Request("GET", "/state/pinnedID?wait=60", fields: [(name: "If-None-Match", value: pinned)])))
    }
    loop.advance(milliseconds: 2_000)
    var timerCount = 0
    while loop.context.nextWorkMilliseconds != .max {
      loop.context.nowMilliseconds = loop.context.nextWorkMilliseconds
      while loop.context.takeDueTimer() != nil { timerCount += 1 }
    }
    #expect(timerCount <= 2)
  }
}
