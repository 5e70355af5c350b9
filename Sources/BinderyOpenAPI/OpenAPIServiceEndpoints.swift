import BinderyAPI

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
    var schema: OpenAPINode = ["type": "string"]
    var example: String?
    /// The path parameters.
    var parameters: OpenAPINode?
    /// The query parameters.
    var query: OpenAPINode?
    /// Indicates whether the endpoint can be read without a token.
    var isPublic = true
  }

  private static func endpoints(_ model: OpenAPIModel) -> [Endpoint] {
    let (pointer, value) = model.sample
    let changes: OpenAPINode = [
      "revision": 42, "changes": [["path": pointer, "value": value, "etag": "9yQ0mYlQ0pM3y7bGf1tFzg"]],
    ]
    return endpoints(watching: pointer, event: String(decoding: changes.json, as: UTF8.self))
  }

  private static func endpoints(watching pointer: OpenAPINode, event: String) -> [Endpoint] {
    [
      Endpoint(
        path: "/livez", name: "Liveness", summary: "Check that the process responds",
        description: "Answers as long as the process responds.", mediaType: "text/plain", example: "ok\n"),
      Endpoint(
        path: "/readyz", name: "Readiness", summary: "Check that the service is ready for requests",
        description: "Returns 503 if the service is stopping or cannot store writes; with a token, the reason too.",
        mediaType: "text/plain", example: "ready\njournal: ok\nserver: ok\n"),
      Endpoint(
        path: "/metrics", name: "Metrics", summary: "Read the metrics in the Prometheus text format (0.0.4)",
        description: "Returns counters and gauges of requests, streams, commits and the process.",
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
        description:
          "Sends an event with all watched values that differ from what the stream sent last, at one revision.",
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
        ], isPublic: false),
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
            "schema": ["type": "string", "enum": .texts(ProblemKind.allCases.map(\.rawValue))],
          ]
        ]),
    ]
  }

  /// The names that no place of the state can have, because the ids of its operations would not be unique.
  static let names = Set(endpoints(watching: "", event: "").map(\.name) + ["History"])

  static func paths(_ model: OpenAPIModel) -> [OpenAPINode.Entry] {
    endpoints(model).map { .init(key: $0.path, value: path($0)) }
  }

  private static func path(_ endpoint: Endpoint) -> OpenAPINode {
    let content: OpenAPINode = [
      "schema": endpoint.schema, "example": endpoint.example.map(OpenAPINode.text),
    ]
    let found: OpenAPINode = [
      "description": "Success.", "content": .object([.init(key: endpoint.mediaType, value: content)]),
    ]
    return [
      "parameters": endpoint.parameters,
      "get": [
        "operationId": .text("get" + endpoint.name), "summary": .text(endpoint.summary),
        "description": .text(endpoint.description), "tags": [.text(tag)], "security": endpoint.isPublic ? [] : nil,
        "parameters": endpoint.query,
        "responses": .object([.init(key: "200", value: found)] + [OpenAPIComponents.failure]),
      ],
    ]
  }
}
