import BinderyAPI
import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyOpenAPI
import Testing

extension OpenAPIDocument {
  /// A path of the document, and its route with the example ids of the document.
  struct DescribedPlace {
    let path: String
    let route: Route
    let operations: [String: OpenAPINode]
  }

  /// The places of the state in the document.
  var describedPlaces: [DescribedPlace] {
    (root["paths"]?.entries ?? []).filter { $0.key == "/state" || $0.key.hasPrefix("/state/") }.compactMap { entry in
      let ids = (entry.value["parameters"]?.elements ?? []).map(resolved)
      let segments = entry.key.split(separator: "/").dropFirst().map { segment in
        ids.first { "{\($0["name"]?.text ?? "")}" == segment }?["example"]?.text ?? String(segment)
      }
      guard let route = Route.root(Menu.shape.type).resolving(Array(segments), form: .url) else { return nil }
      let operations = entry.value.entries.filter { $0.key != "parameters" }.map { ($0.key, $0.value) }
      return DescribedPlace(path: entry.key, route: route, operations: Dictionary(uniqueKeysWithValues: operations))
    }
  }

  /// Returns the target of a reference. Returns all other nodes unchanged.
  func resolved(_ node: OpenAPINode) -> OpenAPINode {
    guard let path = node["$ref"]?.text else { return node }
    return path.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
  }

  /// Returns the example of a request or response body, or of its schema.
  func example(_ body: OpenAPINode?, _ type: String) throws -> JSONNode {
    let body = try #require(body.map(resolved))
    let content = try #require(body["content"]?[type])
    let schema = content["schema"].map(resolved)
    let example = try #require(content["example"] ?? schema?["examples"]?.elements.first)
    return try JSONDocument(parsing: example.json).root
  }
}

extension OpenAPINode {
  /// All references in the node.
  var references: Set<String> {
    var references = Set(elements.flatMap(\.references) + entries.flatMap(\.value.references))
    if let reference = self["$ref"]?.text { references.insert(reference) }
    return references
  }
}

extension TypeInfo {
  /// Returns the paths of this value and all values below it, with `{}` for ids.
  func paths(from path: String) -> Set<String> {
    switch kind {
    case .scalar, .array, .set: [path]
    case .product(let product):
      product.members.filter { $0.role != .hidden }
        .reduce(into: [path]) { $0.formUnion($1.type.paths(from: "\(path)/\($1.name)")) }
    case .sum(let cases):
      cases.reduce(into: [path]) { $0.formUnion($1.payload?.paths(from: "\(path)/\($1.name)") ?? []) }
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
