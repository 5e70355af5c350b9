import BinderyAPI
import BinderyCore
import BinderyHTTP

/// Builds the operations of all places of the state.
struct OpenAPIOperations {
  let examples: OpenAPIExamples
  var schemas: OpenAPISchemas
  /// The operation ids that are in use.
  private var ids: Set<String> = []
  /// The components that several operations share, by component kind.
  private var shared: [String: [OpenAPINode.Entry]] = [:]

  init(_ schemas: OpenAPISchemas, _ examples: OpenAPIExamples) {
    self.schemas = schemas
    self.examples = examples
  }

  /// Stores a node as a component and returns a reference to it.
  ///
  /// An equal node with the same name is stored once. A different node with the same name gets a number.
  mutating func share(_ kind: String, _ name: String, _ node: OpenAPINode) -> OpenAPINode {
    let existing = shared[kind, default: []]
    var unique = name
    var number = 2
    while let component = existing.first(where: { $0.key == unique }) {
      if component.value == node { return .reference(kind, unique) }
      unique = "\(name)\(number)"
      number += 1
    }
    shared[kind, default: []].append(.init(key: unique, value: node))
    return .reference(kind, unique)
  }

  /// Returns the shared components of a kind together with additional ones, sorted by name.
  func components(_ kind: String, adding fixed: OpenAPINode = [:]) -> OpenAPINode {
    .object((fixed.entries + shared[kind, default: []]).sorted { $0.key < $1.key })
  }

  /// Returns the path item of a place: its path parameters and one operation per allowed method.
  mutating func path(_ place: OpenAPIPlace) -> OpenAPINode {
    var entries: [OpenAPINode.Entry] = []
    if !place.parameters.isEmpty {
      let parameters = place.parameters.map { parameter in
        let schema = schemas.schema(parameter.type, .read, hint: parameter.name.capitalizedFirst)
        return share(
          "parameters", parameter.name,
          [
            "name": .text(parameter.name), "in": "path", "required": true, "schema": schema,
            "example": parameter.example,
          ])
      }
      entries.append(.init(key: "parameters", value: .list(parameters)))
    }
    for method in AllowedMethods(place.route).methods {
      entries.append(.init(key: method.name.lowercased(), value: operation(method, place)))
    }
    return .object(entries)
  }

  private mutating func operation(_ method: Method, _ place: OpenAPIPlace) -> OpenAPINode {
    [
      "operationId": .text(id(method, place)),
      "summary": .text(summary(method, place)),
      "tags": [.text(place.tag)],
      "parameters": parameters(method, place),
      "requestBody": body(method, place),
      "responses": responses(method, place),
    ]
  }

  /// Returns an operation id that is unique in the document.
  private mutating func id(_ method: Method, _ place: OpenAPIPlace) -> String {
    let verb = method == .post ? "addTo" : method.name.lowercased()
    let base = verb + place.words.joined().filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    var id = base
    var number = 2
    while !ids.insert(id).inserted {
      id = base + "\(number)"
      number += 1
    }
    return id
  }

  private func summary(_ method: Method, _ place: OpenAPIPlace) -> String {
    switch method {
    case .get: "Read \(place.noun)"
    case .head: "Read the header fields of \(place.noun)"
    case .patch: "Change \(place.noun)"
    case .put where place.canBeCreated: "Replace or create \(place.noun)"
    case .put: "Replace \(place.noun)"
    case .post: "Append to \(place.noun)"
    case .delete: place.route.isRemovable ? "Remove \(place.noun)" : "Set \(place.noun) to null"
    case .options, .unknown: "List the methods of \(place.noun)"
    }
  }

  private mutating func parameters(_ method: Method, _ place: OpenAPIPlace) -> OpenAPINode? {
    var names: [String]
    switch method {
    case .get: names = ["If-None-Match", "If-Match", "pretty", "wait", "Last-Event-ID", "every", "as", "ids"]
    case .head: names = ["If-None-Match", "If-Match", "pretty"]
    case .patch, .put, .post: names = ["If-Match", "If-None-Match", "Prefer", "pretty"]
    case .delete: names = ["If-Match", "If-None-Match", "Prefer"]
    case .options, .unknown: return nil
    }
    var list: [OpenAPINode] = []
    if [.get, .head].contains(method), case .elements(_, let key) = place.route.target.kind {
      names.append("limit")
      let after: OpenAPINode = [
        "name": "after", "in": "query", "description": "The id of the last element of the previous page.",
        "schema": schemas.schema(key.type, .read, hint: place.hint + "Id"),
      ]
      list = [share("parameters", "after" + place.hint, after)]
    }
    return .list(names.map { .reference("parameters", $0) } + list)
  }
}
