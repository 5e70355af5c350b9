import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyJournal
import BinderyModelFile
import BinderySQLite
import BinderyTestKit
import BindingLaws
import Testing

/// Patches that are applied to the JSON of a snapshot.
struct StoredDocumentTests {
  @Test(arguments: LongRun.seeds(16))
  func `patches change the JSON of a state as they change its values`(_ seed: UInt64) throws {
    var generator = DeclarationGenerator(seed: seed)
    let model = try ModelFile.model(ModelFile.text(of: generator.model()))
    let shape = model.definition.shape
    let service = try changedService(of: model, &generator)
    var root = service.first
    var document = try StoredDocument(parsing: shape.stored(root), layout: shape.type.storedLayout)
    for revision in service.revisions {
      let patch = try StoredPatch(parsing: revision.patch)
      try shape.restore(&root, patch)
      try document.apply(patch)
      #expect(try shape.stored(shape.restore(document.text)) == shape.stored(root), "after \(revision)")
    }
  }

  /// A stop writes a snapshot, a crash leaves the revisions since the last one.
  @Test(arguments: LongRun.seeds(24))
  func `a smaller model drops and refuses the same after a crash as after a stop`(_ seed: UInt64) throws {
    var generator = DeclarationGenerator(seed: seed)
    let file = ModelFile.text(of: generator.model())
    let model = try ModelFile.model(file)
    let service = try changedService(of: model, &generator)
    let folder = try TemporaryFolder()
    let (crashed, stopped) = (try SQLiteStorage(folder("crashed.db")), try SQLiteStorage(folder("stopped.db")))
    defer {
      crashed.close()
      stopped.close()
    }
    let definition = model.definition
    _ = try Recovery(from: crashed, of: definition) { service.first }
    try crashed.append(service.revisions)
    let last = try #require(try Recovery(of: definition, in: crashed)).root
    _ = try Recovery(from: stopped, of: definition) { last }
    for _ in 0..<12 {
      guard let smaller = try smallerModel(file, &generator.random) else { break }
      let outcomes = [crashed, stopped].map { storage in
        Result { () throws(RecoveryError) in
          let recovery = try Recovery(of: smaller.definition, in: storage)
          return [recovery.map { smaller.definition.shape.stored($0.root) } ?? []]
            + (recovery?.dropped ?? []).sorted().map { Array($0.utf8) }
        }.map { $0.map { String(decoding: $0, as: UTF8.self) } }
      }
      #expect(outcomes[0] == outcomes[1], "\(String(decoding: ModelFile.text(of: smaller.declaration), as: UTF8.self))")
    }
  }

  @Test(arguments: LongRun.seeds(16))
  func `a state is settled by rules that are new in its model, or refused`(_ seed: UInt64) throws {
    var generator = DeclarationGenerator(seed: seed)
    let file = ModelFile.text(of: generator.model())
    let new = try ModelFile.model(file).definition
    let tree = try JSONTree(parsing: String(decoding: file, as: UTF8.self))
    let old = try ModelFile.model(Array(tree.withoutRules.text.utf8))
    let service = try changedService(of: old, &generator)
    let folder = try TemporaryFolder()
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    _ = try Recovery(from: storage, of: old.definition) { service.first }
    try storage.append(service.revisions)
    let recovery: Recovery<DynamicValue>?
    do throws(RecoveryError) { recovery = try Recovery(of: new, in: storage) } catch {
      #expect("\(error)".contains("has no element with the id"))
      return
    }
    let root = try #require(recovery).root
    var settled = root
    try new.settle(whole: &settled)
    let texts = [root, settled].map { String(decoding: new.shape.stored($0), as: UTF8.self) }
    #expect(texts[0] == texts[1])
  }

  /// Only the snapshot has the value of the enum that the new model lacks.
  @Test(arguments: [true, false])
  func `a model without a collection needs nothing of its values`(_ isOpen: Bool) throws {
    func model(_ ts: String, _ choice: String) throws -> DynamicModel {
      let member = #""id":{"type":"string"}"#
      let id = #""x-bindery":{"id":"id"}"#
      let element = #"{"type":"object","properties":{\#(member)\#(ts)},\#(id),"additionalProperties":\#(isOpen)}"#
      let list = #"{"type":"array","items":\#(element)}"#
      let text = #"{"type":"object","properties":{"ps":\#(list),"e":{"enum":\#(choice),"default":"b"}}}"#
      return try ModelFile.model(Array(text.utf8))
    }
    let members = #"{"k?":{"type":"string"},"n":{"type":"integer","default":0}}"#
    let inner = #"{"type":"object","properties":\#(members),"x-bindery":{"id":"k?"}}"#
    let old = try model(#","t s":{"type":"array","items":\#(inner)}"#, #"["a","b"]"#)
    let new = try model("", #"["b"]"#)
    let first = try old.definition.shape.restore(Array(#"{"ps":[],"e":"a"}"#.utf8))
    let service = ComparedService(first, of: old.definition, key: .random())
    for (method, path, body) in [
      ("PUT", "ps/p", #"{"t s":[{"k?":"x","n":1},{"k?":"y","n":2}]}"#), ("PATCH", "ps/p/t%20s/x/n", "3"),
      ("DELETE", "ps/p/t%20s/y", nil), ("PATCH", "e", #""b""#),
    ] {
      #expect(try service.send(method, "/state/\(path)", body).changed == true)
    }
    let folder = try TemporaryFolder()
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    _ = try Recovery(from: storage, of: old.definition) { first }
    try storage.append(service.revisions)
    let recovery = try #require(try Recovery(of: new.definition, in: storage))
    let kept = isOpen ? #","t s":[{"k?":"x","n":3}]"# : ""
    let state = String(decoding: new.definition.shape.stored(recovery.root), as: UTF8.self)
    #expect(state == #"{"ps":[{"id":"p"\#(kept)}],"e":"b"}"#)
    #expect(recovery.dropped == (isOpen ? [] : ["/ps/*/t s (1 value dropped)"]))
  }

  /// Returns a service with a random state, to which some random requests were sent.
  private func changedService(
    of model: DynamicModel, _ generator: inout DeclarationGenerator
  ) throws -> (first: DynamicValue, revisions: [Revision]) {
    var random = RandomPlaces(random: generator.random)
    let first = try model.initialState(try model.randomState(&random))
    let service = ComparedService(first, of: model.definition, key: .random())
    for _ in 0..<60 {
      let state = try service.send("GET", "/state").body
      let places = random.places(of: model.definition.shape.type, in: state)
        .filter { $0.segments.allSatisfy(\.isUsable) }
      if places.isEmpty { break }
      let write = RandomWrite(to: places, &random, &generator.random)
      #expect(try service.send(write.method, write.target, write.body).status < 500)
    }
    return (first, service.revisions)
  }

  /// Returns a model without some of the members, cases or values of another one; nil if that one is too small.
  private func smallerModel(_ file: [UInt8], _ random: inout SeededGenerator) throws -> DynamicModel? {
    // Computed members and references would not allow to remove what they need.
    let tree = try JSONTree(parsing: String(decoding: file, as: UTF8.self)).withoutRules
    for _ in 0..<200 {
      var smaller = tree
      for _ in 0..<Int.random(in: 1...3, using: &random) { smaller = smaller.smaller(&random) }
      if smaller.text != tree.text, let model = try? ModelFile.model(Array(smaller.text.utf8)) { return model }
    }
    return nil
  }

  @Test func `a patch of a place that the state does not have is refused`() throws {
    let shape = Shelf.shape
    let state = Array(#"{"boxes":[{"id":1,"label":"a"}],"sizes":{"s":1}}"#.utf8)
    for patch in [
      #"[{"op":"replace","path":"/boxes/2/label","value":"b"}]"#, #"[{"op":"remove","path":"/boxes/2"}]"#,
      #"[{"op":"move","path":"/boxes/2","at":0}]"#, #"[{"op":"replace","path":"/boxes/2","value":{}}]"#,
      #"[{"op":"replace","path":"/sizes/s/x","value":2}]"#, #"[{"op":"replace","path":"/lids/x","value":2}]"#,
    ] {
      var document = try StoredDocument(parsing: state, layout: shape.type.storedLayout)
      let parsed = try StoredPatch(parsing: Array(patch.utf8))
      #expect(throws: RestoreError.self, "\(patch)") { try document.apply(parsed) }
      #expect(document.text == state, "\(patch)")
    }
  }
}

private struct Shelf: StateModel {
  var boxes: Identified<EveryKind.Part>
  var sizes: [String: Int]

  static let shape = EditableShape<Shelf>.members(
    Shelf.init, StoredMember("boxes", \.boxes), StoredMember("sizes", \.sizes))
}

extension JSONTree {
  /// The model file without computed members and references.
  fileprivate var withoutRules: JSONTree {
    switch self {
    case .array(let elements): return .array(elements.map(\.withoutRules))
    case .object(let members):
      let isRule = { (member: Member) in
        let keys = member.value.members.map(\.key)
        return member.key == "reference" || keys.contains("x-bindery") && Set(keys).isDisjoint(with: Self.typeKeys)
      }
      let others = members.filter { !isRule($0) }.map { Member(key: $0.key, value: $0.value.withoutRules) }
      return .object(others.filter { $0.key != "x-bindery" || !$0.value.members.isEmpty })
    default: return self
    }
  }

  private static var typeKeys: [String] { ["$ref", "anyOf", "enum", "oneOf", "type"] }

  /// Returns a model file without some of its members, cases or values.
  fileprivate func smaller(_ random: inout SeededGenerator) -> JSONTree {
    var removed: String?
    func without(_ value: JSONTree, _ key: String) -> JSONTree {
      switch value {
      case .object(var members) where key == "properties" && members.count > 1 && random.chance(8):
        removed = members.remove(at: Int.random(in: members.indices, using: &random)).key
        return .object(members)
      case .array(var elements) where ["oneOf", "enum"].contains(key) && elements.count > 1 && random.chance(8):
        elements.remove(at: Int.random(in: elements.indices, using: &random))
        return .array(elements)
      case .object(var members):
        for index in members.indices { members[index].value = without(members[index].value, members[index].key) }
        if let name = removed, let index = members.firstIndex(where: { $0.key == "required" }) {
          members[index].value = .array(members[index].value.elements.filter { $0.string != name })
        }
        // An open object keeps the values as free members.
        if removed != nil, random.chance(30) {
          members.append(Member(key: "additionalProperties", value: .bool(true)))
        }
        removed = nil
        return .object(members)
      case .array(let elements): return .array(elements.map { without($0, "") })
      default: return value
      }
    }
    return without(self, "")
  }
}
