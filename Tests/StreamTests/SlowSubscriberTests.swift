import BinderyMenu
import BinderyTestKit
import FoundationEssentials
import Testing

/// A subscription has no queue: a slow subscriber receives only the newest value.
struct SlowSubscriberTests {
  private let loop = MenuFixture.loop()

  @Test func `a stalled subscriber receives only the newest value, and others every value`() {
    let (slow, fast) = (
      loop.follow("/state/dishes/\(MenuFixture.first)/name"), loop.follow("/state/dishes/\(MenuFixture.first)/name")
    )
    loop.pauseReading(slow)
    for number in 1...50 { loop.commit { $0.firstDish.name = "\(number)" } }
    #expect(fast.takeData() == (1...50).map { "\"\($0)\"" })
    #expect(slow.take() == [])
    loop.resumeReading(slow)
    #expect(slow.takeData() == ["\"50\""])
    loop.settle()
    #expect(slow.take() == [])
  }

  @Test(arguments: ["/state/time", "/state/time?as=patch", "/events?path=/time", "/events?path=/time&path=/dishes"])
  func `a value that changed back while a subscriber stalled sends no event`(target: String) {
    let stream = loop.follow(target)
    loop.pauseReading(stream)
    loop.commit { $0.time = .tomorrow }
    loop.commit { $0.time = .tonight }
    loop.resumeReading(stream)
    loop.settle()
    #expect(stream.take() == [])
    loop.commit { $0.time = .tomorrow }
    #expect(stream.take().count == 1)
  }

  @Test func `a place that was created and removed while a subscriber stalled sends no event`() {
    let stream = loop.follow("/state/time/custom")
    loop.pauseReading(stream)
    loop.commit { $0.time = .custom($0.evening) }
    loop.commit { $0.time = .tomorrow }
    loop.resumeReading(stream)
    #expect(stream.take() == [])
  }

  @Test func `heartbeats do not accumulate while a subscriber stalls`() {
    let stream = loop.follow("/state/time")
    loop.pauseReading(stream)
    loop.advance(milliseconds: 300_000)
    loop.resumeReading(stream)
    #expect(stream.reader.parser.commentCount == 1)
  }

  @Test func `a commit that changes all places of a stream produces one event`() {
    let stream = loop.follow("/events?path=/&path=/time&path=/customTimeOrDefault&path=/lastCustomTime")
    let before = loop.produceCount
    loop.commit { $0.time = .custom($0.evening + 60) }
    #expect(stream.take().count == 1)
    #expect(loop.produceCount == before + 1)
  }
}
