import BinderyAPI
import BinderyCore
import BinderyFuzzTargets
import BinderyJSON
import BinderyMenu
import BinderyOpenAPI
import Testing

/// A model with its document.
struct DescribedModel: Sendable, CustomTestStringConvertible {
  let name: String
  let type: TypeInfo
  let document: OpenAPIDocument

  init<Root: StateModel>(_ example: Root) {
    name = "\(Root.self)"
    type = Root.shape.type
    document = OpenAPIDocument(of: example, title: name, version: "1")
  }

  var testDescription: String { name }

  /// Models with every kind of value, and one with equal names.
  static let all = [
    DescribedModel(Menu.example), DescribedModel(Zoo()), DescribedModel(Sensor()), DescribedModel(Namesakes()),
  ]

  /// A path of the document, and its route with the example ids of the document.
  struct Place {
    let path: String
    let route: Route
    let operations: [String: JSONTree]
  }

  /// The places of the state in the document.
  var places: [Place] {
    paths.filter { $0.key == "/state" || $0.key.hasPrefix("/state/") }.compactMap { entry in
      let ids = (entry.value["parameters"]?.elements ?? []).map(document.resolved)
      guard let target = try? RequestTarget(path: Array(entry.key.utf8)[...]) else { return nil }
      let segments = target.segments.dropFirst().map { segment in
        ids.first { "{\($0["name"]?.string ?? "")}" == segment }?["example"].map(Self.text) ?? segment
      }
      guard let route = Route.root(type).resolving(Array(segments), form: .url) else { return nil }
      let operations = entry.value.members.filter { $0.key != "parameters" }.map { ($0.key, $0.value) }
      return Place(path: entry.key, route: route, operations: Dictionary(uniqueKeysWithValues: operations))
    }
  }

  /// Returns an id as it stands in a path: a text without quotes, and anything else as JSON.
  private static func text(_ id: JSONTree) -> String { id.string ?? id.text }

  var paths: [JSONTree.Member] { document.root["paths"]?.members ?? [] }

  /// All operations, by operation id.
  var operations: [JSONTree] {
    paths.flatMap { $0.value.members.filter { $0.key != "parameters" }.map(\.value) }
  }

  var operationIDs: [String] { operations.compactMap { $0["operationId"]?.string } }

  /// The components of a kind, by name.
  func components(_ kind: String) -> [String: JSONTree] {
    let entries = document.root["components"]?[kind]?.members ?? []
    return Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
  }
}

extension OpenAPIDocument {
  /// Returns the target of a reference. Returns all other nodes unchanged.
  func resolved(_ node: JSONTree) -> JSONTree {
    guard let path = node["$ref"]?.string else { return node }
    return path.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
  }

  /// Returns the example of a request or response body, or of its schema; nil for a plain scalar.
  func example(_ body: JSONTree?, _ type: String) throws -> JSONTree? {
    let body = try #require(body.map(resolved))
    let content = try #require(body["content"]?[type])
    let schema = try #require(content["schema"])
    guard schema["$ref"] != nil else { return nil }
    return try #require(content["example"] ?? resolved(schema)["examples"]?.elements.first)
  }
}

extension JSONTree {
  /// The node and all nodes in it.
  var all: [JSONTree] { [self] + children.flatMap(\.all) }
}

extension TypeInfo {
  /// Returns the paths of this value and all values below it, with `{}` for ids.
  func paths(from path: String) -> Set<String> {
    switch kind {
    case .scalar, .array, .set: [path]
    case .product(let product):
      product.members.filter { $0.role != .hidden }.reduce(into: [path]) {
        $0.formUnion($1.type.paths(from: path + RequestTarget.path([$1.name])))
      }
    case .sum(let cases):
      cases.reduce(into: [path]) {
        $0.formUnion($1.payload?.paths(from: path + RequestTarget.path([$1.name])) ?? [])
      }
    case .optional(let wrapped):
      if case .optional = wrapped.kind {
        wrapped.paths(from: path + "/some").union([path])
      } else {
        wrapped.paths(from: path)
      }
    case .elements(let element, _), .dictionary(let element, _): element.paths(from: path + "/{}").union([path])
    }
  }
}
