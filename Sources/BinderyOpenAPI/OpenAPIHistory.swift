import BinderyJSON

/// The endpoints of the history: the list of stored revisions, and reverting one of them.
enum OpenAPIHistory {
  static func paths(_ model: OpenAPIModel) -> [JSONTree.Member] {
    [.init(key: "/history", value: list(model)), .init(key: "/history/{revision}/revert", value: revert)]
  }

  private static let tag = OpenAPIServiceEndpoints.tag

  private static func list(_ model: OpenAPIModel) -> JSONTree {
    [
      "get": [
        "operationId": "getHistory", "summary": "List the stored revisions", "tags": [.string(tag)],
        "description": """
        Returns revisions in ascending order, as JSON Patches of `GET /state?stored`. A page ends after `limit` \
        revisions or 1 MiB; `Link` leads to the next one.
        """,
        "parameters": query,
        "responses": OpenAPIComponents.responses(
          "200",
          OpenAPIComponents.response(
            "A page.", ["State-Revision", "Link"], ["schema": page, "example": example(model)])),
      ]
    ]
  }

  private static var revert: JSONTree {
    [
      "parameters": [
        [
          "name": "revision", "in": "path", "required": true, "description": "A stored revision.",
          "schema": ["type": "integer", "minimum": 1], "example": 1,
        ]
      ],
      "post": [
        "operationId": "revertRevision", "summary": "Revert a revision", "tags": [.string(tag)],
        "description": """
        Undoes the changes of a revision in a new one, unless later revisions changed the same values (409). \
        `If-Match` and `If-None-Match` are compared with the ETag of `/state`.
        """,
        "parameters": .array(["If-Match", "If-None-Match"].map { .reference("parameters", $0) } + [history]),
        "requestBody": [
          "description": "Only the media type is checked; the content is ignored.",
          "content": ["application/json": ["schema": [:], "example": [:]]],
        ],
        "responses": OpenAPIComponents.responses(
          "200",
          OpenAPIComponents.response("The revision was reverted.", ["State-Revision", "State-Changed"], reverted)),
      ],
    ]
  }

  private static let history = OpenAPIComponents.parameter(
    "history", "The `State-History` that the revision numbers belong to; another one is 410 `other-history`.")

  private static let query: JSONTree = [
    OpenAPIComponents.parameter(
      "after", "The number of the last revision of the previous page.", ["type": "integer", "minimum": 0]),
    OpenAPIComponents.parameter(
      "before", "Return the last revisions before this one.", ["type": "integer", "minimum": 0]),
    OpenAPIComponents.parameter(
      "path", "Only revisions that may have changed this stored value (a JSON Pointer).", example: "/"),
    OpenAPIComponents.parameter(
      "ids", "Name elements by id in patches, with the position in `at`, instead of by index.", ["type": "boolean"]),
    history,
    OpenAPIComponents.parameter(
      "limit", "The maximum number of revisions per page. A page also ends when it reaches 1 MiB.",
      ["type": "integer", "minimum": 1, "maximum": 1_000]),
  ]

  private static let reverted: JSONTree = [
    "schema": ["type": "object", "required": ["revision"], "properties": ["revision": ["type": "integer"]]],
    "example": ["revision": 43],
  ]

  private static let page: JSONTree = [
    "type": "object", "required": ["revisions", "oldest"],
    "properties": [
      "revisions": [
        "type": "array",
        "items": [
          "type": "object", "required": ["revision", "at", "by", "patch", "undo"],
          "properties": [
            "revision": ["type": "integer", "minimum": 1],
            "at": ["type": "string", "format": "date-time"],
            "by": [
              "type": "string", "description": "Who wrote: the name of a token, `anonymous`, or a part of the server.",
            ],
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

  private static func example(_ model: OpenAPIModel) -> JSONTree {
    let operation: JSONTree = ["op": "replace", "path": model.sample.pointer, "value": model.sample.value]
    return [
      "revisions": [
        ["revision": 1, "at": "2026-11-21T18:00:00.000Z", "by": "anonymous", "patch": [operation], "undo": [operation]]
      ],
      "oldest": 1,
    ]
  }
}
