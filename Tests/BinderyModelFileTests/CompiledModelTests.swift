import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import Testing

/// Models in Swift as model files.
struct CompiledModelTests {
  @Test func `the model file of a model in Swift gives the same API`() throws {
    let described = ModelDefinition(EveryKind.self).described
    let text = ModelFile.text(of: described)
    #expect(try ModelFile.parse(text) == described)
    let model = try ModelFile.model(text)
    #expect(ModelFile.text(of: model.definition.described) == text)

    let (key, history) = (DigestKey.random(), HistoryID.random())
    let compiled = MemoryClient(Store(EveryKind(), journal: nil, key: key, history: history), key: key)
    let state = try compiled.get("/state")
    let initial = try model.initialState(try JSONDocument(parsing: state.body).root)
    let dynamic = MemoryClient(Store(initial, of: model.definition, journal: nil, key: key, history: history), key: key)
    let paths = [
      "", "/isOn", "/ratio", "/owner", "/changedAt", "/deep", "/numbers", "/tags", "/mode", "/prices", "/prices/adult",
      "/floors/1", "/cell", "/room", "/room/name", "/parts", "/parts/2", "/parts/2/label", "/guests/ada",
      "/cell/point/x",
    ]
    for path in paths {
      #expect(try "\(compiled.get("/state" + path))" == "\(dynamic.get("/state" + path))")
      #expect(try "\(compiled.options("/state" + path))" == "\(dynamic.options("/state" + path))")
    }
    let compiledDocument = OpenAPIDocument(of: EveryKind(), title: "Every kind", version: "1")
    let document = OpenAPIDocument(of: initial, model.definition, title: "Every kind", version: "1")
    #expect(compiledDocument.yaml == document.yaml)
  }

  @Test func `a model file says which members of a model in Swift it cannot declare`() throws {
    let text = ModelFile.text(of: ModelDefinition(MenuCore.self).described)
    do throws(ModelMistakes) {
      _ = try ModelFile.model(text)
      Issue.record("expected mistakes")
    } catch {
      #expect(
        error.list.map { "\($0.pointer): \($0.message)" } == [
          "/properties/pinnedDish: “pinnedDish” is computed by Swift code, which a model file cannot contain: remove it, "
            + "or declare an optic such as “alias”",
          "/properties/favorites: “favorites” is computed by Swift code, which a model file cannot contain: remove it, "
            + "or declare an optic such as “alias”",
        ])
    }
  }
}
