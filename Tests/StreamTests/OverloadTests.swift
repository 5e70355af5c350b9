import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyService
import BinderyTestKit
import Testing

/// Overload and shutdown.
///
/// A browser's EventSource reconnects only after a response with status 200. A refused stream therefore gets 200, a
/// retry time and the end of the connection.
struct OverloadTests {
  private func full() -> MemoryLoop<Menu> {
    var limits = StreamLimits()
    limits.maximumStreams = 2
    return MenuFixture.loop(limits)
  }

  @Test(arguments: ["/state/time", "/state/time?as=patch", "/events?path=/time"])
  func `a stream above the limit is refused with a later retry time`(target: String) throws {
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
    loop.disconnect(streams[0])
    #expect(loop.listen(target).take().count == 1)
  }

  @Test func `too many long polls are rejected with 503 and do not block other requests`() throws {
    var limits = StreamLimits()
    limits.maximumPendingResponses = 1
    let loop = MenuFixture.loop(limits)
    let tag = try #require(try loop.get("/state/time").etag)
    let poll = Request("GET", "/state/time?wait=30", fields: [("If-None-Match", tag)])
    let waiting = loop.begin(poll)
    loop.settle()
    #expect(waiting.reader.reply == nil)
    let refused = try loop.send(poll)
    #expect(refused.outcome == "503 unavailable")
    #expect(refused["Retry-After"] != nil)
    // The second response is cached.
    for target in ["/state/time", "/state/time", "/state/dishes", "/state/time?wait=0"] {
      #expect(try loop.get(target).status == 200)
    }
    #expect(try loop.send("PATCH", "/state/selectedDay", "\"2026-11-22\"").status == 200)
    loop.disconnect(waiting)
    let next = loop.begin(poll)
    loop.settle()
    #expect(next.reader.reply == nil && next.isOpen)
  }

  @Test func `a stop ends the streams and sends each a retry time that covers a restart`() throws {
    let loop = MenuFixture.loop()
    let streams = (0..<30).map { _ in loop.follow("/state/time") }
    loop.responder.willStop()
    loop.settle()
    var times: Set<Int> = []
    for stream in streams {
      #expect(stream.reader.isEnded)
      #expect(!stream.isOpen)
      times.insert(try #require(stream.reader.parser.retryMilliseconds))
    }
    #expect(times.allSatisfy { (1_000...3_000).contains($0) })
    #expect(times.count > 10)
    let late = loop.listen("/state/time")
    #expect(late.reader.reply?.status == 200)
    #expect((5_000...15_000).contains(try #require(late.reader.parser.retryMilliseconds)))
  }

  @Test func `the streams of a stopping server end with the last chunk`() throws {
    let live = try LiveService(MenuFixture.initial)
    defer { live.stop() }
    let stream = try SocketEventStream(live.address, "/state/time")
    #expect(try stream.next()?.data == "\"tonight\"")
    live.service.stop()
    #expect(try stream.next() == nil)
    #expect(stream.reader.isEnded)
    #expect((1_000...3_000).contains(try #require(stream.reader.parser.retryMilliseconds)))
    stream.disconnect()
  }
}
