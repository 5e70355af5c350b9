import BinderyAPI
import BinderyJSON

/// The endpoints outside the state: health checks, metrics, events and documentation.
enum OpenAPIServiceEndpoints {
  static let tag = "service"

  /// One endpoint.
  private struct Endpoint {
    let path: String
    /// The name of the operation after `get`.
    let name: String
    let summary: String
    let description: String
    let mediaType: String
    var schema: JSONTree = ["type": "string"]
    var example: String?
    /// The path parameters.
    var parameters: JSONTree?
    /// The query parameters.
    var query: JSONTree?
    /// The operation of `POST`.
    var post: JSONTree?
    /// Whether the endpoint can be read without a token.
    var isPublic = true
  }

  private static func endpoints(_ model: OpenAPIModel) -> [Endpoint] {
    let (pointer, value) = model.sample
    let changes: JSONTree = [
      "revision": 42, "changes": [["path": pointer, "value": value, "etag": "9yQ0mYlQ0pM3y7bGf1tFzg"]],
    ]
    return endpoints(watching: pointer, event: String(decoding: changes.bytes, as: UTF8.self))
  }

  private static func endpoints(watching pointer: JSONTree, event: String) -> [Endpoint] {
    [
      Endpoint(
        path: "/livez", name: "Liveness", summary: "Check that the process responds",
        description: "Answers while the process runs.", mediaType: "text/plain", example: "ok\n"),
      Endpoint(
        path: "/readyz", name: "Readiness", summary: "Check that the service is ready",
        description: "Returns 503 while it is stopping or cannot store writes; with a token, the reason too.",
        mediaType: "text/plain", example: "ready\njournal: ok\nserver: ok\n",
        query: [
          OpenAPIComponents.parameter(
            "exclude", "A check to leave out.", ["enum": ["journal"]])
        ]),
      Endpoint(
        path: "/metrics", name: "Metrics", summary: "Read the metrics in the Prometheus text format (0.0.4)",
        description: "Returns metrics of requests, streams, commits and the process.",
        mediaType: "text/plain",
        example: """
          # HELP bindery_state_revision The current revision of the state.
          # TYPE bindery_state_revision gauge
          bindery_state_revision 42

          """,
        isPublic: false),
      Endpoint(
        path: "/openapi.yaml", name: "Description", summary: "Read this document",
        description: "Returns the OpenAPI document as YAML.",
        mediaType: "application/yaml", schema: ["type": "object"], isPublic: false),
      Endpoint(
        path: "/model.json", name: "Model", summary: "Read the model of the state as a model file",
        description: "Returns the model: JSON Schema with the keyword `x-bindery`.",
        mediaType: "application/schema+json", schema: ["type": "object"], isPublic: false),
      Endpoint(
        path: "/docs", name: "Docs", summary: "Read the reference page",
        description: "Returns this document as a web page. A browser without a session gets a page to sign in.",
        mediaType: "text/html", isPublic: false),
      Endpoint(
        path: "/events", name: "Events", summary: "Stream the changes of several values",
        description: """
          Sends an event with all watched values that differ from what the stream sent last, at one revision. A change \
          has the `etag` of its value without quotes, or `-` for an absent place.
          """,
        mediaType: "text/event-stream",
        example: """
          retry: 2137

          id: 9yQ0mYlQ0pM3y7bGf1tFz9h4x0Kq2bT8sQvYpL6wDkc~42~h4x0Kq2b
          data: \(event)


          """,
        query: [
          [
            "name": "path", "in": "query", "required": true, "explode": true,
            "description": """
            A JSON Pointer into the state; `/` is the whole state. An event contains all of these values that \
            differ from what the stream sent last, at one revision. A path that is repeated is sent once. An event \
            has at most 8 MiB: a value that does not fit is left out, and its change has its `etag` and \
            `"large": true`. The client can GET the value.
            """,
            "schema": ["type": "array", "minItems": 1, "maxItems": 64, "items": ["type": "string"]],
            "example": [pointer],
          ],
          .reference("parameters", "Last-Event-ID"), .reference("parameters", "every"),
        ], post: postedEvents(watching: pointer, event: event), isPublic: false),
      Endpoint(
        path: "/client.js", name: "ClientModule", summary: "Read the browser client",
        description: "Returns an ECMAScript module, which exports `connect`.", mediaType: "text/javascript"),
      Endpoint(
        path: "/client.d.ts", name: "ClientDeclarations", summary: "Read the declarations of the browser client",
        description: "Returns the declarations of `/client.js` for TypeScript.", mediaType: "text/plain"),
      Endpoint(
        path: "/problems", name: "Problems", summary: "List all error types",
        description: "Returns a page that lists the types of problems.",
        mediaType: "text/html"),
      Endpoint(
        path: "/problems/{type}", name: "Problem", summary: "Read the explanation of an error type",
        description: "Returns the page that the `type` of a problem leads to.", mediaType: "text/html",
        parameters: [
          [
            "name": "type", "in": "path", "required": true,
            "schema": ["type": "string", "enum": .strings(ProblemKind.allCases.map(\.rawValue))],
          ]
        ]),
    ]
  }

  /// `POST /events`.
  private static func postedEvents(watching pointer: JSONTree, event: String) -> JSONTree {
    let etag: JSONTree = [
      "type": "string", "pattern": "^([A-Za-z0-9_-]{22}|-)$",
      "description": """
      What the client has: the `etag` of an event, which is an ETag without quotes, or `-` for an absent place. \
      Without it, the first event contains the place.
      """,
    ]
    let place: JSONTree = [
      "type": "object", "required": ["path"], "additionalProperties": false,
      "properties": [
        "path": ["type": "string", "description": "A JSON Pointer into the state; `/` is the whole state."],
        "have": etag,
        "shallow": [
          "type": "boolean", "default": false,
          "description": "Whether changes have only the `etag` of the value, and the `count` of a collection.",
        ],
      ],
    ]
    return [
      "operationId": "postEvents", "summary": "Stream the changes of many values", "tags": [.string(tag)],
      "description": """
      Like `GET /events`, for up to 1,000 places. The body says what the client has of each, so that a client that \
      opens a stream with another place does not receive the others again. The request only reads: a read token is \
      enough. Events have no `id`.
      """,
      "parameters": [.reference("parameters", "every")],
      "requestBody": [
        "required": true,
        "content": [
          "application/json": [
            "schema": ["type": "array", "minItems": 1, "maxItems": 1_000, "items": place],
            "example": [["path": pointer, "have": "9yQ0mYlQ0pM3y7bGf1tFzg"]],
          ]
        ],
      ],
      "responses": responses(
        ["schema": ["type": "string"], "example": .string("data: \(event)\n\n")], "text/event-stream"),
    ]
  }

  /// The names that no place of the state can have, because the ids of its operations would not be unique.
  static let names = Set(endpoints(watching: "", event: "").map(\.name) + ["History"])

  static func paths(_ model: OpenAPIModel) -> [JSONTree.Member] {
    endpoints(model).map { .init(key: $0.path, value: path($0)) }
  }

  private static func path(_ endpoint: Endpoint) -> JSONTree {
    let content: JSONTree = ["schema": endpoint.schema, "example": endpoint.example.map(JSONTree.string)]
    return [
      "parameters": endpoint.parameters,
      "get": [
        "operationId": .string("get" + endpoint.name), "summary": .string(endpoint.summary),
        "description": .string(endpoint.description), "tags": [.string(tag)], "security": endpoint.isPublic ? [] : nil,
        "parameters": endpoint.query,
        "responses": responses(content, endpoint.mediaType),
      ],
      "post": endpoint.post,
    ]
  }

  private static func responses(_ content: JSONTree, _ mediaType: String) -> JSONTree {
    let found: JSONTree = ["description": "Success.", "content": [mediaType: content]]
    return OpenAPIComponents.responses("200", found)
  }
}
