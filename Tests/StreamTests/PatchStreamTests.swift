import BinderyAPI
import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyTestKit
import Testing

/// Streams with `?as=patch`: a complete value, then JSON Patches.
struct PatchStreamTests {
  private let loop = MenuFixture.loop()

  /// Returns the ETag of a place as the id of an event.
  private func id(_ target: String) throws -> String { loop.id(try #require(try loop.get(target).digest)) }

  @Test func `the first event is a complete value and the next ones are patches, with the ETag as id`() throws {
    let stream = loop.listen("/state/dishes?as=patch")
    let value = try loop.text("/state/dishes")
    #expect(stream.take() == [ServerSentEvent("message", value, id: try id("/state/dishes"))])
    loop.commit { $0.dishes.edit(at: 1) { $0.status = .inStock(quantity: 7) } }
    let patch = #"[{"op":"replace","path":"/1/status/inStock/quantity","value":7}]"#
    #expect(stream.take() == [ServerSentEvent("patch", patch, id: try id("/state/dishes"))])
  }

  @Test func `the patches of moved, removed and edited elements lead to the current value`() throws {
    let stream = loop.listen("/state?as=patch")
    var value = try JSONTree(parsing: try #require(stream.takeData().first))
    let commits: [(inout Menu) -> Void] = [
      { $0.dishes.move(id: $0.dishes[3].id, to: 0) }, { $0.dishes.remove(at: 1) },
      { $0.firstDish.isFavorite = true }, { $0.selectedDay = $0.today.advanced(by: 3) },
      { $0.pinnedID = $0.dishes[0].id },
    ]
    for body in commits {
      loop.commit(body)
      let event = try #require(stream.take().first)
      #expect(event.type == "patch")
      try value.apply(patch: event.data)
      #expect(value.text == (try loop.text("/state")))
    }
  }

  @Test func `a change whose patch would be too long sends the complete value, from which patches continue`() throws {
    let encodings = Encodings()
    let loop = MemoryLoop(Store(Archive.make(encodings)))
    let stream = loop.listen("/state?as=patch")
    loop.settle()
    #expect(stream.take().count == 1)
    let text = Archive.Text(text: String(repeating: "y", count: 1_000), encodings: encodings)
    loop.store.post { archive in
      for id in 0..<Archive.entryCount { archive.entries.edit(id: id) { $0.text = text } }
    }
    loop.settle()
    let events = stream.take()
    #expect(events.map(\.type) == ["message"])
    #expect(events.first.map { $0.data.utf8.count > Archive.jsonBytes } == true)
    loop.store.post { $0.title = "1" }
    loop.settle()
    #expect(stream.takeData() == [#"[{"op":"replace","path":"/title","value":"1"}]"#])
  }

  @Test func `a slow subscriber receives one patch from the value that it has`() throws {
    let stream = loop.follow("/state/time?as=patch")
    loop.pauseReading(stream)
    loop.commit { $0.time = .tomorrow }
    loop.commit { $0.time = .custom($0.evening) }
    loop.resumeReading(stream)
    let value = #"{"custom":"2026-11-21T19:00:00.000Z"}"#
    let patch = #"[{"op":"replace","path":"","value":\#(value)}]"#
    #expect(stream.take() == [ServerSentEvent("patch", patch, id: try id("/state/time"))])
  }

  @Test func `an absent place sends an absent event, and a restored one a complete value`() throws {
    let stream = loop.follow("/state/editing/some?as=patch")
    loop.commit { $0.editing = .some($0.firstDish) }
    #expect(stream.take().map(\.type) == ["message"])
    loop.commit { $0.editing = .some(.none) }
    let tag = try #require(try loop.get("/state/editing/some").digest)
    #expect(
      stream.take() == [ServerSentEvent("patch", #"[{"op":"replace","path":"","value":null}]"#, id: loop.id(tag))])
    loop.commit { $0.editing = .none }
    #expect(stream.take() == [ServerSentEvent("absent", #"{"reason":"nil-optional"}"#, id: loop.id("-"))])
    #expect(loop.listen("/state/editing/some?as=patch", lastEventID: "-").take() == [])
    loop.commit { $0.editing = .some(.none) }
    #expect(stream.take() == [ServerSentEvent("message", "null", id: loop.id(tag))])
  }

  @Test func `the ETag of the current value resumes the stream, any other cursor receives the complete value`() throws {
    loop.commit { $0.time = .tomorrow }
    let stream = loop.listen("/state/time?as=patch")
    loop.commit { $0.firstDish.isFavorite.toggle() }
    let resumed = loop.listen("/state/time?as=patch", lastEventID: stream.lastEventID)
    #expect(resumed.take() == [], "another place has changed since")
    loop.commit { $0.time = .tonight }
    let patch = ServerSentEvent("patch", #"[{"op":"replace","path":"","value":"tonight"}]"#, id: try id("/state/time"))
    #expect(resumed.take() == [patch])
    for cursor in [stream.lastEventID, "1", "0", "3", "x", "-", ""] {
      let isCurrent = cursor == patch.id
      #expect(
        loop.listen("/state/time?as=patch", lastEventID: cursor).take().map(\.type) == (isCurrent ? [] : ["message"]))
    }
  }

  @Test func `the base value of a stalled subscriber is kept for 10 seconds`() {
    let (brief, long) = (loop.follow("/state/dishes?as=patch"), loop.follow("/state/dishes?as=patch"))
    loop.pauseReading(brief)
    loop.pauseReading(long)
    loop.commit { $0.firstDish.name = "A" }
    loop.advance(milliseconds: 8_000)
    loop.resumeReading(brief)
    #expect(brief.take().map(\.type) == ["patch"])
    loop.advance(milliseconds: 2_000)
    loop.resumeReading(long)
    #expect(long.take().map(\.type) == ["message"])
    loop.commit { $0.firstDish.name = "B" }
    #expect(brief.take().map(\.type) == ["patch"])
    #expect(long.take().map(\.type) == ["patch"])
  }

  @Test func `a value that changed back while a subscriber stalled sends no event, and is a base for patches again`() {
    let stream = loop.follow("/state/time?as=patch")
    loop.pauseReading(stream)
    loop.commit { $0.time = .tomorrow }
    loop.advance(milliseconds: 20_000)
    loop.commit { $0.time = .tonight }
    loop.resumeReading(stream)
    #expect(stream.take() == [])
    loop.commit { $0.time = .tomorrow }
    #expect(stream.take().map(\.type) == ["patch"])
  }

  @Test func `base values are kept for a limited number of stalled subscribers`() {
    var limits = StreamLimits()
    limits.maximumPatchBases = 5
    let loop = MenuFixture.loop(limits)
    let streams = (0..<20).map { _ in loop.follow("/state/time?as=patch") }
    streams.forEach(loop.pauseReading)
    loop.commit { $0.time = .tomorrow }
    loop.advance(milliseconds: 1_000)
    streams.forEach(loop.resumeReading)
    let types = streams.flatMap { $0.take().map(\.type) }
    #expect(types.filter { $0 == "patch" }.count == 5)
    #expect(types.filter { $0 == "message" }.count == 15)
  }

  @Test func `an unknown event form is rejected with 400`() {
    #expect(loop.listen("/state/time?as=diff").reader.reply?.outcome == "400 malformed-query")
    for query in ["limit=1", "stored"] {
      let path = query == "stored" ? "/state" : "/state/dishes"
      #expect(loop.listen("\(path)?\(query)").reader.reply?.outcome == "400 malformed-query")
    }
    #expect(loop.listen("/state/time?as=value").take().map(\.type) == ["message"])
  }
}
