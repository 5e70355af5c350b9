import BinderyAPI
import BinderyHTTP

/// What the operations share: parameters, headers, problems.
enum OpenAPIComponents {
  static let problemSchema = "Problem"
  static let patchSchema = "JSONPatch"
  static let written = "Written"
  static let removed = "Removed"
  static let options = "Options"
  static let head = "Head"
  static let listHead = "ListHead"

  static let parameters: OpenAPINode = [
    "If-Match": [
      "name": "If-Match", "in": "header",
      "description": "The request is carried out only if the value has one of these entity tags (RFC 9110 §13.1.1).",
      "schema": ["type": "string"],
    ],
    "If-None-Match": [
      "name": "If-None-Match", "in": "header",
      "description": "The request is carried out only if the value has none of these entity tags (RFC 9110 §13.1.2).",
      "schema": ["type": "string"],
    ],
    "Prefer": [
      "name": "Prefer", "in": "header",
      "description": """
      `return=minimal` asks for an answer without content, `handling=strict` that a write be refused which a \
      setter does not keep (RFC 7240).
      """,
      "schema": ["type": "string"],
    ],
    "Last-Event-ID": [
      "name": "Last-Event-ID", "in": "header",
      "description": """
      Of a stream: the `id:` of the last event that was seen. What is still so is not sent again. The parameter \
      `last-event-id` says the same for those who cannot set headers.
      """,
      "schema": ["type": "string"],
    ],
    "as": [
      "name": "as", "in": "query",
      "description": "Of a stream: `patch` sends the first value whole and then JSON Patches.",
      "schema": ["type": "string", "enum": ["value", "patch"]],
    ],
    "every": [
      "name": "every", "in": "query", "description": "Of a stream: the least time between two values in milliseconds.",
      "schema": ["type": "integer", "minimum": 0, "maximum": 3_600_000],
    ],
    "wait": [
      "name": "wait", "in": "query",
      "description": """
      With `If-None-Match`: how many seconds to wait until the value differs, before the answer is 304.
      """,
      "schema": ["type": "integer", "minimum": 0, "maximum": 60],
    ],
    "limit": [
      "name": "limit", "in": "query", "description": "How many elements a page has at most.",
      "schema": ["type": "integer", "minimum": 1, "maximum": 1_000_000],
    ],
    "pretty": [
      "name": "pretty", "in": "query", "allowEmptyValue": true,
      "description": "Indents the JSON, for people; its name alone is enough.",
      "schema": ["type": "string", "enum": ["", "true", "false", "1", "0"]],
    ],
  ]

  static let headers: OpenAPINode = [
    "Accept-Patch": header("The media types that PATCH takes here (RFC 5789 §3.1)."),
    "Accept-Post": header("The media types that POST takes here."),
    "Allow": header("The methods of the place.", isRequired: true),
    "ETag": [
      "description": "Names the value: equal exactly when its canonical JSON is. Always strong.",
      "schema": ["type": "string", "pattern": #"^"[A-Za-z0-9_-]{22}"$"#],
    ],
    "Link": header("Where the next page is, as `rel=\"next\"`; left out on the last."),
    "Location": [
      "description": "The path of the new element.", "required": true,
      "schema": ["type": "string", "format": "uri-reference"],
    ],
    "Preference-Applied": header("Which preferences were followed (RFC 7240 §3)."),
    "Retry-After": [
      "description": "After how many seconds to try again.", "required": true,
      "schema": ["type": "integer", "minimum": 0],
    ],
    "State-Changed": [
      "description": "Whether the request changed anything in the state.", "required": true,
      "schema": ["type": "string", "enum": ["?1", "?0"]],
    ],
    "State-Revision": [
      "description": "How many commits had changed the state when it was as shown. A stream has none.",
      "schema": ["type": "integer", "minimum": 0],
    ],
    "Set-Cookie": header("The session, or its end.", isRequired: false),
    "WWW-Authenticate": header("How to authenticate (RFC 6750 §3)."),
    "Write-Outcome": [
      "description": "What a setter made of the value, if it did not keep it as it was sent.",
      "schema": ["type": "string", "enum": ["adjusted", "dropped"]],
    ],
  ]

  private static func header(_ description: String, isRequired: Bool = false) -> OpenAPINode {
    ["description": .text(description), "required": isRequired ? true : nil, "schema": ["type": "string"]]
  }

  /// The answers that are the same everywhere.
  static var responses: OpenAPINode {
    let answers: OpenAPINode = [
      head: response("The value is there.", ["ETag", "State-Revision"]),
      listHead: response("The value is there.", ["ETag", "State-Revision", "Link"]),
      HTTPStatus.notModified.component: response(
        "The value is the one that `If-None-Match` names.", ["ETag", "State-Revision"]),
      options: response("What can be done here.", ["Allow", "Accept-Patch", "Accept-Post"]),
      removed: response("It is gone, or was not there.", ["State-Revision", "State-Changed", "Preference-Applied"]),
      written: response(
        "Done; there is nothing to show, or `Prefer: return=minimal` asked not to.",
        ["ETag", "State-Revision", "State-Changed", "Write-Outcome", "Preference-Applied"]),
    ]
    return .object(answers.entries + problems.map(problem))
  }

  static func response(
    _ description: String, _ headers: [String], _ content: OpenAPINode? = nil, isWatchable: Bool = false
  ) -> OpenAPINode {
    [
      "description": .text(description), "headers": headers.isEmpty ? nil : fields(headers),
      "content": content.map { ["application/json": $0, "text/event-stream": isWatchable ? events : nil] },
    ]
  }

  /// A stream: its events carry the JSON.
  static let events: OpenAPINode = [
    "schema": ["type": "string"],
    "example": "retry: 2137\n\nid: 5y6PLkhL4WnFlCaxYzq0mQ\ndata: \"tonight\"\n\n",
  ]

  private static func fields(_ names: [String]) -> OpenAPINode {
    .object(names.map { .init(key: $0, value: .reference("headers", $0)) })
  }

  /// The statuses with which the operations refuse.
  private static let problems: [HTTPStatus] = [
    .badRequest, .unauthorized, .forbidden, .notFound, .notAcceptable, .conflict, .gone, .preconditionFailed,
    .contentTooLarge, .unsupportedMediaType, .misdirectedRequest, .unprocessableContent, .serviceUnavailable,
    .insufficientStorage,
  ]

  private static func problem(_ status: HTTPStatus) -> OpenAPINode.Entry {
    let headers: OpenAPINode? =
      switch status {
      case .unauthorized, .forbidden: fields(["WWW-Authenticate"])
      case .preconditionFailed: fields(["ETag"])
      case .unsupportedMediaType: fields(["Accept-Patch", "Accept-Post"])
      case .serviceUnavailable, .insufficientStorage: fields(["Retry-After"])
      default: nil
      }
    let kinds = ProblemKind.allCases.filter { $0.status == status || isAlso($0, status) }
    let examples = kinds.map { kind in
      let problem = Problem(kind, kind.explanation).with { $0.status = status }
      return OpenAPINode.Entry(key: kind.rawValue, value: ["value": OpenAPINode(json: problem.document)])
    }
    let content: OpenAPINode = [
      "schema": .reference("schemas", problemSchema), "examples": .object(examples),
    ]
    return .init(
      key: status.component,
      value: [
        "description": .text(kinds.map(\.title).joined(separator: "; ") + "."), "headers": headers,
        "content": .object([.init(key: Problem.mediaType, value: content)]),
      ])
  }

  /// A reader finds absence where a writer meets a conflict.
  private static func isAlso(_ kind: ProblemKind, _ status: HTTPStatus) -> Bool {
    switch (kind, status) {
    case (.inactiveCase, .notFound), (.nilOptional, .notFound), (.noSuchElement, .conflict), (.unknownPath, .conflict):
      true
    default: false
    }
  }
}
