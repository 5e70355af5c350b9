import BinderyHTTP
import BinderyJSON

/// Authentication: the security schemes, and the session endpoint for browsers.
enum OpenAPIAuthentication {
  private static let bearer = "bearer"
  private static let session = "session"

  static let schemes: JSONTree = [
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
  static let security: JSONTree = [[bearer: []], [session: []], [:]]

  static let paths: [JSONTree.Member] = [
    .init(
      key: "/session",
      value: [
        "get": [
          "operationId": "getSession", "summary": "Read what the credential permits",
          "description": "Tells a page whether it can write, and which clients share its credential.",
          "tags": [.string(OpenAPIServiceEndpoints.tag)],
          "responses": OpenAPIComponents.responses(
            "200", ["description": "What the credential permits.", "content": access]),
        ],
        "post": operation(
          "beginSession", "Sign in",
          "Exchanges the token of the request for a session cookie, which browsers also send with an `EventSource`.",
          [[bearer: []], [:]], "Signed in. Without authentication the response sets no cookie."),
        "delete": operation(
          "endSession", "Sign out", "Ends the session of the cookie, and its event streams.", nil,
          "Signed out. The cookie is deleted."),
      ])
  ]

  /// The permissions of a credential.
  private static let access: JSONTree = [
    "application/json": [
      "schema": [
        "type": "object", "required": ["access", "group"], "additionalProperties": false,
        "properties": [
          "access": ["type": "string", "enum": ["read", "write"]],
          "group": [
            "type": "string",
            "description": "An opaque id that all clients with the same token share.",
          ],
        ],
      ],
      "example": ["access": "write", "group": "anonymous"],
    ]
  ]

  private static func operation(
    _ id: String, _ summary: String, _ description: String, _ security: JSONTree?, _ success: String
  ) -> JSONTree {
    [
      "operationId": .string(id), "summary": .string(summary), "description": .string(description),
      "tags": [.string(OpenAPIServiceEndpoints.tag)], "security": security,
      "responses": OpenAPIComponents.responses("204", OpenAPIComponents.response(success, ["Set-Cookie"])),
    ]
  }
}
