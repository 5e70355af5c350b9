import BinderyAPI
import BinderyHTTP

/// What the history answers: the revisions that are kept, and the way back from each.
enum OpenAPIHistory {
  static var paths: [OpenAPINode.Entry] {
    [.init(key: "/history", value: list), .init(key: "/history/{revision}/revert", value: revert)]
  }

  private static let tag = OpenAPISurroundings.tag

  private static var list: OpenAPINode {
    let content: OpenAPINode = ["schema": page, "example": example]
    return [
      "get": operation(
        "getHistory", "The revisions that are kept", (.ok, OpenAPIComponents.response("A page.", ["Link"], content)),
        reading, query),
      "head": operation(
        "headHistory", "The header fields of the same", (.ok, OpenAPIComponents.response("A page.", ["Link"])),
        reading, query),
      "options": operation(
        "optionsHistory", "What can be done there", options,
        [.badRequest, .serviceUnavailable] + OpenAPIAccess.refusals(.options)),
    ]
  }

  private static var revert: OpenAPINode {
    [
      "parameters": [
        [
          "name": "revision", "in": "path", "required": true, "description": "A revision that is kept.",
          "schema": ["type": "integer", "minimum": 1], "example": 1,
        ]
      ],
      "post": [
        "operationId": "revertRevision", "tags": [.text(tag)],
        "summary": "Take back what a revision changed, if all of it is still as that revision left it",
        "requestBody": [
          "description": "Nothing is looked at but the media type.",
          "content": ["application/json": ["schema": [:], "example": [:]]],
        ],
        "responses": responses(
          (.ok, OpenAPIComponents.response("It is taken back.", ["State-Revision"], reverted)),
          [
            .badRequest, .notFound, .conflict, .gone, .contentTooLarge, .unsupportedMediaType,
            .unprocessableContent, .serviceUnavailable, .insufficientStorage,
          ] + OpenAPIAccess.refusals(.post)),
      ],
      "options": operation(
        "optionsRevert", "What can be done there", options,
        [.badRequest, .notFound, .serviceUnavailable] + OpenAPIAccess.refusals(.options)),
    ]
  }

  private static let query: OpenAPINode = [
    [
      "name": "after", "in": "query", "description": "The revision behind which the page begins.",
      "schema": ["type": "integer", "minimum": 0],
    ],
    [
      "name": "limit", "in": "query",
      "description": "How many revisions a page has at most; a page of one mebibyte ends before.",
      "schema": ["type": "integer", "minimum": 1, "maximum": 1_000],
    ],
  ]

  private static let reading: [HTTPStatus] =
    [.badRequest, .notAcceptable, .gone, .serviceUnavailable] + OpenAPIAccess.refusals(.get)

  private static let options = (HTTPStatus.noContent, OpenAPINode.reference("responses", OpenAPIComponents.options))

  private static func operation(
    _ id: String, _ summary: String, _ answer: (HTTPStatus, OpenAPINode), _ refusals: [HTTPStatus],
    _ query: OpenAPINode? = nil
  ) -> OpenAPINode {
    [
      "operationId": .text(id), "summary": .text(summary), "tags": [.text(tag)], "parameters": query,
      "responses": responses(answer, refusals),
    ]
  }

  private static func responses(_ answer: (HTTPStatus, OpenAPINode), _ refusals: [HTTPStatus]) -> OpenAPINode {
    let refusals = refusals.map { ($0, OpenAPINode.reference("responses", $0.component)) }
    return .object(
      ([answer] + refusals).map { OpenAPINode.Entry(key: String($0.0.rawValue), value: $0.1) })
  }

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
              "type": "array", "description": "What it changed, as a JSON Patch.", "items": ["type": "object"],
            ],
            "undo": ["type": "array", "description": "What takes it back.", "items": ["type": "object"]],
          ],
        ],
      ],
      "oldest": ["type": "integer", "description": "The oldest revision that is kept."],
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
