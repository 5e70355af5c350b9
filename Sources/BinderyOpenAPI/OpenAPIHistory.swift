import BinderyAPI
import BinderyHTTP

/// The endpoints of the history: the list of stored revisions, and reverting one of them.
enum OpenAPIHistory {
  static var paths: [OpenAPINode.Entry] {
    [.init(key: "/history", value: list), .init(key: "/history/{revision}/revert", value: revert)]
  }

  private static let tag = OpenAPIServiceEndpoints.tag

  private static var list: OpenAPINode {
    let content: OpenAPINode = ["schema": page, "example": example]
    return [
      "get": operation(
        "getHistory", "List the stored revisions",
        (.ok, OpenAPIComponents.response("A page of revisions.", ["Link"], content)),
        readErrors, query),
      "head": operation(
        "headHistory", "Read the header fields of the revision list",
        (.ok, OpenAPIComponents.response("A page of revisions.", ["Link"])),
        readErrors, query),
      "options": operation(
        "optionsHistory", "List the methods of the history", options,
        [.badRequest, .serviceUnavailable] + OpenAPIAuthentication.errorStatuses(.options)),
    ]
  }

  private static var revert: OpenAPINode {
    [
      "parameters": [
        [
          "name": "revision", "in": "path", "required": true, "description": "A stored revision.",
          "schema": ["type": "integer", "minimum": 1], "example": 1,
        ]
      ],
      "post": [
        "operationId": "revertRevision", "tags": [.text(tag)],
        "summary": "Revert the changes of a revision, unless later revisions changed the same values",
        "description": "`If-Match` and `If-None-Match` are compared with the ETag of `/state`.",
        "parameters": .list(["If-Match", "If-None-Match"].map { .reference("parameters", $0) }),
        "requestBody": [
          "description": "Only the media type is checked; the content is ignored.",
          "content": ["application/json": ["schema": [:], "example": [:]]],
        ],
        "responses": responses(
          (.ok, OpenAPIComponents.response("The revision was reverted.", revertedHeaders, reverted)),
          [
            .badRequest, .notFound, .conflict, .gone, .preconditionFailed, .contentTooLarge, .unsupportedMediaType,
            .unprocessableContent, .serviceUnavailable, .insufficientStorage,
          ] + OpenAPIAuthentication.errorStatuses(.post)),
      ],
      "options": operation(
        "optionsRevert", "List the methods for reverting a revision", options,
        [.badRequest, .notFound, .serviceUnavailable] + OpenAPIAuthentication.errorStatuses(.options)),
    ]
  }

  private static let query: OpenAPINode = [
    [
      "name": "after", "in": "query", "description": "The number of the last revision of the previous page.",
      "schema": ["type": "integer", "minimum": 0],
    ],
    [
      "name": "limit", "in": "query",
      "description": "The maximum number of revisions per page. A page also ends when it reaches 1 MiB.",
      "schema": ["type": "integer", "minimum": 1, "maximum": 1_000],
    ],
  ]

  private static let readErrors: [HTTPStatus] =
    [.badRequest, .notAcceptable, .gone, .serviceUnavailable] + OpenAPIAuthentication.errorStatuses(.get)

  private static let options = (HTTPStatus.noContent, OpenAPINode.reference("responses", OpenAPIComponents.options))

  private static func operation(
    _ id: String, _ summary: String, _ success: (HTTPStatus, OpenAPINode), _ errors: [HTTPStatus],
    _ query: OpenAPINode? = nil
  ) -> OpenAPINode {
    [
      "operationId": .text(id), "summary": .text(summary), "tags": [.text(tag)], "parameters": query,
      "responses": responses(success, errors),
    ]
  }

  private static func responses(_ success: (HTTPStatus, OpenAPINode), _ errors: [HTTPStatus]) -> OpenAPINode {
    let errors = errors.map { ($0, OpenAPINode.reference("responses", $0.component)) }
    return .object(
      ([success] + errors).map { OpenAPINode.Entry(key: String($0.0.rawValue), value: $0.1) })
  }

  private static let revertedHeaders = ["State-Revision", "State-Changed"]

  private static let reverted: OpenAPINode = [
    "schema": ["type": "object", "required": ["revision"], "properties": ["revision": ["type": "integer"]]],
    "example": ["revision": 43],
  ]

  private static let page: OpenAPINode = [
    "type": "object", "required": ["revisions", "oldest"],
    "properties": [
      "revisions": [
        "type": "array",
        "items": [
          "type": "object", "required": ["revision", "at", "patch", "undo"],
          "properties": [
            "revision": ["type": "integer", "minimum": 1],
            "at": ["type": "string", "format": "date-time"],
            "patch": [
              "type": "array", "description": "The changes of this revision, as a JSON Patch.",
              "items": ["type": "object"],
            ],
            "undo": [
              "type": "array", "description": "The JSON Patch that reverts this revision.",
              "items": ["type": "object"],
            ],
          ],
        ],
      ],
      "oldest": ["type": "integer", "description": "The number of the oldest stored revision."],
    ],
  ]

  private static let example: OpenAPINode = [
    "revisions": [
      [
        "revision": 1, "at": "2026-11-21T18:00:00.000Z",
        "patch": [["op": "replace", "path": "/time", "value": "tomorrow"]],
        "undo": [["op": "replace", "path": "/time", "value": "tonight"]],
      ]
    ],
    "oldest": 1,
  ]
}
