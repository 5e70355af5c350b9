import BinderyCore
import BinderyDigest
import BinderyMenu
import BinderyTestKit
import Testing

/// Resuming a stream: the cursor of the client is compared with the current content.
struct StreamResumeTests {
  private let loop = MenuFixture.loop()

  @Test func `a cursor of the current value receives no event until the value changes`() throws {
    let tag = try #require(try loop.get("/state/time").digest)
    let header = loop.listen("/state/time", lastEventID: tag)
    let parameter = loop.listen("/state/time?last-event-id=\(tag)")
    #expect(header.take() == [])
    #expect(parameter.take() == [])
    #expect(header.reader.parser.retryMilliseconds != nil)
    loop.commit { $0.time = .tomorrow }
    #expect(header.takeData() == [#""tomorrow""#])
    #expect(parameter.takeData() == [#""tomorrow""#])
  }

  @Test func `a cursor of an absent place receives no event until the place exists`() {
    let stream = loop.listen("/state/time/custom", lastEventID: "-")
    #expect(stream.take() == [])
    loop.commit { $0.time = .tomorrow }
    #expect(stream.take() == [])
    loop.commit { $0.customTimeOrDefault = $0.evening }
    #expect(stream.take().map(\.type) == ["message"])
  }

  @Test(arguments: ["", "-", "garbage", "\"quoted\"", "AAAAAAAAAAAAAAAAAAAAAA", "1", "*"])
  func `any other cursor receives the value at once`(cursor: String) {
    #expect(loop.listen("/state/time", lastEventID: cursor).takeData() == [#""tonight""#])
  }

  @Test func `the Last-Event-ID header takes precedence over the query parameter`() throws {
    let tag = try #require(try loop.get("/state/time").digest)
    #expect(loop.listen("/state/time?last-event-id=\(tag)", lastEventID: "old").takeData() == [#""tonight""#])
    #expect(loop.listen("/state/time?last-event-id=old", lastEventID: tag).take() == [])
  }

  @Test func `a value that changed back while the client was disconnected sends no event`() {
    let stream = loop.listen("/state/time")
    loop.disconnect(stream)
    loop.commit { $0.time = .tomorrow }
    loop.commit { $0.time = .tonight }
    #expect(loop.listen("/state/time", lastEventID: stream.lastEventID).take() == [])
  }

  @Test(arguments: ["/state/time", "/state/time?as=patch", "/events?path=/time"])
  func `a client that subscribes after a commit receives its value before others are notified`(target: String) throws {
    let other = loop.follow("/state/time")
    loop.store.post { $0.time = .tomorrow }
    let stream = loop.listen(target)
    #expect(stream.takeData().first?.contains("tomorrow") == true)
    let tag = try #require(try loop.get("/state/time").digest)
    #expect(loop.listen("/state/time", lastEventID: tag).take() == [])
    loop.settle()
    #expect(stream.take() == [])
    #expect(other.takeData() == [#""tomorrow""#])
  }

  @Test func `a cursor stays valid after a restart of the server with its store`() throws {
    let key = DigestKey.random()
    let before = MemoryLoop(Store(MenuFixture.initial), key: key)
    let (single, several) = (before.listen("/state/dishes"), before.listen("/events?path=/dishes&path=/time"))
    let stored = before.store.snapshot
    let after = MemoryLoop(Store(stored.root, revision: stored.revision), key: key)
    #expect(after.listen("/state/dishes", lastEventID: single.lastEventID).take() == [])
    #expect(after.listen("/events?path=/dishes&path=/time", lastEventID: several.lastEventID).take() == [])
    after.commit { $0.time = .tomorrow }
    #expect(after.listen("/state/dishes", lastEventID: single.lastEventID).take() == [])
    #expect(after.listen("/events?path=/dishes&path=/time", lastEventID: several.lastEventID).take().count == 1)
  }
}
