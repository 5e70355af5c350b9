import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyService
import BinderyTestKit
import Testing

/// A browser's EventSource gives up for good on any status but 200: so it gets one.
struct OverloadTests {
  private func full() -> MemoryLoop<Menu> {
    var limits = StreamLimits()
    limits.streams = 2
    return Menus.loop(limits)
  }

  @Test(arguments: ["/state/time", "/state/time?as=patch", "/events?path=/time"])
  func `a stream too many is told to come back later`(target: String) throws {
    let loop = full()
    let streams = [loop.listen(target), loop.listen(target)]
    for _ in 0..<30 {
      let refused = loop.listen(target)
      let reply = try #require(refused.reader.reply)
      #expect(reply.status == 200)
      #expect(reply["Content-Type"] == "text/event-stream")
      #expect(reply["Connection"] == "close")
      let retry = try #require(refused.reader.parser.retryMilliseconds)
      #expect((5_000...15_000).contains(retry))
      #expect(refused.take() == [])
    }
    loop.commit { $0.time = .tomorrow }
    #expect(streams.allSatisfy { $0.take().count == 2 })
    loop.cut(streams[0])
    #expect(loop.listen(target).take().count == 1)
  }

  @Test func `while too many wait, others are refused, whatever they ask for`() throws {
    var limits = StreamLimits()
    limits.unanswered = 1
    let loop = Menus.loop(limits)
    let tag = try #require(try loop.get("/state/time").etag)
    // Known by now, so that its answer could be repeated.
    #expect(try loop.get("/state/time").status == 200)
    let waiting = loop.begin(Request("GET", "/state/time?wait=30", fields: [("If-None-Match", tag)]))
    loop.settle()
    #expect(waiting.reader.reply == nil)
    for target in ["/state/time", "/state/dishes"] {
      let refused = try loop.get(target)
      #expect(refused.outcome == "503 unavailable")
      #expect(refused["Retry-After"] != nil)
    }
    loop.cut(waiting)
    #expect(try loop.get("/state/time").status == 200)
  }

  @Test func `a stop ends the streams and tells each when to come back`() throws {
    let loop = Menus.loop()
    let streams = (0..<30).map { _ in loop.follow("/state/time") }
    loop.responder.draining()
    loop.settle()
    var times: Set<Int> = []
    for stream in streams {
      #expect(stream.reader.isEnded)
      #expect(!stream.isOpen)
      times.insert(try #require(stream.reader.parser.retryMilliseconds))
    }
    #expect(times.allSatisfy { (5_000...15_000).contains($0) })
    #expect(times.count > 10)
    let late = loop.listen("/state/time")
    #expect(late.reader.reply?.status == 200)
    #expect((5_000...15_000).contains(try #require(late.reader.parser.retryMilliseconds)))
  }

  @Test func `the streams of a server that stops come to their end`() throws {
    let live = try LiveService(Menus.fresh)
    defer { live.stop() }
    let stream = try SocketEventStream(live.address, "/state/time")
    #expect(try stream.next()?.data == "\"tonight\"")
    live.service.stop()
    #expect(try stream.next() == nil)
    #expect(stream.reader.isEnded)
    #expect((5_000...15_000).contains(try #require(stream.reader.parser.retryMilliseconds)))
    stream.cut()
  }
}
