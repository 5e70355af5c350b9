import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// `?as=patch`: the first value whole, then what leads from each to the next.
struct PatchStreamTests {
  private let loop = Menus.loop()

  @Test func `the first event is whole and the next ones are patches with the revision as id`() throws {
    let stream = loop.listen("/state/dishes?as=patch")
    let value = try loop.text("/state/dishes")
    #expect(stream.take() == [ServerSentEvent("message", value, id: "0")])
    loop.commit { $0.dishes.edit(at: 1) { $0.status = .inStock(quantity: 7) } }
    let path = "/\(Menus.second)/status/inStock/quantity"
    #expect(stream.take() == [ServerSentEvent("patch", #"[{"op":"replace","path":"\#(path)","value":7}]"#, id: "1")])
  }

  @Test func `an element is added, moved and removed by a patch of a hundred bytes`() throws {
    let stream = loop.listen("/state?as=patch")
    var held = try JSONValue(parsing: try #require(stream.takeData().first))
    let commits: [(inout Menu) -> Void] = [
      { $0.dishes.move(id: $0.dishes[3].id, to: 0) }, { $0.dishes.remove(at: 1) },
      { $0.carbonara.isFavorite = true }, { $0.selectedDay = $0.today.advanced(by: 3) },
      { $0.pinnedID = $0.dishes[0].id },
    ]
    for body in commits {
      loop.commit(body)
      let event = try #require(stream.take().first)
      #expect(event.type == "patch")
      try held.apply(patch: event.data)
      #expect(held.text == (try loop.text("/state")))
    }
  }

  @Test func `a slow reader gets one patch from what it has`() throws {
    let stream = loop.follow("/state/time?as=patch")
    loop.stall(stream)
    loop.commit { $0.time = .tomorrow }
    loop.commit { $0.time = .custom($0.evening) }
    loop.flow(stream)
    let value = #"{"custom":"2026-11-21T19:00:00.000Z"}"#
    #expect(stream.take() == [ServerSentEvent("patch", #"[{"op":"replace","path":"","value":\#(value)}]"#, id: "2")])
  }

  @Test func `absence is an event of its own and what comes back is whole`() {
    let stream = loop.follow("/state/editing/some?as=patch")
    loop.commit { $0.editing = .some($0.carbonara) }
    #expect(stream.take().map(\.type) == ["message"])
    loop.commit { $0.editing = .some(.none) }
    #expect(stream.take() == [ServerSentEvent("patch", #"[{"op":"replace","path":"","value":null}]"#, id: "2")])
    loop.commit { $0.editing = .none }
    #expect(stream.take() == [ServerSentEvent("absent", #"{"reason":"nil-optional"}"#, id: "3")])
    loop.commit { $0.editing = .some(.none) }
    #expect(stream.take() == [ServerSentEvent("message", "null", id: "4")])
  }

  @Test func `the current revision resumes, an older cursor gets the whole value`() {
    loop.commit { $0.time = .tomorrow }
    let stream = loop.listen("/state/time?as=patch")
    let resumed = loop.listen("/state/time?as=patch", lastEventID: stream.lastEventID)
    #expect(resumed.take() == [])
    loop.commit { $0.time = .tonight }
    #expect(resumed.take() == [ServerSentEvent("patch", #"[{"op":"replace","path":"","value":"tonight"}]"#, id: "2")])
    for cursor in ["1", "0", "3", "x", ""] {
      #expect(loop.listen("/state/time?as=patch", lastEventID: cursor).take().map(\.type) == ["message"])
    }
  }

  @Test func `what a stalled reader has is kept for 10 seconds`() {
    let (one, other) = (loop.follow("/state/dishes?as=patch"), loop.follow("/state/dishes?as=patch"))
    loop.stall(one)
    loop.stall(other)
    loop.commit { $0.carbonara.name = "A" }
    loop.advance(milliseconds: 8_000)
    loop.flow(one)
    #expect(one.take().map(\.type) == ["patch"])
    loop.advance(milliseconds: 2_000)
    loop.flow(other)
    #expect(other.take().map(\.type) == ["message"])
    loop.commit { $0.carbonara.name = "B" }
    #expect(one.take().map(\.type) == ["patch"])
    #expect(other.take().map(\.type) == ["patch"])
  }

  @Test func `a value that came back in that time is no news, and the next one is a patch again`() {
    let stream = loop.follow("/state/time?as=patch")
    loop.stall(stream)
    loop.commit { $0.time = .tomorrow }
    loop.advance(milliseconds: 20_000)
    loop.commit { $0.time = .tonight }
    loop.flow(stream)
    #expect(stream.take() == [])
    loop.commit { $0.time = .tomorrow }
    #expect(stream.take().map(\.type) == ["patch"])
  }

  @Test func `it is kept for so many readers and no more`() {
    var limits = StreamLimits()
    limits.bases = 5
    let loop = Menus.loop(limits)
    let streams = (0..<20).map { _ in loop.follow("/state/time?as=patch") }
    streams.forEach(loop.stall)
    loop.commit { $0.time = .tomorrow }
    loop.advance(milliseconds: 1_000)
    streams.forEach(loop.flow)
    let types = streams.flatMap { $0.take().map(\.type) }
    #expect(types.filter { $0 == "patch" }.count == 5)
    #expect(types.filter { $0 == "message" }.count == 15)
  }

  @Test func `a form that is none is 400`() {
    #expect(loop.listen("/state/time?as=diff").reader.reply?.outcome == "400 malformed-query")
    #expect(loop.listen("/state/time?as=value").take().map(\.type) == ["message"])
  }
}
