import BinderyAPI
import BinderyHTTP
import BinderyJSON

/// The components that operations share: parameters, headers and responses.
enum OpenAPIComponents {
  static let problemSchema = "Problem"
  static let patchSchema = "JSONPatch"
  private static let operationSchema = "JSONPatchOperation"
  /// The schemas of every document. No type of a model gets one of these names.
  static let schemaNames: Set<String> = [problemSchema, patchSchema, operationSchema]
  static let notModified = "NotModified"
  static let removed = "Removed"

  /// The response to a failed request, the same for all operations.
  /// Its description lists the types by status, which would otherwise be repeated for each operation. The contract test
  /// knows which statuses each method may have.
  static let failure = JSONTree.reference("responses", problemSchema)

  /// The header fields of a response with a value. Reads have the first two.
  static let valueHeaders = ["ETag", "State-Revision", "State-Changed", "Write-Outcome"]

  static let parameters: JSONTree = [
    "If-Match": parameter(
      "If-Match", in: "header",
      "Perform the request only if the value has one of these entity tags (RFC 9110 §13.1.1)."),
    "If-None-Match": parameter(
      "If-None-Match", in: "header",
      "Perform the request only if the value has none of these entity tags (RFC 9110 §13.1.2)."),
    "Last-Event-ID": parameter(
      "Last-Event-ID", in: "header",
      """
      The `id` of the last event received, or an ETag without quotes. What has not changed since is not sent again. \
      Clients that cannot set headers use the query parameter `last-event-id`.
      """),
    "every": parameter(
      "every", "The minimum time between two events, in milliseconds.",
      ["type": "integer", "minimum": 0, "maximum": 3_600_000]),
    "wait": parameter(
      "wait",
      "Long polling, with `If-None-Match`: the number of seconds to wait for a change before responding with 304.",
      ["type": "integer", "minimum": 0, "maximum": 60]),
    "limit": parameter(
      "limit", "The maximum number of elements per page.", ["type": "integer", "minimum": 1, "maximum": 1_000_000]),
  ]

  /// Returns a parameter, by default one of the query.
  static func parameter(
    _ name: String, in place: String = "query", _ description: String, _ schema: JSONTree = ["type": "string"],
    example: JSONTree? = nil
  ) -> JSONTree {
    [
      "name": .string(name), "in": .string(place), "description": .string(description), "schema": schema,
      "example": example,
    ]
  }

  static let headers: JSONTree = [
    "Accept-Patch": header("The media types that PATCH accepts at this URL (RFC 5789 §3.1)."),
    "Accept-Post": header("The media types that POST accepts at this URL."),
    "Allow": header("The methods that this URL supports, in a response with status 405."),
    "Collection-Count": header(
      "The number of elements, in a response to `GET`.", ["type": "integer", "minimum": 0]),
    "ETag": header(
      "A strong entity tag: a keyed 128-bit digest of the canonical JSON. Equal values have equal tags.",
      ["type": "string", "pattern": #"^"[A-Za-z0-9_-]{22}"$"#]),
    "Link": header(
      "The URLs of the next page (`rel=\"next\"`) and of the previous one (`rel=\"prev\"`), if they exist."),
    "Location": [
      "description": "The path of the new element.", "required": true,
      "schema": ["type": "string", "format": "uri-reference"],
    ],
    "Retry-After": header("The number of seconds to wait before retrying.", ["type": "integer", "minimum": 0]),
    "State-Changed": header("Whether a write changed the state.", ["type": "string", "enum": ["?1", "?0"]]),
    "State-Revision": header(
      "The revision. Compare it only within one `State-History`. Event streams do not have this field.",
      ["type": "integer", "minimum": 0]),
    "Set-Cookie": header("Sets or deletes the session cookie."),
    "WWW-Authenticate": header("How to authenticate (RFC 6750 §3)."),
    "Write-Outcome": header(
      "Present if a setter or the model changed (`adjusted`) or ignored (`dropped`) the sent value.",
      ["type": "string", "enum": ["adjusted", "dropped"]]),
  ]

  private static func header(_ description: String, _ schema: JSONTree = ["type": "string"]) -> JSONTree {
    ["description": .string(description), "schema": schema]
  }

  /// The responses that are the same for all operations.
  static let responses: JSONTree = [
    notModified: response("The ETag is in `If-None-Match`.", ["ETag", "State-Revision"]),
    removed: response("Removed or absent.", ["ETag", "State-Revision", "State-Changed"]),
    problemSchema: problemResponse,
  ]

  /// Returns the responses of an operation: its success, and the one of failed requests.
  static func responses(_ status: String, _ success: JSONTree) -> JSONTree {
    [status: success, "default": failure]
  }

  /// Returns a response with JSON content.
  static func response(_ description: String, _ headers: [String], _ content: JSONTree? = nil) -> JSONTree {
    [
      "description": .string(description), "headers": headers.isEmpty ? nil : headerReferences(headers),
      "content": content.map { ["application/json": $0] },
    ]
  }

  private static func headerReferences(_ names: [String]) -> JSONTree {
    .object(names.map { .init(key: $0, value: .reference("headers", $0)) })
  }

  /// The response to failed requests. Its description lists the types of problems.
  private static var problemResponse: JSONTree {
    let lines = HTTPStatus.allCases.compactMap { status -> String? in
      let kinds = ProblemKind.allCases.filter { $0.status == status }.map { "`\($0.rawValue)`" }
      return kinds.isEmpty ? nil : "- \(status.rawValue): \(kinds.joined(separator: ", "))"
    }
    let description = """
      The request failed. Nothing was changed, unless the type is `unknown-outcome`. The types by status:

      \(lines.joined(separator: "\n"))

      A read of an absent value is 404 `inactive-case` or `nil-optional`; a write of it is 409.
      """
    return [
      "description": .string(description),
      "headers": headerReferences([
        "Allow", "Accept-Patch", "Accept-Post", "ETag", "Retry-After", "State-Revision", "WWW-Authenticate",
      ]),
      "content": [Problem.mediaType: ["schema": .reference("schemas", problemSchema)]],
    ]
  }
}

extension OpenAPIComponents {
  /// The schema of a problem document (RFC 9457) with the extension members of this service.
  static var problem: JSONTree {
    [
      "type": "object",
      "description": "An error (RFC 9457). The URL in `type` leads to a page that explains it.",
      "properties": [
        "type": [
          "type": "string", "format": "uri-reference",
          "description": "The type of the error: the path of the page that explains it. New types may be added.",
          "examples": [.string("/problems/" + ProblemKind.invalidValue.rawValue)],
        ],
        "title": ["type": "string", "description": "A summary, the same for all errors of this type."],
        "status": ["type": "integer", "minimum": 400, "maximum": 599],
        "detail": ["type": "string", "description": "The cause of this error."],
        "pointer": [
          "type": "string", "format": "json-pointer",
          "description": "The place of the error in the body (RFC 6901); for `invalid-state`, in the state.",
        ],
        "expected": ["type": "string", "description": "The kind of value that would be valid."],
        "operation": [
          "type": "integer", "minimum": 0, "description": "The index of the failed JSON Patch operation, from 0.",
        ],
        "activeCase": ["type": "string", "description": "The name of the active case of the enum."],
        "cases": ["type": "array", "items": ["type": "string"], "description": "The names of all cases of the enum."],
        "curl": ["type": "string", "description": "A corrected curl command that succeeds on the current state."],
        "currentETag": ["type": "string", "description": "The entity tag of the current value."],
        "current": ["description": "The current value. Omitted if its JSON is longer than 64 KiB."],
      ],
      "required": ["type", "title", "status", "detail"],
    ]
  }

  /// The schema of a JSON Patch document (RFC 6902).
  static var patch: JSONTree {
    [
      "type": "array",
      "description": """
      Operations that are applied atomically: all of them or none (RFC 6902). Pointers are relative to the request \
      URL. A pointer addresses an element by its id, its index or `-`.
      """,
      "maxItems": .number(String(PatchDocument.maximumOperations)),
      "items": .reference("schemas", operationSchema),
    ]
  }

  /// The schema of an operation of a JSON Patch.
  static var patchOperation: JSONTree {
    let pointer: JSONTree = ["type": "string", "format": "json-pointer", "pattern": "^(/([^/~]|~[01])*)*$"]
    return [
      "type": "object",
      "description": "`add`, `replace` and `test` need a `value`, `move` and `copy` need `from`.",
      "properties": [
        "op": ["type": "string", "enum": ["add", "remove", "replace", "move", "copy", "test"]],
        "path": pointer.adding(["description": "The place to change (RFC 6901)."]),
        "from": pointer.adding(["description": "The place that is moved or copied."]),
        "value": ["description": "The value to add, to set, or to compare with."],
        "at": ["type": "integer", "minimum": 0, "description": "The index of an element with an id."],
      ],
      "required": ["op", "path"],
    ]
  }

  /// The schemas of every document, by name.
  static var schemas: [(String, JSONTree)] {
    [(problemSchema, problem), (patchSchema, patch), (operationSchema, patchOperation)]
  }
}
