import BinderyCore
import BinderyDigest
import BinderyModelFile
import BinderyTestKit
import BindingLaws
import Testing

/// Patches that are applied to the JSON of a snapshot.
struct StoredDocumentTests {
  @Test(arguments: LongRun.seeds(16))
  func `patches change the JSON of a state as they change its values`(_ seed: UInt64) throws {
    var generator = DeclarationGenerator(seed: seed)
    let model = try ModelFile.model(ModelFile.text(of: generator.model()))
    let (definition, shape) = (model.definition, model.definition.shape)
    var random = RandomPlaces(random: generator.random)
    let first = try model.initialState(try model.randomState(&random))
    let service = ComparedService(first, of: definition, key: .random())
    for _ in 0..<60 {
      let state = try service.send("GET", "/state").body
      let places = random.places(of: shape.type, in: state).filter { $0.segments.allSatisfy(\.isUsable) }
      if places.isEmpty { break }
      let write = RandomWrite(to: places, &random, &generator.random)
      #expect(try service.send(write.method, write.target, write.body).status < 500)
    }
    var (root, document) = (first, try StoredDocument(parsing: shape.stored(first), type: shape.type))
    for revision in service.revisions {
      let patch = try StoredPatch(parsing: revision.patch)
      try shape.restore(&root, patch)
      try document.apply(patch)
      #expect(try shape.stored(shape.restore(document.text)) == shape.stored(root), "after \(revision)")
    }
  }

  @Test func `a patch of a place that the state does not have is refused`() throws {
    let shape = Shelf.shape
    let state = Array(#"{"boxes":[{"id":1,"label":"a"}],"sizes":{"s":1}}"#.utf8)
    for patch in [
      #"[{"op":"replace","path":"/boxes/2/label","value":"b"}]"#, #"[{"op":"remove","path":"/boxes/2"}]"#,
      #"[{"op":"move","path":"/boxes/2","at":0}]"#, #"[{"op":"replace","path":"/boxes/2","value":{}}]"#,
      #"[{"op":"replace","path":"/sizes/s/x","value":2}]"#, #"[{"op":"replace","path":"/lids/x","value":2}]"#,
    ] {
      var document = try StoredDocument(parsing: state, type: shape.type)
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
