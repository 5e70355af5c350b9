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

  @Test func `an event id has the tag, the revision and the history`() throws {
    loop.commit { $0.time = .tomorrow }
    let tag = try #require(try loop.get("/state/time").digest)
    #expect(loop.listen("/state/time").take().map(\.id) == ["\(tag)~1~\(loop.store.history)"])
    #expect(loop.listen("/state/time/custom").take().map(\.id) == ["-~1~\(loop.store.history)"])
    #expect(loop.listen("/state/time?as=patch").take().map(\.id) == ["\(tag)~1~\(loop.store.history)"])
    let several = try #require(loop.listen("/events?path=/time").take().first)
    #expect(several.id.hasSuffix("~1~\(loop.store.history)"))
    #expect(several.id.prefix { $0 != "~" }.utf8.count == 43, "32 bytes in base64url")
  }

  @Test(arguments: ["", "~", "~0~abcd1234", "~99~abcd1234", "~x", "~1~2~3"])
  func `only the tag of an event id decides what is sent`(suffix: String) throws {
    let tag = try #require(try loop.get("/state/time").digest)
    #expect(loop.listen("/state/time", lastEventID: tag + suffix).take() == [])
    #expect(loop.listen("/state/time?last-event-id=\(tag)\(suffix)").take() == [])
    #expect(loop.listen("/state/time/custom", lastEventID: "-" + suffix).take() == [])
    let cursor = loop.follow("/events?path=/time").lastEventID.prefix { $0 != "~" }
    #expect(loop.listen("/events?path=/time", lastEventID: cursor + suffix).take() == [])
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
