import BinderyMenu
import BinderyTestKit
import FoundationEssentials
import Testing

/// A subscription is one slot: who is slow gets the newest value, and costs nothing.
struct SlowReaderTests {
  private let loop = Menus.loop()

  @Test func `a reader that stalls gets the newest value alone, and others all along`() {
    let (slow, quick) = (
      loop.follow("/state/dishes/\(Menus.first)/name"), loop.follow("/state/dishes/\(Menus.first)/name")
    )
    loop.stall(slow)
    for number in 1...50 { loop.commit { $0.carbonara.name = "\(number)" } }
    #expect(quick.takeData() == (1...50).map { "\"\($0)\"" })
    #expect(slow.take() == [])
    loop.flow(slow)
    #expect(slow.takeData() == ["\"50\""])
    loop.settle()
    #expect(slow.take() == [])
  }

  @Test(arguments: ["/state/time", "/state/time?as=patch", "/events?path=/time", "/events?path=/time&path=/dishes"])
  func `what came back while a reader stalled is no news`(target: String) {
    let stream = loop.follow(target)
    loop.stall(stream)
    loop.commit { $0.time = .tomorrow }
    loop.commit { $0.time = .tonight }
    loop.flow(stream)
    loop.settle()
    #expect(stream.take() == [])
    loop.commit { $0.time = .tomorrow }
    #expect(stream.take().count == 1)
  }

  @Test func `a reader that stalled while its place came and went is told nothing of it`() {
    let stream = loop.follow("/state/time/custom")
    loop.stall(stream)
    loop.commit { $0.time = .custom($0.evening) }
    loop.commit { $0.time = .tomorrow }
    loop.flow(stream)
    #expect(stream.take() == [])
  }

  @Test func `a heartbeat that could not be sent is sent once`() {
    let stream = loop.follow("/state/time")
    loop.stall(stream)
    loop.advance(milliseconds: 300_000)
    loop.flow(stream)
    #expect(stream.reader.parser.commentCount == 1)
  }

  @Test func `a commit that changes all of a stream's places asks for its event once`() {
    let stream = loop.follow("/events?path=/&path=/time&path=/customTimeOrDefault&path=/lastCustomTime")
    let before = loop.produceCount
    loop.commit { $0.time = .custom($0.evening + 60) }
    #expect(stream.take().count == 1)
    #expect(loop.produceCount == before + 1)
  }
}
