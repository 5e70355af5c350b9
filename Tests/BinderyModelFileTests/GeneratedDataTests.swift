import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import BindingLaws
import Testing

/// Random JSON, with the values that are easily lost.
private struct DataGenerator {
  var random: SeededGenerator

  private static let names = [
    "a", "b", "id", "id#last", "items", "items#last", "é", "e\u{301}", "a/b", "~", "*/", "</script>", "`${x}`",
    "\u{2028}", "__proto__", "some", "…", "🍝", "$ref", "x-bindery", "a b", "%2e",
  ]
  private static let scalars = [
    "null", "true", "false", "0", "-0", "1", "1.0", "-1.5", "1e2", "1E-7", "0.1", "3.14159265358979323846", "1e-400",
    "-1e-400",
    "9223372036854775807", "-9223372036854775808", "18446744073709552000", "9007199254740993", "1e300", "-0.0",
    #""""#, #""text""#, #""é""#, #""e\u0301""#, #""🍝""#, #""\u0000""#, #""\u2028*/</script>`${""#, #""2026-11-21""#,
    #""2026-11-21T10:00:00.000Z""#, #""2026-11-21T10:00:00+01:00""#, #""b10de400-0000-8000-8000-000000000001""#,
    #""B10DE400-0000-8000-8000-000000000001""#, #""0000-00-00""#,
  ]
  private static let mistakes = ["1e400", "9223372036854775808", "12345678901234567891", "-1e999999999"]
  private static let ids = ["1", "2", "3", "4", "-5", "1.0", #""x""#, #""y""#, #""..""#, #""""#, "null"]

  mutating func object(depth: Int) -> String {
    var names = Self.names
    let members = (0..<Int.random(in: 0...5, using: &random)).map { _ in
      let name = names.remove(at: Int.random(in: names.indices, using: &random))
      return "\(JSONTree.string(name).text):\(value(depth: depth + 1))"
    }
    let broken = random.chance(1) ? [#""":1"#] : random.chance(1) ? [#""a":1,"a":2"#] : []
    return "{\((members + broken).joined(separator: ","))}"
  }

  mutating func value(depth: Int) -> String {
    if random.chance(1), random.chance(20) { return random.pick(Self.mistakes) }
    if random.chance(2) { return nested(Int.random(in: 1...70, using: &random)) }
    guard depth < 6 else { return random.pick(Self.scalars) }
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: return random.pick(Self.scalars)
    case 4: return object(depth: depth)
    case 5: return list { $0.random.pick(Self.scalars) }
    case 6:
      let scalar = random.pick(Self.scalars)
      return list { $0.random.chance(90) ? scalar : "null" }
    case 7: return list { $0.value(depth: depth + 1) }
    default: return elements(depth: depth)
    }
  }

  /// Returns a list of similar objects, most of them with an id.
  private mutating func elements(depth: Int) -> String {
    let members = (0..<3).map { _ in (name: random.pick(Self.names), value: value(depth: depth + 1)) }
    var ids = Self.ids.prefix(Int.random(in: 4...11, using: &random)).shuffled(using: &random)
    return list { generator in
      var parts = generator.random.chance(95) ? [#""id":\#(ids.popLast() ?? "9")"#] : []
      var seen: Set<[UInt8]> = [Array("id".utf8)]
      for member in members where generator.random.chance(85) && seen.insert(Array(member.name.utf8)).inserted {
        let value = generator.random.chance(85) ? member.value : generator.value(depth: depth + 1)
        parts.append("\(JSONTree.string(member.name).text):\(value)")
      }
      return "{\(parts.joined(separator: ","))}"
    }
  }

  private mutating func list(_ element: (inout DataGenerator) -> String) -> String {
    let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in element(&self) }
    return "[\(elements.joined(separator: ","))]"
  }

  private mutating func nested(_ levels: Int) -> String {
    (0..<levels).reduce("1") { inner, _ in random.chance(50) ? "[\(inner)]" : "{\"a\":\(inner)}" }
  }
}

extension JSONTree {
  /// The value with numbers in canonical form.
  ///
  /// - Parameter withoutNull: Whether members that are null are left out.
  fileprivate func canonical(withoutNull: Bool) throws -> JSONTree {
    switch self {
    case .number(let text):
      let node = try JSONDocument(parsing: Array(text.utf8)).root
      var writer = JSONWriter()
      if case .value(let integer) = node.integer() {
        writer.integer(integer)
      } else {
        writer.double(try #require(node.double))
      }
      return .number(String(decoding: writer.bytes, as: UTF8.self))
    case .array(let elements): return .array(try elements.map { try $0.canonical(withoutNull: withoutNull) })
    case .object(let members):
      let kept = members.filter { !withoutNull || $0.value != .null }
      return .object(
        try kept.map { member in
          var member = member
          member.value = try member.value.canonical(withoutNull: withoutNull)
          return member
        })
    default: return self
    }
  }
}

struct GeneratedDataTests {
  /// Checks that data is served unchanged by the model inferred from it.
  ///
  /// - Parameter isOpen: Whether objects may have further members.
  private func check(_ data: String, isOpen: Bool) throws {
    let node = try JSONDocument(parsing: Array(data.utf8)).root
    let inferred = try InferredModel(from: node, isOpen: isOpen)
    let text = ModelFile.text(of: inferred.declaration)
    #expect(try ModelFile.parse(text) == inferred.declaration, "\(data)")
    let model = try ModelFile.model(text)
    let state = try model.initialState(node)
    let client = MemoryClient(Store(state, of: model.definition, journal: nil))
    let served = try JSONTree(parsing: try client.text("/state"))
    let withoutNull = inferred.doubts.contains { $0.contains("missing in others") }
    let (left, right) = (
      try served.canonical(withoutNull: withoutNull).text,
      try JSONTree(parsing: data).canonical(withoutNull: withoutNull).text
    )
    let (first, second) = (try JSONDocument(parsing: Array(left.utf8)), try JSONDocument(parsing: Array(right.utf8)))
    let areEqual = first.root.equals(second.root)
    #expect(areEqual, "served \(left) for \(data)")
    // The store keeps the same state.
    let restored = try model.definition.shape.restore(model.definition.shape.stored(state))
    #expect(model.definition.shape.areSame(restored, state), "\(data)")
    #expect(try client.put("/state", served.text).status == 200, "\(data)")
    #expect(try client.get("/state").revision == 0, "\(data)")
    #expect(!OpenAPIDocument(of: state, model.definition, title: "Data", version: "1").yaml.isEmpty)
  }

  @Test(arguments: LongRun.seeds(1))
  func `any JSON object is served unchanged, or refused with a pointer`(seed: UInt64) throws {
    var generator = DataGenerator(random: SeededGenerator(seed: seed))
    var (served, refused) = (0, 0)
    for round in 0..<200 {
      let data = generator.object(depth: 0)
      do {
        try check(data, isOpen: round.isMultiple(of: 2))
        served += 1
      } catch let error as ModelMistakes {
        #expect(error.list.count == 1 && !error.list[0].message.isEmpty, "\(data)")
        refused += 1
      } catch is JSONSyntaxError {
        // More levels than JSON may have.
        refused += 1
      }
    }
    #expect(served > 120 && refused > 2, "\(served) served, \(refused) refused")
  }
}
