import BinderyAPI
import BinderyHTTP

/// The endpoints outside the state: health checks, metrics, events and documentation.
enum OpenAPIServiceEndpoints {
  static let tag = "service"

  /// One endpoint.
  private struct Endpoint {
    let path: String
    let name: String
    let summary: String
    /// The description of the 200 response.
    let result: String
    let mediaType: String
    var schema: OpenAPINode = ["type": "string"]
    var example: String?
    /// The path parameters, which apply to all methods.
    var parameters: OpenAPINode?
    /// The query parameters, which apply to GET and HEAD.
    var query: OpenAPINode?
    var errors: [HTTPStatus] = [.badRequest, .serviceUnavailable]
    /// Indicates whether the endpoint can be read without a token.
    var isPublic = true
  }

  private static let endpoints = [
    Endpoint(
      path: "/livez", name: "Liveness", summary: "Check that the process responds",
      result: "The process is running.", mediaType: "text/plain", example: "ok\n"),
    Endpoint(
      path: "/readyz", name: "Readiness", summary: "Check that the service is ready for requests",
      result: "The service is ready.", mediaType: "text/plain", example: "ready\njournal: ok\nserver: ok\n"),
    Endpoint(
      path: "/metrics", name: "Metrics", summary: "Read the metrics in the Prometheus text format (0.0.4)",
      result: "The metrics.", mediaType: "text/plain",
      example: """
        # HELP bindery_state_revision The current revision of the state.
        # TYPE bindery_state_revision gauge
        bindery_state_revision 42

        """,
      isPublic: false),
    Endpoint(
      path: "/openapi.yaml", name: "Description", summary: "Read this document", result: "The OpenAPI document.",
      mediaType: "application/yaml", schema: ["type": "object"], isPublic: false),
    Endpoint(
      path: "/model.json", name: "Model", summary: "Read the model of the state as a model file",
      result: "The model: JSON Schema with the keyword `x-bindery`.", mediaType: "application/schema+json",
      schema: ["type": "object"], isPublic: false),
    Endpoint(
      path: "/events", name: "Events", summary: "Stream the changes of several values",
      result: "The event stream.", mediaType: "text/event-stream",
      example: """
        retry: 2137

        id: 9yQ0mYlQ0pM3y7bGf1tFz9h4x0Kq2bT8sQvYpL6wDkc
        data: {"revision":42,"changes":[{"path":"/time","value":"tonight","etag":"9yQ0mYlQ0pM3y7bGf1tFzg"}]}


        """,
      query: [
        [
          "name": "path", "in": "query", "required": true, "explode": true,
          "description": """
          A JSON Pointer into the state; `/` is the whole state. An event contains all of these values that differ \
          from what the stream sent last, at one revision. A path that is repeated is sent once. An event has at most \
          8 MiB: a value that does not fit is left out, and its change has its `etag` and `"large": true`. The client \
          can GET the value.
          """,
          "schema": ["type": "array", "minItems": 1, "maxItems": 64, "items": ["type": "string"]],
          "example": ["/time", "/pinnedDish"],
        ],
        .reference("parameters", "Last-Event-ID"), .reference("parameters", "every"),
      ],
      errors: [.badRequest, .notFound, .notAcceptable, .serviceUnavailable], isPublic: false),
    Endpoint(
      path: "/problems", name: "Problems", summary: "List all error types", result: "The error types.",
      mediaType: "text/html"),
    Endpoint(
      path: "/problems/{type}", name: "Problem", summary: "Read the explanation of an error type",
      result: "The explanation.", mediaType: "text/html",
      parameters: [
        [
          "name": "type", "in": "path", "required": true,
          "schema": ["type": "string", "enum": .texts(ProblemKind.allCases.map(\.rawValue))],
        ]
      ],
      errors: [.badRequest, .notFound, .serviceUnavailable]),
  ]

  static var paths: [OpenAPINode.Entry] {
    endpoints.map { .init(key: $0.path, value: path($0)) }
  }

  private static func path(_ endpoint: Endpoint) -> OpenAPINode {
    let content: OpenAPINode = [
      "schema": endpoint.schema, "example": endpoint.example.map(OpenAPINode.text),
    ]
    let found: OpenAPINode = [
      "description": .text(endpoint.result),
      "content": .object([.init(key: endpoint.mediaType, value: content)]),
    ]
    return [
      "parameters": endpoint.parameters,
      "get": operation(endpoint, "get", endpoint.summary, (.ok, found)),
      "head": operation(
        endpoint, "head", "Read the header fields of `\(endpoint.path)`",
        (.ok, ["description": .text(endpoint.result)])),
      "options": operation(
        endpoint, "options", "List the methods of `\(endpoint.path)`",
        (.noContent, .reference("responses", OpenAPIComponents.options))),
    ]
  }

  private static func operation(
    _ endpoint: Endpoint, _ verb: String, _ summary: String, _ success: (status: HTTPStatus, response: OpenAPINode)
  ) -> OpenAPINode {
    let commonErrors: [HTTPStatus] =
      endpoint.isPublic ? [.misdirectedRequest] : OpenAPIAuthentication.errorStatuses(.get)
    let errors = (endpoint.errors + commonErrors).map {
      OpenAPINode.Entry(key: String($0.rawValue), value: .reference("responses", $0.component))
    }
    return [
      "operationId": .text(verb + endpoint.name), "summary": .text(summary), "tags": [.text(tag)],
      "security": endpoint.isPublic ? [] : nil, "parameters": verb == "options" ? nil : endpoint.query,
      "responses": .object([.init(key: String(success.status.rawValue), value: success.response)] + errors),
    ]
  }
}
