import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyJSON

/// Builds the operations of all places of the state.
///
/// `HEAD` and `OPTIONS` exist at every path and are left out.
struct OpenAPIOperations {
  let model: OpenAPIModel
  var schemas: OpenAPISchemas
  private let names: OpenAPIOperationNames
  /// The components that several operations share, by component kind.
  private var shared = [
    "parameters": OpenAPIComponents.parameters.members, "responses": OpenAPIComponents.responses.members,
  ]

  init(_ model: OpenAPIModel, _ places: [OpenAPIPlace]) {
    self.model = model
    schemas = OpenAPISchemas(model)
    names = OpenAPIOperationNames(places, reserved: OpenAPIServiceEndpoints.names)
  }

  /// Stores a node as a component and returns a reference to it.
  ///
  /// An equal node with the same name is stored once. A different node with the same name gets a number.
  mutating func share(_ kind: String, _ name: String, _ node: JSONTree) -> JSONTree {
    let existing = shared[kind, default: []]
    let unique = OpenAPINaming.unused(name) { name in existing.contains { $0.key == name && $0.value != node } }
    if !existing.contains(where: { $0.key == unique }) {
      shared[kind, default: []].append(.init(key: unique, value: node))
    }
    return .reference(kind, unique)
  }

  /// Returns the shared components of a kind, sorted by name.
  func components(_ kind: String) -> JSONTree {
    .object(shared[kind, default: []].sorted { $0.key < $1.key })
  }

  /// Returns the path item of a place: the parameters of all its operations, and one operation per method.
  mutating func path(_ place: OpenAPIPlace) -> JSONTree {
    let own = place.parameters.map { parameter in
      let node: JSONTree = [
        "name": .string(parameter.name), "in": "path", "required": true, "description": .string(parameter.description),
        "schema": schemas.schema(parameter.type, .read, hint: parameter.name.capitalizedFirst),
        "example": parameter.example,
      ]
      return share("parameters", parameter.name, node)
    }
    let common = ["If-Match", "If-None-Match"].map { JSONTree.reference("parameters", $0) }
    let methods = AllowedMethods(place.route).methods.filter { $0 != .head && $0 != .options }
    return .object(
      [.init(key: "parameters", value: .array(own + common))]
        + methods.map { .init(key: $0.name.lowercased(), value: operation($0, place)) })
  }

  private mutating func operation(_ method: Method, _ place: OpenAPIPlace) -> JSONTree {
    [
      "operationId": .string(id(method, place)),
      "summary": .string(place.summary(method)),
      "description": .string(place.description(method)),
      "tags": [.string(place.tag)],
      "parameters": parameters(method, place),
      "requestBody": body(method, place),
      "responses": responses(method, place),
    ]
  }

  private func id(_ method: Method, _ place: OpenAPIPlace) -> String {
    method == .post ? "add" + names.elementName(of: place) : method.name.lowercased() + names.name(of: place)
  }

  /// Returns the parameters that only `GET` has.
  private mutating func parameters(_ method: Method, _ place: OpenAPIPlace) -> JSONTree? {
    guard method == .get else { return nil }
    let wait = JSONTree.reference("parameters", "wait")
    guard case .elements(_, let key) = place.route.target.kind else { return [wait] }
    let id = schemas.schema(key.type, .read, hint: place.hint + "Id")
    let cursors = [
      ("after", "The page begins after the element with this id."),
      ("before", "The page ends before the element with this id."),
    ].map { name, description in
      let suffix = id.referencedName ?? OpenAPINaming.capitalized(key.type.name)
      return share("parameters", name + suffix, OpenAPIComponents.parameter(name, description, id))
    }
    return .array(cursors + [.reference("parameters", "limit"), wait])
  }
}
