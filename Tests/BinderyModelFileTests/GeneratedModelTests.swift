import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyModelFile
import BinderyTestKit
import BindingLaws
import Testing

struct GeneratedModelTests {
  @Test func `a written model file is read as the same declaration`() throws {
    var generator = DeclarationGenerator(seed: 11)
    for number in 0..<100 {
      let declaration = generator.model()
      let text = ModelFile.text(of: declaration)
      let parsed = try ModelFile.parse(text)
      #expect(parsed == declaration, "model \(number): \(String(decoding: text, as: UTF8.self))")
      let model = try ModelFile.model(text)
      #expect(model.definition.described == declaration)
      #expect(ModelFile.text(of: model.definition.described) == text)
    }
  }

  @Test func `the laws hold for generated model files`() throws {
    var generator = DeclarationGenerator(seed: 7)
    var checks: [Law: Int] = [:]
    for number in 0..<20 {
      let text = ModelFile.text(of: generator.model())
      let model = try ModelFile.model(text)
      let report = lawReport(of: model.definition.shape, rounds: 4, using: &generator.random)
      for violation in report.violations {
        Issue.record("model \(number): \(violation)\n\(String(decoding: text, as: UTF8.self))")
      }
      guard report.violations.isEmpty else { return }
      checks.merge(report.checkCounts) { $0 + $1 }
    }
    for law in Law.allCases { #expect(checks[law, default: 0] > 20, "the \(law) law was checked at most 20 times") }
  }

  @Test(arguments: LongRun.seeds(12))
  func `every state that requests lead to is valid, and the same after a restart`(_ seed: UInt64) throws {
    var generator = DeclarationGenerator(seed: seed)
    let text = ModelFile.text(of: generator.model())
    let model = try ModelFile.model(text)
    let shape = model.definition.shape
    var random = RandomPlaces(random: generator.random)
    let key = DigestKey.random()
    let store = Store(
      try model.initialState(try model.randomState(&random)), of: model.definition, journal: nil, key: key)
    let client = MemoryClient(store, key: key)
    for _ in 0..<60 {
      let places = random.places(of: shape.type, in: try client.get("/state").body)
        .filter { $0.segments.allSatisfy(\.isUsable) }
      if places.isEmpty { return }
      let write = RandomWrite(to: places, &random, &generator.random)
      let reply = try client.send(write.method, write.target, write.body, ["Content-Type": "application/json"])
      guard reply.changed == true else { continue }
      let restored = try shape.restore(shape.stored(store.snapshot.root))
      do { try shape.check(restored) } catch {
        let request = "\(write.method) \(write.target) \(write.body ?? "")"
        Issue.record("\(request): \(error)\n\(String(decoding: text, as: UTF8.self))")
        return
      }
      let copy = MemoryClient(Store(restored, of: model.definition, journal: nil, key: key), key: key)
      let (before, after) = (try client.get("/state"), try copy.get("/state"))
      #expect(before.text == after.text && before.etag == after.etag, "\(write.method) \(write.target)")
    }
  }

  @Test(arguments: LongRun.seeds(4))
  func `a watcher of a generated model gets an event exactly when its value has changed`(_ seed: UInt64) throws {
    var generator = DeclarationGenerator(seed: seed)
    let model = try ModelFile.model(ModelFile.text(of: generator.model()))
    let type = model.definition.shape.type
    var random = RandomPlaces(random: generator.random)
    let state = try model.initialState(try model.randomState(&random))
    let loop = MemoryLoop(Store(state, of: model.definition, journal: nil))
    let places = random.places(of: type, in: try loop.get("/state").body).filter { $0.segments.allSatisfy(\.isUsable) }
    var watched: [Watcher] = []
    for place in places.shuffled(using: &generator.random).prefix(50) {
      let target = RandomWrite.target(place.segments)
      var watcher = Watcher(target: target, stream: loop.listen(target), value: nil)
      loop.settle()
      try watcher.check(loop, isFirst: true)
      watched.append(watcher)
    }
    let present = watched.count { $0.value != nil }
    var changes = 0
    for _ in 0..<40 {
      if places.isEmpty { break }
      let write = RandomWrite(to: places, &random, &generator.random)
      let reply = try loop.send(write.method, write.target, write.body, ["Content-Type": "application/json"])
      #expect(reply.status < 500)
      if reply.changed == true { changes += 1 }
      for index in watched.indices { try watched[index].check(loop, isFirst: false) }
    }
    #expect(changes > 0 || present < 12, "no request changed one of \(present) values")
  }
}

extension DynamicModel {
  /// Returns a random state in JSON.
  func randomState(_ random: inout RandomPlaces<SeededGenerator>) throws -> JSONNode {
    // References must name elements, so not every state is possible.
    for _ in 0..<200 {
      let json = try JSONDocument(parsing: Array(random.json(of: definition.shape.type).utf8), maximumDepth: 256).root
      if (try? initialState(json)) != nil { return json }
    }
    throw ModelMistakes([ModelMistake("200 random states are not possible", at: "")])
  }
}

/// A client that watches a place.
private struct Watcher {
  let target: String
  let stream: MemoryExchange
  /// The JSON that was sent last; nil if the place was absent.
  var value: String?

  /// Expects an event exactly if the value differs from the last one.
  mutating func check(_ loop: MemoryLoop<DynamicValue>, isFirst: Bool) throws {
    let reply = try loop.get(target)
    let now = reply.status == 200 ? reply.text : nil
    let received = stream.take()
    guard isFirst || now.map({ Array($0.utf8) }) != value.map({ Array($0.utf8) }) else {
      #expect(received.isEmpty, "\(target) is still \(value ?? "absent")")
      return
    }
    value = now
    #expect(received.count == 1, "\(target) is now \(now ?? "absent")")
    #expect(received.last?.type == (now == nil ? "absent" : "message"))
    if let now { #expect(received.last.map { Array($0.data.utf8) } == Array(now.utf8)) }
  }
}
