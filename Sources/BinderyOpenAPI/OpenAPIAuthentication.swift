import BinderyAPI
import BinderyHTTP

/// Authentication: the security schemes, and the session endpoint for browsers.
enum OpenAPIAuthentication {
  private static let bearer = "bearer"
  private static let session = "session"

  static let schemes: OpenAPINode = [
    bearer: [
      "type": "http", "scheme": "bearer",
      "description": "A token from the server's `--token-file` or `--read-token-file` (RFC 6750).",
    ],
    session: [
      "type": "apiKey", "in": "cookie", "name": "bindery-session",
      "description": """
      The session cookie that `POST /session` sets for browsers. Its name is `__Host-bindery-session` if the server \
      runs behind TLS. Below a base path, the name ends in a digest of the path.
      """,
    ],
  ]

  /// Either scheme, or none if the server runs without authentication.
  static let security: OpenAPINode = [[bearer: []], [session: []], [:]]

  /// Returns the error statuses that any operation can have before its path is looked up.
  static func errorStatuses(_ method: Method) -> [HTTPStatus] {
    [.unauthorized, .misdirectedRequest] + (method.isSafe ? [] : [.forbidden])
  }

  static let paths: [OpenAPINode.Entry] = [
    .init(
      key: "/session",
      value: [
        "get": reading("getSession", "Read what the credential permits", access),
        "head": reading("headSession", "Read the header fields of `/session`", nil),
        "post": operation(
          "beginSession", "Sign in: exchange the token for a session cookie", [[bearer: []], [:]],
          "Signed in. Without authentication the response sets no cookie.", .post),
        "delete": operation(
          "endSession", "Sign out: end the session and its event streams", nil, "Signed out. The cookie is deleted.",
          .delete),
        "options": operation("optionsSession", "List the methods of the session", nil, nil, .options),
      ])
  ]

  /// What a credential permits.
  private static let access: OpenAPINode = [
    "application/json": [
      "schema": [
        "type": "object", "required": ["access", "group"], "additionalProperties": false,
        "properties": [
          "access": ["type": "string", "enum": ["read", "write"]],
          "group": [
            "type": "string",
            "description": "Equal for clients with the same token, and for all clients of a server without tokens.",
          ],
        ],
      ],
      "example": ["access": "write", "group": "anonymous"],
    ]
  ]

  private static func reading(_ id: String, _ summary: String, _ content: OpenAPINode?) -> OpenAPINode {
    let success: OpenAPINode = ["description": "What the credential permits.", "content": content]
    let errors = ([.badRequest] + errorStatuses(.get)).map { (status: HTTPStatus) in
      OpenAPINode.Entry(key: String(status.rawValue), value: .reference("responses", status.component))
    }
    return [
      "operationId": .text(id), "summary": .text(summary), "tags": [.text(OpenAPIServiceEndpoints.tag)],
      "responses": .object([.init(key: "200", value: success)] + errors),
    ]
  }

  private static func operation(
    _ id: String, _ summary: String, _ security: OpenAPINode?, _ successDescription: String?, _ method: Method
  ) -> OpenAPINode {
    let success =
      successDescription.map { OpenAPIComponents.response($0, ["Set-Cookie"]) }
      ?? .reference("responses", OpenAPIComponents.options)
    let errors = ([.badRequest] + (method.isSafe ? [] : [.contentTooLarge]) + errorStatuses(method)).map {
      (status: HTTPStatus) in
      OpenAPINode.Entry(key: String(status.rawValue), value: .reference("responses", status.component))
    }
    return [
      "operationId": .text(id), "summary": .text(summary), "tags": [.text(OpenAPIServiceEndpoints.tag)],
      "security": security, "responses": .object([.init(key: "204", value: success)] + errors),
    ]
  }
}
