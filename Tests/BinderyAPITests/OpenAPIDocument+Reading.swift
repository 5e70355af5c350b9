import BinderyAPI
import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyOpenAPI
import Testing

extension OpenAPIDocument {
  /// A path of the document, and where it leads with the ids that the document shows.
  struct Described {
    let path: String
    let route: Route
    let operations: [String: OpenAPINode]
  }

  /// The places of the state.
  var described: [Described] {
    (root["paths"]?.entries ?? []).filter { $0.key == "/state" || $0.key.hasPrefix("/state/") }.compactMap { entry in
      let ids = (entry.value["parameters"]?.elements ?? []).map(resolved)
      let segments = entry.key.split(separator: "/").dropFirst().map { segment in
        ids.first { "{\($0["name"]?.text ?? "")}" == segment }?["example"]?.text ?? String(segment)
      }
      guard let route = Route.root(Menu.shape.type).resolving(Array(segments), form: .url) else { return nil }
      let operations = entry.value.entries.filter { $0.key != "parameters" }.map { ($0.key, $0.value) }
      return Described(path: entry.key, route: route, operations: Dictionary(uniqueKeysWithValues: operations))
    }
  }

  /// What a reference refers to.
  func resolved(_ node: OpenAPINode) -> OpenAPINode {
    guard let path = node["$ref"]?.text else { return node }
    return path.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
  }

  /// The example of a body: its own, or that of its schema.
  func example(_ body: OpenAPINode?, _ type: String) throws -> JSONNode {
    let body = try #require(body.map(resolved))
    let content = try #require(body["content"]?[type])
    let schema = content["schema"].map(resolved)
    let example = try #require(content["example"] ?? schema?["examples"]?.elements.first)
    return try JSONDocument(parsing: example.json).root
  }
}

extension OpenAPINode {
  var references: Set<String> {
    var found = Set(elements.flatMap(\.references) + entries.flatMap(\.value.references))
    if let reference = self["$ref"]?.text { found.insert(reference) }
    return found
  }
}

extension TypeInfo {
  /// The addresses of all places from here on, ids as `{}`.
  func addresses(from path: String) -> Set<String> {
    switch kind {
    case .scalar, .array: [path]
    case .product(let product):
      product.members.filter { $0.role != .hidden }
        .reduce(into: [path]) { $0.formUnion($1.type.addresses(from: "\(path)/\($1.name)")) }
    case .sum(let cases):
      cases.reduce(into: [path]) { $0.formUnion($1.payload?.addresses(from: "\(path)/\($1.name)") ?? []) }
    case .optional(let wrapped):
      if case .optional = wrapped.kind {
        wrapped.addresses(from: path + "/some").union([path])
      } else {
        wrapped.addresses(from: path)
      }
    case .elements(let element, _), .dictionary(let element, _): element.addresses(from: path + "/{}").union([path])
    }
  }
}
