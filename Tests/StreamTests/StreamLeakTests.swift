import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyJSON
import BinderyTestKit
import Synchronization
import Testing

/// Closed streams release their memory, and no old snapshot is kept alive without need.
struct StreamLeakTests {
  private let loop = MemoryLoop(Store(Vault(number: 0)))

  /// Commits a new value and reads it, so that the caches of the event loop hold it.
  ///
  /// - Returns: A probe that tells whether the previous value is still alive.
  private func replace(_ number: Int) throws -> LivenessProbe {
    let probe = LivenessProbe(loop.store.snapshot.root.gold)
    loop.store.post { $0.gold = Gold(number) }
    #expect(try loop.get("/state/gold").text == "\(number)")
    return probe
  }

  @Test func `an event loop without streams keeps no snapshot`() throws {
    #expect(try !replace(1).isAlive)
    loop.disconnect(loop.listen("/state/gold"))
    #expect(try !replace(2).isAlive)
    loop.settle()
    #expect(try !replace(3).isAlive)
  }

  @Test func `an event loop that only writes keeps no snapshot`() throws {
    for number in 1...3 {
      let probe = LivenessProbe(loop.store.snapshot.root.gold)
      #expect(try loop.put("/state/gold", "\(number)").status == 200)
      #expect(!probe.isAlive)
    }
  }

  @Test func `an idle event loop releases the snapshot that it has read after a second`() throws {
    #expect(try loop.get("/state/gold?pretty").status == 200)
    let probe = LivenessProbe(loop.store.snapshot.root.gold)
    loop.store.post { $0.gold = Gold(1) }
    loop.advance(milliseconds: 1_000)
    #expect(!probe.isAlive)
    #expect(try loop.get("/state/gold?pretty").text == "1")
  }

  @Test func `an event loop without streams is not woken by commits`() throws {
    let streams = ["/state", "/state/gold?as=patch", "/events?path=/&path=/gold&path=/gold"].map { loop.listen($0) }
    let tag = try #require(try loop.get("/state/gold").etag)
    let wait = loop.begin(Request("GET", "/state/gold?wait=9", fields: [(name: "If-None-Match", value: tag)]))
    loop.store.post { $0.gold = Gold(1) }
    #expect(loop.handle.takeWake())
    loop.responder.didReceiveWake()
    loop.settle()
    #expect(wait.reader.reply?.status == 200)
    for stream in streams { loop.disconnect(stream) }
    loop.store.post { $0.gold = Gold(2) }
    #expect(!loop.handle.takeWake())
  }

  @Test(arguments: ["/state/gold", "/state/gold?as=patch", "/events?path=/gold"])
  func `a stream that has sent the newest value keeps no older one`(target: String) throws {
    let stream = loop.listen(target)
    let old = try replace(1)
    loop.settle()
    #expect(stream.take().count == 2)
    #expect(!old.isAlive)
  }

  @Test(arguments: ["/state/gold", "/events?path=/gold"]) func `a stalled stream keeps no value alive`(target: String)
    throws
  {
    let stream = loop.listen(target)
    loop.pauseReading(stream)
    for number in 1...5 {
      let old = try replace(number)
      loop.settle()
      #expect(!old.isAlive)
    }
  }

  @Test func `a stalled patch stream keeps only its base value, for a limited time`() throws {
    let stream = loop.listen("/state/gold?as=patch")
    loop.pauseReading(stream)
    let base = try replace(1)
    loop.settle()
    #expect(base.isAlive)
    let between = try replace(2)
    loop.settle()
    #expect(!between.isAlive)
    loop.advance(milliseconds: 10_000)
    #expect(!base.isAlive)
  }

  @Test func `the result of a write is discarded if its client has disconnected`() throws {
    let journal = ManualJournal()
    let store = Store(Vault(number: 0), journal: journal)
    let loop = MemoryLoop(store)
    let write = loop.begin(Request("PUT", "/state/gold", body: Array("1".utf8)))
    #expect(write.bytes.isEmpty)
    let id = write.id
    loop.disconnect(write)
    let batch = try #require(store.takeBatch())
    store.finish(batch, .success(()))
    loop.settle()
    var output = ResponseWriter()
    #expect(Self.isIdle(loop.responder.produce(id, into: &output)))
    #expect(output.bytes.isEmpty)
  }

  private static func isIdle(_ result: ProduceResult) -> Bool { if case .idle = result { true } else { false } }

  @Test func `a commit is visible only after the journal has written it`() throws {
    let store = Store(Vault(number: 0), journal: ManualJournal())
    let loop = MemoryLoop(store)
    let stream = loop.listen("/state/gold")
    let write = loop.begin(Request("PUT", "/state/gold", body: Array("1".utf8)))
    loop.settle()
    #expect(stream.takeData() == ["0"])
    #expect(write.bytes.isEmpty)
    #expect(loop.listen("/state/gold").takeData() == ["0"])
    store.finish(try #require(store.takeBatch()), .success(()))
    loop.settle()
    #expect(stream.takeData() == ["1"])
    #expect(write.reader.reply?.text == "1")

    let lost = loop.begin(Request("PUT", "/state/gold", body: Array("2".utf8)))
    store.finish(try #require(store.takeBatch()), .failure(.full("no room")))
    loop.settle()
    #expect(lost.reader.reply?.status == 507)
    #expect(stream.take() == [])
  }
}

/// A journal whose test writes the batches.
private final class ManualJournal: Journal {
  func wake() {}
}

private struct Vault: StateModel {
  var gold: Gold

  init(gold: Gold) { self.gold = gold }
  init(number: Int) { self.init(gold: Gold(number)) }

  static let shape = EditableShape<Vault>.members(Vault.init(gold:), StoredMember("gold", \.gold))
}

/// A number in its own object, so that a test can observe whether it is alive.
private struct Gold: Editable {
  final class Bar: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  let bar: Bar

  init(_ number: Int) { bar = Bar(number) }

  static let shape = EditableShape<Gold>.scalar(
    "Gold", schemaType: "integer", example: "1", expected: "a number",
    encode: { value, writer in writer.integer(Int64(value.bar.number)) },
    decode: { node in Int(String(decoding: node.text, as: UTF8.self)).map(Gold.init) })
}

/// Observes whether a value is alive without keeping it alive.
private struct LivenessProbe {
  private weak var bar: Gold.Bar?

  init(_ gold: Gold) { bar = gold.bar }

  var isAlive: Bool { bar != nil }
}
