import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyJSON
import BinderyMenu
import BinderyOpenAPI
import Foundation
import Testing

/// The OpenAPI documents of models.
struct OpenAPITests {
  @Test func `the OpenAPI file in the repository is up to date`() throws {
    let file = URL(filePath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "openapi.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    let document = OpenAPIDocument(of: Menu.example, title: "Bindery", version: "0.1.0")
    #expect(text == document.yaml, "regenerate it: bindery openapi > openapi.yaml")
    #expect(text.utf8.count <= 120_000, "readers and code generators load the whole document")
  }

  @Test(arguments: DescribedModel.all)
  func `the document describes exactly the places that the types define`(_ model: DescribedModel) {
    let described = model.places.map { $0.path.replacing(/{\w+}/, with: "{}") }
    #expect(Set(described) == model.type.paths(from: "/state"))
    #expect(Set(described).count == described.count)
  }

  @Test(arguments: DescribedModel.all)
  func `each path has the methods that the server allows, except HEAD and OPTIONS`(_ model: DescribedModel) {
    for place in model.places {
      let described = Set(place.operations.map { $0.key.uppercased() })
      let allowed = Set(AllowedMethods(place.route).methods.map(\.name)).subtracting(["HEAD", "OPTIONS"])
      #expect(described == allowed, "\(place.path)")
    }
  }

  @Test(arguments: DescribedModel.all)
  func `each operation has a summary, a description and a declared tag`(_ model: DescribedModel) {
    let names = (model.document.root["tags"]?.elements ?? []).compactMap { $0["name"]?.string }
    let tags = Set(names)
    #expect(tags.count == names.count)
    for operation in model.operations {
      let id = operation["operationId"]?.string ?? ""
      #expect(operation["summary"]?.string?.isEmpty == false, "\(id)")
      #expect(operation["description"]?.string?.hasSuffix(".") == true, "\(id)")
      #expect(tags.isSuperset(of: operation["tags"]?.elements.compactMap(\.string) ?? [""]), "\(id)")
      #expect(operation["responses"]?["default"]?.referencedResponse == "Problem", "\(id)")
    }
    #expect(
      (model.document.root["tags"]?.elements ?? []).allSatisfy { $0["description"]?.string?.hasSuffix(".") == true })
  }

  @Test(arguments: DescribedModel.all)
  func `each parameter and each named schema of a type has a description`(_ model: DescribedModel) {
    for node in model.document.root["components"]?.all ?? [] where node["in"] != nil && node["name"] != nil {
      #expect(node["description"]?.string?.isEmpty == false, "\(node["name"]?.string ?? "")")
    }
    for (name, schema) in model.components("schemas") where schema["examples"] != nil {
      #expect(schema["description"]?.string?.isEmpty == false, "\(name)")
    }
  }

  @Test(arguments: DescribedModel.all)
  func `all references resolve and all components are referenced`(_ model: DescribedModel) {
    let kinds = (model.document.root["components"]?.members ?? []).filter { $0.key != "securitySchemes" }
    let components = kinds.flatMap { kind in
      kind.value.members.map { "#/components/\(kind.key)/\($0.key)" }
    }
    #expect(Set(components).count == components.count)
    #expect(Set(components) == model.document.root.references)
  }

  /// Code generators that choose between media types by the type of the value cannot tell two lists apart.
  @Test(arguments: DescribedModel.all)
  func `each request body has one media type, and JSON Patch is that of the root`(_ model: DescribedModel) {
    for operation in model.operations {
      guard let body = operation["requestBody"].map(model.document.resolved) else { continue }
      let isPatch = operation["operationId"] == "patchState"
      let types = (body["content"]?.members ?? []).map(\.key)
      #expect(types == [isPatch ? "application/json-patch+json" : "application/json"])
    }
  }

  /// swift-openapi-generator leaves out a member whose schema is a reference or null in `anyOf` or `oneOf`, and reads
  /// `type: [object, 'null']` as an optional, also behind a reference.
  @Test(arguments: DescribedModel.all)
  func `null is allowed by a list of types`(_ model: DescribedModel) {
    for node in model.document.root.all {
      #expect(node["anyOf"] == nil && node["allOf"] == nil)
      #expect(node["type"] != "null", "\(node)")
      for alternative in node["oneOf"]?.elements ?? [] {
        #expect(model.document.resolved(alternative)["type"] != nil, "\(node)")
      }
    }
  }

  @Test func `a member that can be null refers to a schema that allows null`() throws {
    let menu = DescribedModel(Menu.example)
    let properties = try #require(menu.components("schemas")["Menu"]?["properties"])
    for (member, component) in [
      ("pinnedID", "NullableUUID"), ("pinnedDish", "NullableDish"), ("editing", "OptionalDish"),
    ] {
      #expect(properties[member]?["$ref"]?.string == "#/components/schemas/\(component)")
      #expect(menu.components("schemas")[component]?["type"]?.elements.last == "null")
    }
    let zoo = DescribedModel(Zoo()).components("schemas")
    // One alternative of an enum allows null.
    #expect(zoo["NullableCell"]?["oneOf"]?.elements.first?["type"] == ["string", "null"])
    #expect(zoo["NullableCell"]?["oneOf"]?.elements.first?["enum"] == ["empty", .null])
  }

  @Test func `public paths require no authentication, and all security schemes are used`() throws {
    let menu = DescribedModel(Menu.example)
    let schemes = menu.components("securitySchemes").keys
    let used = menu.document.root["security"]?.elements.flatMap { $0.members.map(\.key) } ?? []
    #expect(Set(used) == Set(schemes))
    let publicPaths = menu.paths.filter { $0.value["get"]?["security"] == [] }.map(\.key)
    #expect(
      Set(publicPaths) == ["/livez", "/readyz", "/client.js", "/client.d.ts", "/problems", "/problems/{type}"])
  }

  @Test func `each problem type is listed with its status`() throws {
    let response = try #require(DescribedModel(Menu.example).components("responses")["Problem"])
    let lines = (response["description"]?.string ?? "").split(separator: "\n")
    for kind in ProblemKind.allCases {
      let line = try #require(lines.first { $0.hasPrefix("- \(kind.status.rawValue): ") })
      #expect(line.contains("`\(kind.rawValue)`"))
    }
  }
}

/// What the texts of a document say about a model.
struct OpenAPITextTests {
  /// Returns the description of an operation.
  private func description(_ model: DescribedModel, _ id: String) -> String? {
    model.operations.first { $0["operationId"]?.string == id }?["description"]?.string
  }

  @Test(arguments: [
    (
      "getDishName",
      "Returns a string of 1 to 100 characters, at most 400 bytes of UTF-8, not blank, without control "
        + "characters. 404 if `dishes` has no element with this id."
    ),
    (
      "getDishStatusInStockQuantity",
      "Returns an integer ≥ 1. 404 if `dishes` has no element with this id or `status` is not `inStock`."
    ),
    ("getTime", "Returns a `Time`: `tonight`, `tomorrow` or `custom`."),
    ("getPinnedDish", "Returns a `Dish`, or null. Computed from `dishes` and `pinnedID`."),
    (
      "getPinnedDishName",
      "Returns a string of 1 to 100 characters, at most 400 bytes of UTF-8, not blank, without "
        + "control characters. Part of the computed `pinnedDish`. 404 if `pinnedDish` is null."
    ),
    // The hidden member `evening` is a source too.
    (
      "getCustomTimeOrDefault",
      "Returns a date and time (RFC 3339 in UTC, with milliseconds). Computed from `time` and "
        + "`lastCustomTime`."
    ),
    ("patchDays", "Replaces the value. The setter of `days` may adjust or drop it (`Write-Outcome`)."),
    ("putTimeCustom", "Replaces the payload, or switches to the case and returns 201."),
    ("deletePinnedID", "Sets the value to null."),
  ])
  func `the description of an operation says what the types and constraints say`(id: String, expected: String) {
    #expect(description(DescribedModel(Menu.example), id) == expected)
  }

  @Test(arguments: [
    ("getPrices", "Returns a dictionary of integers."), ("getTags", "Returns an array of strings."),
    ("getAnimals", "Returns a list of `Animal` values with ids."),
    ("getCount", "Returns an integer ≤ 1000."),
    ("getStateAnimalsAnimalLegs", "Returns an integer from 0 to 1000. 404 if `animals` has no element with this id."),
    ("getSeven", "Returns an integer. Computed from the other members."),
    ("getPricesEntry", "Returns an integer. 404 if `prices` has no such key."),
    ("getSheet", "Returns null or `{\"some\": VALUE}`, where VALUE is a `Room`, or null."),
    ("getCellPoint", "Returns an object with `x` and `y`. 404 if `cell` is not `point`."),
  ])
  func `kinds that the menu does not have are described`(id: String, expected: String) {
    #expect(description(DescribedModel(Zoo()), id) == expected)
  }

  @Test func `hidden members are not in the document`() {
    #expect(!DescribedModel(Menu.example).document.yaml.contains("evening"))
    #expect(!DescribedModel(Namesakes()).document.yaml.contains("secret"))
  }

  @Test func `examples contain only the beginning of a long state`() {
    var zoo = Zoo()
    zoo.tags = (0..<1_000).map { "tag number \($0)" }
    zoo.prices = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("price number \($0)", $0) })
    let text = DescribedModel(zoo).document.yaml
    #expect(text.contains("tag number 1") && !text.contains("tag number 2"))
    #expect(text.utf8.count < DescribedModel(Zoo()).document.yaml.utf8.count + 1_000)
    // Above 1 MiB, the examples come from the types.
    zoo.tags = [String(repeating: "x", count: 1 << 20)]
    #expect(DescribedModel(zoo).document.yaml.utf8.count < 300_000)
  }
}

/// The names of operations and schemas.
struct OpenAPINameTests {
  @Test(arguments: DescribedModel.all)
  func `operation ids are unique and are identifiers`(_ model: DescribedModel) {
    let ids = model.operationIDs
    #expect(ids.count == model.operations.count)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.wholeMatch(of: /[a-z][A-Za-z0-9]*/) != nil }, "\(ids)")
    let names = ["schemas", "requestBodies", "responses"].flatMap { model.components($0).keys }
    #expect(names.allSatisfy { $0.wholeMatch(of: /[A-Z][A-Za-z0-9]*/) != nil }, "\(names)")
  }

  @Test func `operations are named after members and element types`() {
    let ids = Set(DescribedModel(Menu.example).operationIDs)
    #expect(
      ids.isSuperset(of: [
        "getState", "patchState", "getDishes", "addDish", "getDish", "putDish", "deleteDish", "patchDishName",
        "putDishStatusInStockQuantity", "getPinnedDishName", "deleteEditingSome", "getDayCard", "revertRevision",
      ]))
  }

  @Test func `operations with equal short names have the names of their paths`() {
    let ids = Set(DescribedModel(Namesakes()).operationIDs)
    #expect(
      ids.isSuperset(of: [
        // Two lists of dishes, and a member whose name equals that of a dish's member.
        "getStateLunchDish", "getStateDinnerDish", "getStateDinnerDishKind", "getStateDishKind", "addStateLunchDish",
        // The name of the whole state, and that of an operation outside it.
        "getState", "getStateState", "getHistory", "getStateHistory",
        "getFolderFolderFolderTitle",
        // Names without ASCII letters in between.
        "putScript", "putGrE",
      ]), "\(ids.sorted())")
  }

  @Test func `equally named types have schemas of their own`() throws {
    let schemas = DescribedModel(Namesakes()).components("schemas")
    #expect(schemas["Kind"] == nil)
    #expect(schemas["DishKind"]?["enum"] == ["cold", "warm"])
    #expect(schemas["GuestKind"]?["enum"] == ["child", "adult"])
    // The types of the model, and the schemas that every document has.
    #expect(schemas["DishInput"]?["properties"]?["isFree"] != nil)
    #expect(schemas["DishInput2"]?["properties"]?["kind"] != nil)
    #expect(schemas["Problem"]?["properties"]?["detail"] != nil)
    #expect(schemas["NamesakesProblem"]?["properties"]?["text"] != nil)
    // Three types with one name, each in the one before.
    let folder = try #require(schemas["Namesakes"]?["properties"]?["folder"]?["$ref"]?.string)
    #expect(folder == "#/components/schemas/NamesakesFolder")
    #expect(
      schemas["NamesakesFolder"]?["properties"]?["folder"]?["$ref"]?.string
        == "#/components/schemas/NamesakesFolderFolder")
    #expect(schemas["NamesakesFolderFolderFolder"]?["required"] == ["title"])
  }

  @Test func `the names do not depend on the example`() {
    let other = Namesakes(
      lunch: [], dinner: [], guest: .init(kind: .child, name: ""), folder: Namesakes().folder)
    #expect(DescribedModel(other).operationIDs == DescribedModel(Namesakes()).operationIDs)
    #expect(
      DescribedModel(other).components("schemas").keys == DescribedModel(Namesakes()).components("schemas").keys)
  }
}

extension JSONTree {
  /// The name of the referenced response.
  fileprivate var referencedResponse: String? {
    self["$ref"]?.string?.split(separator: "/").last.map(String.init)
  }
}
