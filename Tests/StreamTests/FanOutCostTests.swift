import BinderyCore
import BinderyJSON
import BinderyTestKit
import Synchronization
import Testing

/// The work that a commit causes, counted instead of timed.
struct FanOutCostTests {
  @Test func `a commit evaluates only the watched places that it can affect`() throws {
    let count = 10_000
    let counter = Counter()
    let loop = MemoryLoop(Store(Wall(lamps: Identified(uniquing: (0..<count).map { Lamp($0, counter) }))))
    var streams: [MemoryExchange] = []
    for start in stride(from: 0, to: count, by: 64) {
      let paths = (start..<min(start + 64, count)).map { "path=/lamps/\($0)/glow" }
      streams.append(loop.listen("/events?" + paths.joined(separator: "&")))
    }
    loop.settle()
    for stream in streams { _ = stream.take() }
    let produced = loop.produceCount
    counter.reset()
    loop.store.post { $0.lamps.edit(id: 7_777) { $0.watts = 60 } }
    loop.settle()
    #expect(counter.evaluations == 1)
    let etag = try #require(try loop.get("/state/lamps/7777/glow").digest)
    #expect(
      streams.flatMap { $0.takeData() } == [
        #"{"revision":1,"changes":[{"path":"/lamps/7777/glow","value":600,"etag":"\#(etag)"}]}"#
      ])
    #expect(loop.produceCount == produced + 1)

    counter.reset()
    loop.store.post { $0.room = "hall" }
    loop.settle()
    #expect(counter.evaluations == 0, "a change of the room cannot affect the lamps")
  }

  @Test(arguments: [1, 300]) func `each place is evaluated and encoded once for all its subscribers`(subscribers: Int)
    throws
  {
    let counter = Counter()
    let loop = MemoryLoop(Store(Wall(lamps: [Lamp(0, counter)])))
    let values = (0..<subscribers).map { _ in loop.listen("/state/lamps/0/label") }
    let snapshots = (0..<subscribers).map { _ in loop.listen("/events?path=/lamps/0/label") }
    let patches = (0..<subscribers).map { _ in loop.listen("/state/lamps/0/label?as=patch") }
    counter.reset()
    loop.store.post { $0.lamps.edit(id: 0) { $0.watts = 60 } }
    loop.settle()
    #expect((values + snapshots + patches).allSatisfy { $0.take().count == 2 })
    #expect(counter.evaluations == 1)
    // Once for the digest, once for the value, and for the patch, which compares both values first.
    #expect(counter.encodings <= 6)
  }

  @Test(arguments: ["/state/lamps/1", "/state/lamps/1/glow", "/state/lamps/1/label"])
  func `a place is read again only if its element has changed`(path: String) throws {
    let counter = Counter()
    let loop = MemoryLoop(Store(Wall(lamps: Identified(uniquing: (0..<100).map { Lamp($0, counter) }))))
    var last = try loop.get(path)
    for _ in 1...2 { _ = try loop.get(path) }
    for other in [0, 2, 50] {
      counter.reset()
      loop.store.post { $0.lamps.edit(id: other) { $0.watts += 60 } }
      loop.store.post { $0.lamps.move(id: other, to: 0) }
      let reply = try loop.get(path)
      #expect(reply.body == last.body && reply.etag == last.etag)
      #expect(reply.revision == loop.store.snapshot.revision)
      loop.store.post { $0.room += "!" }
      let tag = try #require(last.etag)
      #expect(try loop.get(path, ["If-None-Match": tag]).status == 304)
      #expect(counter.evaluations == 0)
    }
    let changes: [@Sendable (inout Wall) -> Void] = [
      { $0.lamps.edit(id: 1) { $0.watts = 60 } },
      { $0.lamps = Identified(uniquing: [Lamp(2, counter), Lamp(1, counter)]) },
      { wall in
        wall.lamps.remove(id: 1)
        try? wall.lamps.append(Lamp(id: 1, watts: 40))
      },
    ]
    for change in changes {
      loop.store.post(change)
      for _ in 1...3 {
        let reply = try loop.get(path)
        #expect(reply.body != last.body && reply.etag != last.etag)
        #expect(reply.revision == loop.store.snapshot.revision)
      }
      last = try loop.get(path)
    }
    loop.store.post { $0.lamps.remove(id: 1) }
    #expect(try loop.get(path).status == 404)
    loop.store.post { try? $0.lamps.insert(Lamp(id: 1, watts: 40), at: 0) }
    #expect(try loop.get(path).body == last.body)
  }

  @Test func `an absent place sends no event while the same case stays active`() {
    let loop = MemoryLoop(Store(Pantry(mode: .open(Hours(from: 1)))))
    let stream = loop.listen("/state/mode/cleaning/by")
    for from in 2...5 {
      loop.store.post { $0.mode = .open(Hours(from: from)) }
      loop.settle()
    }
    #expect(stream.takeData() == [#"{"reason":"inactive-case","activeCase":"open"}"#])
  }
}

/// Counts the evaluations and encodings of one test's model.
private final class Counter: Sendable {
  private let evaluated = Atomic(0)
  private let encoded = Atomic(0)

  var evaluations: Int { evaluated.load(ordering: .relaxed) }
  var encodings: Int { encoded.load(ordering: .relaxed) }

  func evaluate() { evaluated.add(1, ordering: .relaxed) }
  func encode() { encoded.add(1, ordering: .relaxed) }

  func reset() {
    evaluated.store(0, ordering: .relaxed)
    encoded.store(0, ordering: .relaxed)
  }
}

private struct Wall: StateModel {
  var lamps: Identified<Lamp>
  var room = ""

  static let shape = EditableShape<Wall>.members(
    Wall.init, StoredMember("lamps", \.lamps), StoredMember("room", \.room))
}

private struct Lamp: Editable, Identifiable {
  let id: Int
  var watts: Int
  var counter: Counter

  init(_ id: Int, _ counter: Counter) {
    self.id = id
    self.watts = 0
    self.counter = counter
  }

  init(id: Int, watts: Int) {
    self.id = id
    self.watts = watts
    self.counter = Counter()
  }

  var glow: Int {
    counter.evaluate()
    return watts * 10
  }

  var label: Label {
    counter.evaluate()
    return Label(text: "\(watts) W", counter: counter)
  }

  static let shape = EditableShape<Lamp>.members(
    Lamp.init(id:watts:), StoredMember("id", id: \.id), StoredMember("watts", \.watts),
    computed: [
      ComputedMember("glow", readOnly: \.glow, from: \.watts),
      ComputedMember("label", readOnly: \.label, from: \.watts),
    ])
}

private struct Label: Editable {
  let text: String
  let counter: Counter

  static let shape = EditableShape<Label>.scalar(
    "Label", schemaType: "string", example: "\"60 W\"", expected: "a string",
    encode: { value, writer in
      value.counter.encode()
      writer.string(value.text)
    },
    decode: { $0.string.map { Label(text: $0, counter: Counter()) } })
}
