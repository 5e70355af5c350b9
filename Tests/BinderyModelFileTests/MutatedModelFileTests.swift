import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import BindingLaws
import Testing

/// Mutated model files: each is a model, or a list of mistakes. `make models` checks 40,000.
struct MutatedModelFileTests {
  @Test(arguments: LongRun.seeds(2))
  func `a model file with random changes is served, or each mistake is one line with a pointer`(_ seed: UInt64) throws {
    var generator = DeclarationGenerator(seed: seed)
    var declaration = generator.model()
    var random = RandomPlaces(random: generator.random)
    declaration.initial = ConstantDeclaration(Array(try DynamicModel(declaration).randomState(&random).text))
    let texts = [MenuModel.text, ModelFile.text(of: declaration), Array(Blog.text.utf8)]
    let files = try texts.map { try JSONTree(parsing: String(decoding: $0, as: UTF8.self)) }
    var mutator = ModelFileMutator(seed: seed, files)
    var (served, refused) = (0, 0)
    for number in 0..<250 {
      let isByBytes = number % 3 == 0
      let text = isByBytes ? mutator.mutated(texts[number % 2]) : mutator.mutated(files[number % files.count])
      do throws(ModelMistakes) {
        try serve(text)
        served += 1
      } catch {
        refused += 1
        check(error, in: text)
      }
    }
    #expect(served > 2 && refused > 50, "\(served) files were served, \(refused) were refused")
  }

  /// Serves a model file: reads it, writes it, creates its state, and sends some requests.
  private func serve(_ text: [UInt8]) throws(ModelMistakes) {
    let model = try ModelFile.model(text)
    let written = ModelFile.text(of: model.declaration)
    #expect(try ModelFile.parse(written) == model.declaration, "\(String(decoding: written, as: UTF8.self))")
    let state = try model.initialState()
    let client = MemoryClient(Store(state, of: model.definition, journal: nil))
    do {
      let reply = try client.get("/state")
      #expect(reply.status == 200)
      let again = try client.put("/state", reply.text)
      #expect(again.status == 200 && again.changed == false, "\(again)\n\(String(decoding: text, as: UTF8.self))")
      #expect(try client.patch("/state", #"{"dishes":[],"pinnedID":null,"pinned":null,"unknown":1}"#).status < 500)
    } catch { Issue.record("\(error)") }
    let document = OpenAPIDocument(of: state, model.definition, title: "Mutated", version: "1")
    #expect(document.root["paths"] != nil)
  }

  private func check(_ mistakes: ModelMistakes, in text: [UInt8]) {
    let root = (try? JSONDocument(parsing: text, maximumDepth: 256))?.root
    #expect(!mistakes.list.isEmpty)
    for mistake in mistakes.list {
      #expect(!mistake.message.isEmpty)
      let line = "\(mistake.pointer): \(mistake.message)"
      #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 || $0.value == 0x2029 })
      guard let root, !mistake.pointer.hasPrefix("/default/") else { continue }
      #expect(leads(mistake.pointer, in: root), "\(line)\n\(String(decoding: text, as: UTF8.self))")
    }
  }

  /// Returns whether a pointer leads to a value.
  private func leads(_ pointer: String, in root: JSONNode) -> Bool {
    guard let segments = Pointer.segments(of: pointer) else { return false }
    // A mistake in a default can be at a place in the value.
    return leads(segments[...], in: root) || segments.contains { ["default", "value", "equals"].contains($0) }
  }

  private func leads(_ segments: ArraySlice<String>, in node: JSONNode) -> Bool {
    guard let segment = segments.first else { return true }
    // Line separators in names are replaced.
    if segment.contains(" ") { return true }
    if node.kind == .array, let index = Int(segment), index < node.count {
      return leads(segments.dropFirst(), in: Array(node.elements)[index])
    }
    // The mistake can be in each of several members with the same name.
    return node.members.contains { $0.key.isString(segment) && leads(segments.dropFirst(), in: $0.value) }
  }
}
