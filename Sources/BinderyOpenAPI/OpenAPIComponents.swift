import BinderyAPI
import BinderyHTTP

/// The components that operations share: parameters, headers and responses.
enum OpenAPIComponents {
  static let problemSchema = "Problem"
  static let patchSchema = "JSONPatch"
  /// The response to a write without a response body.
  static let written = "Written"
  static let removed = "Removed"
  static let options = "Options"
  static let head = "Head"
  static let listHead = "ListHead"

  static let parameters: OpenAPINode = [
    "If-Match": [
      "name": "If-Match", "in": "header",
      "description": "Perform the request only if the value has one of these entity tags (RFC 9110 §13.1.1).",
      "schema": ["type": "string"],
    ],
    "If-None-Match": [
      "name": "If-None-Match", "in": "header",
      "description": "Perform the request only if the value has none of these entity tags (RFC 9110 §13.1.2).",
      "schema": ["type": "string"],
    ],
    "Prefer": [
      "name": "Prefer", "in": "header",
      "description": """
      `return=minimal` requests a response without a body. `handling=strict` rejects the write if a computed \
      property would adjust or drop the value (RFC 7240).
      """,
      "schema": ["type": "string"],
    ],
    "Last-Event-ID": [
      "name": "Last-Event-ID", "in": "header",
      "description": """
      Event streams only: the `id` of the last event received. StateValues that have not changed since are not sent \
      again. Clients that cannot set headers use the query parameter `last-event-id`.
      """,
      "schema": ["type": "string"],
    ],
    "as": [
      "name": "as", "in": "query",
      "description": "Event streams only: with `patch`, all events after the first are JSON Patches.",
      "schema": ["type": "string", "enum": ["value", "patch"]],
    ],
    "ids": [
      "name": "ids", "in": "query",
      "description": """
      Event streams with `as=patch` only: the paths of JSON Patches name elements by id instead of by index, and the \
      member `at` is the position of an element that is added or moved.
      """,
      "schema": ["type": "boolean"],
    ],
    "every": [
      "name": "every", "in": "query",
      "description": "Event streams only: the minimum time between two events, in milliseconds.",
      "schema": ["type": "integer", "minimum": 0, "maximum": 3_600_000],
    ],
    "wait": [
      "name": "wait", "in": "query",
      "description": """
      Long polling, with `If-None-Match`: the number of seconds to wait for a change before responding with 304.
      """,
      "schema": ["type": "integer", "minimum": 0, "maximum": 60],
    ],
    "limit": [
      "name": "limit", "in": "query", "description": "The maximum number of elements per page.",
      "schema": ["type": "integer", "minimum": 1, "maximum": 1_000_000],
    ],
    "pretty": [
      "name": "pretty", "in": "query", "allowEmptyValue": true,
      "description": "Indent the JSON of the response. `?pretty` without a value is enough.",
      "schema": ["type": "string", "enum": ["", "true", "false", "1", "0"]],
    ],
  ]

  static let headers: OpenAPINode = [
    "Accept-Patch": header("The media types that PATCH accepts at this URL (RFC 5789 §3.1)."),
    "Accept-Post": header("The media types that POST accepts at this URL."),
    "Allow": header("The methods that this URL supports.", isRequired: true),
    "ETag": [
      "description": "A strong entity tag: a keyed 128-bit digest of the canonical JSON. Equal values have equal tags.",
      "schema": ["type": "string", "pattern": #"^"[A-Za-z0-9_-]{22}"$"#],
    ],
    "Link": header("The URL of the next page (`rel=\"next\"`). The last page has none."),
    "Location": [
      "description": "The path of the new element.", "required": true,
      "schema": ["type": "string", "format": "uri-reference"],
    ],
    "Preference-Applied": header("The preferences that the server honored (RFC 7240 §3)."),
    "Retry-After": [
      "description": "The number of seconds to wait before retrying.", "required": true,
      "schema": ["type": "integer", "minimum": 0],
    ],
    "State-Changed": [
      "description": "Whether the request changed the state.", "required": true,
      "schema": ["type": "string", "enum": ["?1", "?0"]],
    ],
    "State-Revision": [
      "description":
        "The revision: the number of commits that have changed the state. Event streams do not have this field.",
      "schema": ["type": "integer", "minimum": 0],
    ],
    "Set-Cookie": header("Sets or deletes the session cookie.", isRequired: false),
    "WWW-Authenticate": header("How to authenticate (RFC 6750 §3)."),
    "Write-Outcome": [
      "description":
        "Present if the setter of a computed member changed (`adjusted`) or ignored (`dropped`) the sent value.",
      "schema": ["type": "string", "enum": ["adjusted", "dropped"]],
    ],
  ]

  private static func header(_ description: String, isRequired: Bool = false) -> OpenAPINode {
    ["description": .text(description), "required": isRequired ? true : nil, "schema": ["type": "string"]]
  }

  /// The responses that are the same for all operations.
  static var responses: OpenAPINode {
    let shared: OpenAPINode = [
      head: response("The value exists.", ["ETag", "State-Revision"]),
      listHead: response("The value exists.", ["ETag", "State-Revision", "Link"]),
      HTTPStatus.notModified.component: response(
        "The value still has the entity tag given in `If-None-Match`.", ["ETag", "State-Revision"]),
      options: response("The supported methods and media types.", ["Allow", "Accept-Patch", "Accept-Post"]),
      removed: response(
        "The value was removed or did not exist.", ["State-Revision", "State-Changed", "Preference-Applied"]),
      written: response(
        "Success. There is no value to return, or the request has `Prefer: return=minimal`.",
        ["ETag", "State-Revision", "State-Changed", "Write-Outcome", "Preference-Applied"]),
    ]
    return .object(shared.entries + problemStatuses.map(problemResponse))
  }

  /// Returns a response with JSON content.
  ///
  /// - Parameter isWatchable: Whether the same URL can also be read as an event stream.
  static func response(
    _ description: String, _ headers: [String], _ content: OpenAPINode? = nil, isWatchable: Bool = false
  ) -> OpenAPINode {
    [
      "description": .text(description), "headers": headers.isEmpty ? nil : headerReferences(headers),
      "content": content.map { ["application/json": $0, "text/event-stream": isWatchable ? eventStream : nil] },
    ]
  }

  /// The content of an event stream. Its events carry the JSON values.
  static let eventStream: OpenAPINode = [
    "schema": ["type": "string"],
    "example": "retry: 2137\n\nid: 5y6PLkhL4WnFlCaxYzq0mQ\ndata: \"tonight\"\n\n",
  ]

  private static func headerReferences(_ names: [String]) -> OpenAPINode {
    .object(names.map { .init(key: $0, value: .reference("headers", $0)) })
  }

  /// The statuses of all error responses.
  private static let problemStatuses: [HTTPStatus] = [
    .badRequest, .unauthorized, .forbidden, .notFound, .notAcceptable, .conflict, .gone, .preconditionFailed,
    .contentTooLarge, .unsupportedMediaType, .misdirectedRequest, .unprocessableContent, .serviceUnavailable,
    .insufficientStorage,
  ]

  private static func problemResponse(_ status: HTTPStatus) -> OpenAPINode.Entry {
    let headers: OpenAPINode? =
      switch status {
      case .unauthorized, .forbidden: headerReferences(["WWW-Authenticate"])
      case .preconditionFailed: headerReferences(["ETag"])
      case .unsupportedMediaType: headerReferences(["Accept-Patch", "Accept-Post"])
      case .serviceUnavailable, .insufficientStorage: headerReferences(["Retry-After"])
      default: nil
      }
    let kinds = ProblemKind.allCases.filter { $0.status == status || hasSecondStatus($0, status) }
    let examples = kinds.map { kind in
      let problem = Problem(kind, kind.explanation).with { $0.status = status }
      return OpenAPINode.Entry(key: kind.rawValue, value: ["value": OpenAPINode(json: problem.document(.root))])
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

  /// Indicates whether a kind can also have a status other than its own. A missing value is 404 for a read and 409 for
  /// a write.
  private static func hasSecondStatus(_ kind: ProblemKind, _ status: HTTPStatus) -> Bool {
    switch (kind, status) {
    case (.inactiveCase, .notFound), (.nilOptional, .notFound), (.noSuchElement, .conflict), (.unknownPath, .conflict):
      true
    default: false
    }
  }
}

extension OpenAPIComponents {
  /// The schema of a problem document (RFC 9457) with the extension members of this service.
  static var problem: OpenAPINode {
    [
      "type": "object",
      "description": "An error (RFC 9457). The URL in `type` leads to a page that explains it.",
      "properties": [
        "type": [
          "type": "string", "format": "uri-reference",
          "enum": .texts(ProblemKind.allCases.map { "/problems/" + $0.rawValue }),
        ],
        "title": ["type": "string", "description": "A short summary, the same for all errors of this type."],
        "status": ["type": "integer", "minimum": 400, "maximum": 599],
        "detail": ["type": "string", "description": "The cause of this particular error."],
        "pointer": [
          "type": "string", "format": "json-pointer",
          "description": "The position of the error in the request body (RFC 6901).",
        ],
        "expected": ["type": "string", "description": "The kind of value that would be valid."],
        "operation": [
          "type": "integer", "minimum": 0, "description": "The index of the failed JSON Patch operation, from 0.",
        ],
        "activeCase": ["type": "string", "description": "The name of the active case of the enum."],
        "cases": ["type": "array", "items": ["type": "string"], "description": "The names of all cases of the enum."],
        "curl": ["type": "string", "description": "A curl command that probably does what the client intended."],
        "currentETag": ["type": "string", "description": "The entity tag of the current value."],
        "current": ["description": "The current value. Omitted if its JSON is longer than 64 KiB."],
      ],
      "required": ["type", "title", "status", "detail"],
    ]
  }

  /// The schema of a JSON Patch document (RFC 6902).
  static var patch: OpenAPINode {
    [
      "type": "array",
      "description": """
      Operations that are applied atomically: all of them or none (RFC 6902). Pointers are relative to the request \
      URL. A pointer addresses an element by its id, its index or `-`.
      """,
      "maxItems": .number(String(PatchDocument.maximumOperations)),
      "items": [
        "oneOf": [
          operation(["add", "replace", "test"], ["value"]), operation(["remove"], []),
          operation(["move", "copy"], ["from"]),
        ]
      ],
    ]
  }

  private static func operation(_ names: [String], _ members: [String]) -> OpenAPINode {
    let pointer: OpenAPINode = ["type": "string", "format": "json-pointer", "pattern": "^(/([^/~]|~[01])*)*$"]
    return [
      "type": "object",
      "properties": [
        "op": ["type": "string", "enum": .texts(names)], "path": pointer,
        "from": members.contains("from") ? pointer : nil, "value": members.contains("value") ? [:] : nil,
      ],
      "required": .texts(["op", "path"] + members),
    ]
  }
}
