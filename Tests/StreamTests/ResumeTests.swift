import BinderyCore
import BinderyDigest
import BinderyMenu
import BinderyTestKit
import Testing

/// Resuming: what the peer has seen is compared with what there is, and nothing else is needed.
struct ResumeTests {
  private let loop = Menus.loop()

  @Test func `who knows the value hears nothing until it changes`() throws {
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

  @Test func `who knows that the place is absent hears nothing until it is there`() {
    let stream = loop.listen("/state/time/custom", lastEventID: "-")
    #expect(stream.take() == [])
    loop.commit { $0.time = .tomorrow }
    #expect(stream.take() == [])
    loop.commit { $0.customTimeOrDefault = $0.evening }
    #expect(stream.take().map(\.type) == ["message"])
  }

  @Test(arguments: ["", "-", "garbage", "\"quoted\"", "AAAAAAAAAAAAAAAAAAAAAA", "1", "*"])
  func `who knows anything else is told at once`(cursor: String) {
    #expect(loop.listen("/state/time", lastEventID: cursor).takeData() == [#""tonight""#])
  }

  @Test func `the header wins over the parameter`() throws {
    let tag = try #require(try loop.get("/state/time").digest)
    #expect(loop.listen("/state/time?last-event-id=\(tag)", lastEventID: "old").takeData() == [#""tonight""#])
    #expect(loop.listen("/state/time?last-event-id=old", lastEventID: tag).take() == [])
  }

  @Test func `what came back while the peer was away is no news`() {
    let stream = loop.listen("/state/time")
    loop.cut(stream)
    loop.commit { $0.time = .tomorrow }
    loop.commit { $0.time = .tonight }
    #expect(loop.listen("/state/time", lastEventID: stream.lastEventID).take() == [])
  }

  @Test(arguments: ["/state/time", "/state/time?as=patch", "/events?path=/time"])
  func `who comes after a commit is told its value, heard of by the others or not`(target: String) throws {
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

  @Test func `a cursor holds across a restart of the server with its store`() throws {
    let key = DigestKey.random()
    let before = MemoryLoop(Store(Menus.fresh), key: key)
    let (one, several) = (before.listen("/state/dishes"), before.listen("/events?path=/dishes&path=/time"))
    let kept = before.store.snapshot
    let after = MemoryLoop(Store(kept.root, revision: kept.revision), key: key)
    #expect(after.listen("/state/dishes", lastEventID: one.lastEventID).take() == [])
    #expect(after.listen("/events?path=/dishes&path=/time", lastEventID: several.lastEventID).take() == [])
    after.commit { $0.time = .tomorrow }
    #expect(after.listen("/state/dishes", lastEventID: one.lastEventID).take() == [])
    #expect(after.listen("/events?path=/dishes&path=/time", lastEventID: several.lastEventID).take().count == 1)
  }
}
