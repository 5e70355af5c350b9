import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import FoundationEssentials
import Testing

/// Models in Swift that are served again from their own model files.
struct ModelFileFixpointTests {
  /// Serves the model file of a model in Swift.
  ///
  /// - Returns: The members that the file says it cannot declare.
  private func serveAgain<Root: StateModel>(_ initial: Root) throws -> [String] {
    let text = ModelFile.text(of: ModelDefinition(Root.self).described)
    var removed: [String] = []
    let file = try JSONTree(parsing: String(decoding: text, as: UTF8.self)).withoutSwift(at: "", &removed)
    // Each member that needs Swift code is a mistake with its place, and there are no others.
    var places: [String] = []
    do throws(ModelMistakes) { _ = try ModelFile.model(text) } catch { places = error.list.map(\.pointer) }
    #expect(places.allSatisfy { place in removed.contains { place.hasPrefix($0) } }, "\(places) \(removed)")
    #expect(removed.allSatisfy { member in places.contains { $0.hasPrefix(member) } }, "\(places) \(removed)")

    // The rest is a model whose own file is the same.
    let model = try ModelFile.model(Array(file.text.utf8))
    let written = ModelFile.text(of: model.definition.described)
    #expect(try JSONTree(parsing: String(decoding: written, as: UTF8.self)).text == file.text)
    let again = try ModelFile.model(written)

    let (key, history) = (DigestKey.random(), HistoryID.random())
    let compiled = MemoryClient(Store(initial, journal: nil, key: key, history: history), key: key)
    let stored = try JSONDocument(parsing: Root.shape.data(initial)).root
    let state = try model.initialState(stored)
    let document = OpenAPIDocument(of: state, model.definition, title: "Again", version: "1")
    let repeated = OpenAPIDocument(of: try again.initialState(stored), again.definition, title: "Again", version: "1")
    #expect(document.yaml == repeated.yaml)

    // The paths are those of the model in Swift, apart from the members that the file cannot declare.
    let names = removed.map { $0.replacing("/properties/", with: "/") }
    func paths(_ document: OpenAPIDocument) -> [String] {
      guard case .object(let members)? = document.root["paths"] else { return [] }
      return members.map(\.key).filter { path in
        !names.contains { path == "/state\($0)" || path.hasPrefix("/state\($0)/") }
      }
    }
    let compiledDocument = OpenAPIDocument(of: initial, title: "Again", version: "1")
    #expect(paths(document) == paths(compiledDocument) && paths(document).count > 3)
    let dynamic = MemoryClient(Store(state, of: model.definition, journal: nil, key: key, history: history), key: key)
    for path in paths(document) where path.hasPrefix("/state/") && !path.contains("{") {
      #expect(try "\(compiled.get(path))" == "\(dynamic.get(path))")
      #expect(try "\(compiled.options(path))" == "\(dynamic.options(path))")
    }
    return removed
  }

  @Test func `the model file of the menu gives the same API, but for members computed by Swift`() throws {
    let computed = ["customTimeOrDefault", "days", "favorites", "pinnedDish", "selectedDayLabel"]
    let menu = Menu(
      today: try #require(CalendarDay(year: 2026, month: 11, day: 22)),
      evening: Date(timeIntervalSince1970: 1_763_838_000))
    #expect(try serveAgain(menu).sorted() == computed.map { "/properties/\($0)" })
  }

  @Test func `the model file of a model with every kind of value gives the same API`() throws {
    #expect(try serveAgain(Zoo()) == ["doubled", "seven", "total"].map { "/properties/\($0)" })
  }

  @Test func `the model file of a counter gives the same API and needs no data`() throws {
    #expect(try serveAgain(CounterState()) == ["/properties/isEven"])
  }
}

/// A counter, whose members all have defaults.
private struct CounterState: StateModel {
  var count = 0
  var step = 1
  var note: String?

  var isEven: Bool {
    get { count.isMultiple(of: 2) }
    set { if newValue != isEven { count &+= 1 } }
  }

  static let shape = EditableShape<CounterState>.members(
    CounterState.init(count:step:note:), StoredMember("count", \.count, default: 0),
    StoredMember("step", \.step, .within(1...100), default: 1), StoredMember("note", \.note, default: nil),
    computed: [ComputedMember("isEven", \.isEven, from: \.count)])
}

extension JSONTree {
  /// Returns a model file without the members that need Swift code.
  ///
  /// - Parameter removed: Receives the places of these members.
  fileprivate func withoutSwift(at pointer: String, _ removed: inout [String]) -> JSONTree {
    switch self {
    case .array(let elements):
      return .array(elements.enumerated().map { $1.withoutSwift(at: "\(pointer)/\($0)", &removed) })
    case .object(let members):
      var members = members
      if case .object(let properties)? = self["properties"] {
        let swift = properties.filter { $0.value["x-bindery"]?["swift"] != nil }.map(\.key)
        removed += swift.map { "\(pointer)/properties/\($0)" }
        for index in members.indices where members[index].key == "properties" {
          members[index].value = .object(properties.filter { !swift.contains($0.key) })
        }
      }
      for index in members.indices {
        let name = Pointer.escaped(members[index].key)
        members[index].value = members[index].value.withoutSwift(at: "\(pointer)/\(name)", &removed)
      }
      return .object(members)
    default: return self
    }
  }
}
