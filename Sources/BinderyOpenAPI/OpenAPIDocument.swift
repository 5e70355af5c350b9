package import BinderyCore
package import BinderyJSON

/// The OpenAPI 3.1 document of a service, generated from the shape of its model.
///
/// It is short, at most 120 KB for the menu by a test, so that people and tools can read it: what holds for all places
/// is in the description, and reads and writes of a type share a response.
package struct OpenAPIDocument: Sendable {
  /// The document as a tree of JSON values.
  package let root: JSONTree

  /// Creates the document of a service.
  ///
  /// - Parameters:
  ///   - example: The state from which all examples are taken.
  ///   - model: The model of the state.
  ///   - title: The name of the service (`info.title`).
  ///   - version: The version of the interface (`info.version`).
  ///   - basePath: The base path of the service; empty for the root of the host.
  /// - Complexity: O(*n*) in the number of places that the types define.
  package init<Root: Sendable>(
    of example: Root, _ model: ModelDefinition<Root>, title: String, version: String, basePath: String = ""
  ) {
    let model = OpenAPIModel(example, model)
    let places = OpenAPIPlace.all(below: .root(model.type, example: model.example), model)
    var operations = OpenAPIOperations(model, places)
    for (name, schema) in OpenAPIComponents.schemas { operations.schemas.add(name, schema) }
    let state = places.map { JSONTree.Member(key: $0.path, value: operations.path($0)) }
    let service = OpenAPIServiceEndpoints.paths(model) + OpenAPIHistory.paths(model) + OpenAPIAuthentication.paths
    let shared: [JSONTree.Member] = [
      .init(key: "parameters", value: operations.components("parameters")),
      .init(key: "headers", value: OpenAPIComponents.headers),
      .init(key: "requestBodies", value: operations.components("requestBodies")),
      .init(key: "responses", value: operations.components("responses")),
      .init(key: "schemas", value: operations.schemas.all),
    ]
    let paths = JSONTree.object(state + service)

    root = [
      "openapi": "3.1.0",
      "info": [
        "title": .string(title), "version": .string(version), "description": .string(Self.description),
        "license": ["name": "MIT", "identifier": "MIT"],
      ],
      "servers": [["url": .string(basePath.isEmpty ? "/" : basePath)]],
      "security": OpenAPIAuthentication.security,
      "tags": Self.tags(places),
      "paths": paths,
      "components": .object(
        Self.referenced(shared, from: paths)
          + [.init(key: "securitySchemes", value: OpenAPIAuthentication.schemes)]),
    ]
  }

  /// Creates the document of a service with a model in Swift.
  package init<Root: StateModel>(of example: Root, title: String, version: String, basePath: String = "") {
    self.init(of: example, ModelDefinition(), title: title, version: version, basePath: basePath)
  }

  /// Returns the components that a node references, directly or through other components.
  private static func referenced(_ kinds: [JSONTree.Member], from node: JSONTree) -> [JSONTree.Member] {
    let components = kinds.flatMap { kind in kind.value.members.map { (path(kind, $0), $0.value) } }
    let nodes = Dictionary(components) { first, _ in first }
    var used: Set<String> = []
    var pending = [node]
    while let node = pending.popLast() {
      for reference in node.references where used.insert(reference).inserted {
        if let component = nodes[reference] { pending.append(component) }
      }
    }
    return kinds.map { kind in
      .init(key: kind.key, value: .object(kind.value.members.filter { used.contains(path(kind, $0)) }))
    }
  }

  private static func path(_ kind: JSONTree.Member, _ component: JSONTree.Member) -> String {
    "#/components/\(kind.key)/\(component.key)"
  }

  /// The document as YAML text.
  package var yaml: String { root.yaml }

  private static func tags(_ places: [OpenAPIPlace]) -> JSONTree {
    var tags: [JSONTree] = []
    for place in places where !tags.contains(where: { $0["name"]?.string == place.tag }) {
      // The first place with a tag is the member of the state that has its name.
      tags.append(["name": .string(place.tag), "description": .string(place.tagDescription)])
    }
    // A member of the state may have the same name.
    if !places.contains(where: { $0.tag == OpenAPIServiceEndpoints.tag }) {
      tags.append(["name": .string(OpenAPIServiceEndpoints.tag), "description": "The service itself."])
    }
    return .array(tags)
  }

  private static let description = """
    Every value of the state has a URL: `/state` followed by a JSON Pointer (RFC 6901) into the JSON of the state. \
    Elements of a collection are addressed by id instead of by index. What `GET` returns can be sent back to \
    the same URL with `PUT`.

    - `PATCH` merges the body into the value (RFC 7396): sending `{"k": v}` to a URL has the same effect as sending \
    `v` to the URL of its member `k`.
    - `PUT` replaces a value, or creates it if it does not exist.
    - `DELETE` removes an element, or sets an optional to null. `POST` appends to a collection.
    - Every URL also has `HEAD` and `OPTIONS`. Any other method is rejected with 405 and `Allow`.

    The `ETag` of a URL changes if and only if its value changes. `If-Match` and `If-None-Match` make a request for \
    it conditional. An error is an `application/problem+json` document (RFC 9457), and the state is unchanged, except \
    that a write with the problem `unknown-outcome` may be stored. `Prefer: return=minimal` asks a write for 204 \
    without a body, and `Prefer: handling=strict` rejects a write whose value a setter would adjust or drop.

    With `Accept: text/event-stream`, a `GET` of a value is a stream of its changes, for the `EventSource` of \
    browsers: an event has the value as `data`, and the event `absent` says that there is none. Such a stream \
    takes `Last-Event-ID`, `?every=` (milliseconds between events) and `?as=patch` (JSON Patches after the first \
    event; with `&ids` their paths name elements by id instead of by index). `GET /events` streams several values.

    Every response has `State-History`, the id of the history that revisions belong to. It changes when the state \
    is replaced, when a store in memory starts, and after a failover; revisions of different histories are not \
    comparable. A request \
    with `State-Revision` and `State-History`, or with `Prefer: read=newest`, gets no older state from another server.

    A write with `Idempotency-Key` (1 to 64 visible ASCII bytes) changes the state at most once: if it is \
    sent again within a day, the response is the first one, with `Idempotency-Replayed: ?1`.

    `?pretty` indents the JSON of a value, and `GET /state?stored` leaves computed members out.

    If the server requires authentication, a read token allows `GET`, `HEAD`, `OPTIONS`, `POST /events` and \
    `/session`, and a write token all requests.

    The schemas describe what is valid in some state of the service. In the current one, another case of an enum \
    may be active, or an optional null: such a request is rejected with 404 or 409.
    """
}
