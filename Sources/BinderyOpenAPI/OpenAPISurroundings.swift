import BinderyAPI
import BinderyHTTP

/// What stands around the state: a description for each resource.
enum OpenAPISurroundings {
  static let tag = "service"

  private struct Resource {
    let path: String
    let name: String
    let summary: String
    let mediaType: String
    var schema: OpenAPINode = ["type": "string"]
    var example: String?
    /// Of the path, and so of every method.
    var parameters: OpenAPINode?
    /// Of the query, which only reading looks at.
    var query: OpenAPINode?
    var refusals: [HTTPStatus] = [.badRequest, .serviceUnavailable]
    /// Everybody may read it.
    var isForAll = true
  }

  private static let resources = [
    Resource(
      path: "/livez", name: "Liveness", summary: "Whether the process answers at all", mediaType: "text/plain",
      example: "ok\n"),
    Resource(
      path: "/readyz", name: "Readiness", summary: "Whether the service can do its work", mediaType: "text/plain",
      example: "ready\njournal: ok\nserver: ok\n"),
    Resource(
      path: "/metrics", name: "Metrics", summary: "What is counted and measured, for Prometheus (text format 0.0.4)",
      mediaType: "text/plain",
      example: """
        # HELP bindery_state_revision The revision that readers see.
        # TYPE bindery_state_revision gauge
        bindery_state_revision 42

        """,
      isForAll: false),
    Resource(
      path: "/openapi.yaml", name: "Description", summary: "This document", mediaType: "application/yaml",
      schema: ["type": "object"], isForAll: false),
    Resource(
      path: "/events", name: "Events", summary: "A stream of several places", mediaType: "text/event-stream",
      example: """
        retry: 2137

        id: 9yQ0mYlQ0pM3y7bGf1tFzg
        data: {"revision":42,"changes":[{"path":"/time","value":"tonight"}]}


        """,
      query: [
        [
          "name": "path", "in": "query", "required": true, "explode": true,
          "description": "A place, as a JSON Pointer into the state; `/` is the whole.",
          "schema": ["type": "array", "minItems": 1, "maxItems": 64, "items": ["type": "string"]],
          "example": ["/time", "/pinnedDish"],
        ],
        .reference("parameters", "Last-Event-ID"), .reference("parameters", "every"),
      ],
      refusals: [.badRequest, .notFound, .notAcceptable, .serviceUnavailable], isForAll: false),
    Resource(
      path: "/problems", name: "Problems", summary: "All types of problems", mediaType: "text/html"),
    Resource(
      path: "/problems/{type}", name: "Problem", summary: "What a type of problem means", mediaType: "text/html",
      parameters: [
        [
          "name": "type", "in": "path", "required": true,
          "schema": ["type": "string", "enum": .texts(ProblemKind.allCases.map(\.rawValue))],
        ]
      ],
      refusals: [.badRequest, .notFound, .serviceUnavailable]),
  ]

  static var paths: [OpenAPINode.Entry] {
    resources.map { .init(key: $0.path, value: path($0)) }
  }

  private static func path(_ resource: Resource) -> OpenAPINode {
    let content: OpenAPINode = [
      "schema": resource.schema, "example": resource.example.map(OpenAPINode.text),
    ]
    let found: OpenAPINode = [
      "description": .text(resource.summary + "."),
      "content": .object([.init(key: resource.mediaType, value: content)]),
    ]
    return [
      "parameters": resource.parameters,
      "get": operation(resource, "get", resource.summary, (.ok, found)),
      "head": operation(
        resource, "head", "The header fields of the same", (.ok, ["description": .text(resource.summary + ".")])),
      "options": operation(
        resource, "options", "What can be done there",
        (.noContent, .reference("responses", OpenAPIComponents.options))),
    ]
  }

  private static func operation(
    _ resource: Resource, _ verb: String, _ summary: String, _ answer: (status: HTTPStatus, response: OpenAPINode)
  ) -> OpenAPINode {
    let more: [HTTPStatus] = resource.isForAll ? [.misdirectedRequest] : OpenAPIAccess.refusals(.get)
    let refusals = (resource.refusals + more).map {
      OpenAPINode.Entry(key: String($0.rawValue), value: .reference("responses", $0.component))
    }
    return [
      "operationId": .text(verb + resource.name), "summary": .text(summary), "tags": [.text(tag)],
      "security": resource.isForAll ? [] : nil, "parameters": verb == "options" ? nil : resource.query,
      "responses": .object([.init(key: String(answer.status.rawValue), value: answer.response)] + refusals),
    ]
  }
}
