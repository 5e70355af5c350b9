import BinderyAPI
package import BinderyCore
import BinderyJSON

/// The OpenAPI 3.1 document of a service, generated from the shape of its model.
package struct OpenAPIDocument: Sendable {
  /// The document as a tree of JSON values.
  package let root: OpenAPINode

  /// Creates the document of a service.
  ///
  /// - Parameters:
  ///   - example: The state from which all examples are taken.
  ///   - model: The model of the state.
  ///   - title: The name of the service (`info.title`).
  ///   - version: The version of the interface (`info.version`).
  /// - Complexity: O(*n*) in the number of places that the types define.
  package init<Root: Sendable>(
    of example: Root, _ model: ModelDefinition<Root>, title: String, version: String
  ) {
    let type = model.shape.type
    var writer = JSONWriter()
    model.shape.encode(example, into: &writer)
    let value = OpenAPINode(json: writer.bytes)
    let examples = OpenAPIExamples(type, value)
    let places = OpenAPIPlace.all(below: .root(type, example: value), examples)

    var schemas = OpenAPISchemas(examples)
    schemas.add(OpenAPIComponents.problemSchema, OpenAPIComponents.problem)
    schemas.add(OpenAPIComponents.patchSchema, OpenAPIComponents.patch)
    var operations = OpenAPIOperations(schemas, examples)
    let state = places.map { OpenAPINode.Entry(key: $0.path, value: operations.path($0)) }

    root = [
      "openapi": "3.1.0",
      "info": [
        "title": .text(title), "version": .text(version), "description": .text(Self.description),
        "license": ["name": "MIT", "identifier": "MIT"],
      ],
      "servers": [["url": "/"]],
      "security": OpenAPIAuthentication.security,
      "tags": Self.tags(places),
      "paths": .object(state + OpenAPIServiceEndpoints.paths + OpenAPIHistory.paths + OpenAPIAuthentication.paths),
      "components": [
        "parameters": operations.components("parameters", adding: OpenAPIComponents.parameters),
        "headers": OpenAPIComponents.headers,
        "requestBodies": operations.components("requestBodies"),
        "responses": operations.components("responses", adding: OpenAPIComponents.responses),
        "schemas": operations.schemas.all,
        "securitySchemes": OpenAPIAuthentication.schemes,
      ],
    ]
  }

  /// Creates the document of a service with a model in Swift.
  package init<Root: StateModel>(of example: Root, title: String, version: String) {
    self.init(of: example, ModelDefinition(), title: title, version: version)
  }

  /// The document as YAML text.
  package var yaml: String { root.yaml }

  private static func tags(_ places: [OpenAPIPlace]) -> OpenAPINode {
    var names: [String] = []
    for place in places where !names.contains(place.tag) { names.append(place.tag) }
    let tags = names.map { name -> OpenAPINode in
      let description = name == "state" ? "The whole state." : "`/state/\(name)` and the values below it."
      return ["name": .text(name), "description": .text(description)]
    }
    let serviceTag: OpenAPINode = [
      "name": .text(OpenAPIServiceEndpoints.tag),
      "description": "Health checks, metrics, sessions, history and documentation.",
    ]
    return .list(tags + [serviceTag])
  }

  private static let description = """
    Every value of the state has a URL: `/state` followed by a JSON Pointer (RFC 6901) into the JSON of the state. \
    Elements of a collection are addressed by their id instead of their index. A value that `GET` returns can be sent \
    back to the same URL with `PUT`.

    `PATCH` merges the request body into the value (RFC 7396): sending `{"k": v}` to a URL has the same effect as \
    sending `v` to the URL of its member `k`. `PUT` replaces a value, or creates it if it does not exist. `DELETE` \
    removes an element or sets an optional to null. `POST` appends to a collection. A method that a URL does not \
    support is rejected with 405 and an `Allow` header.

    The `ETag` of a URL changes if and only if its value changes. `If-Match` and `If-None-Match` make any request \
    conditional. A request that fails leaves the state unchanged; its error is an `application/problem+json` document \
    (RFC 9457).

    If the server requires authentication, a read token allows GET, HEAD and OPTIONS, and a write token allows all \
    methods.

    A schema describes the values that are valid in at least one state of the service. A request that is not valid in \
    the current state (because another case of an enum is active, or an optional is null) gets an error response.
    """
}
