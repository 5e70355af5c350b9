import BinderyAPI
package import BinderyCore
import BinderyJSON

/// The description of the whole service in OpenAPI 3.1, made of what the types say of themselves.
package struct OpenAPIDocument: Sendable {
  package let root: OpenAPINode

  /// Describes a service.
  ///
  /// - Parameters:
  ///   - example: a state from which all examples are taken.
  ///   - title: what the service is called.
  ///   - version: that of the interface.
  /// - Complexity: O(*n*) in the number of places that the types know.
  package init<Root: Model>(of example: Root, title: String, version: String) {
    let type = Root.shape.type
    var writer = JSONWriter()
    Root.shape.encode(example, into: &writer)
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
      "security": OpenAPIAccess.security,
      "tags": Self.tags(places),
      "paths": .object(state + OpenAPISurroundings.paths + OpenAPIHistory.paths + OpenAPIAccess.paths),
      "components": [
        "parameters": operations.components("parameters", and: OpenAPIComponents.parameters),
        "headers": OpenAPIComponents.headers,
        "requestBodies": operations.components("requestBodies"),
        "responses": operations.components("responses", and: OpenAPIComponents.responses),
        "schemas": operations.schemas.all,
        "securitySchemes": OpenAPIAccess.schemes,
      ],
    ]
  }

  /// The document as a file.
  package var yaml: String { root.yaml }

  private static func tags(_ places: [OpenAPIPlace]) -> OpenAPINode {
    var names: [String] = []
    for place in places where !names.contains(place.tag) { names.append(place.tag) }
    let tags = names.map { name -> OpenAPINode in
      let description = name == "state" ? "The state as a whole." : "What stands under `/state/\(name)`."
      return ["name": .text(name), "description": .text(description)]
    }
    return .list(tags + [["name": .text(OpenAPISurroundings.tag), "description": "What stands around the state."]])
  }

  private static let description = """
    Every place of the state has a URL: `/state` and then the JSON Pointer into its JSON, with the id of an element in \
    place of its index. The URL is a binding: what is read there is what can be written there.

    `PATCH` changes what is there, by one law at every level: `{"k": v}` at a place is `v` at the place `k` below it. \
    `PUT` replaces, or makes what is missing. `DELETE` is for optionals and elements, `POST` for collections. \
    A method that a place does not have is answered with 405 and `Allow`.

    The `ETag` of a place changes exactly when its value does. `If-Match` and `If-None-Match` make any request \
    conditional. Whatever is refused leaves the state as it was, and is explained as `application/problem+json`.

    Where the server asks for tokens, a token for reading may use GET, HEAD and OPTIONS, and one for writing all \
    methods.

    Schemas say what is accepted in some state of the service. What depends on the state (the case that is active, \
    whether an optional holds something) is said by the problems.
    """
}
