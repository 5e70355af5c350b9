import BinderyAPI
import BinderyHTTP

/// Who may: what a caller brings, and the session that browsers have.
enum OpenAPIAccess {
  private static let bearer = "bearer"
  private static let session = "session"

  static let schemes: OpenAPINode = [
    bearer: [
      "type": "http", "scheme": "bearer",
      "description": "A token of the server's `--token-file` or `--read-token-file` (RFC 6750).",
    ],
    session: [
      "type": "apiKey", "in": "cookie", "name": "bindery-session",
      "description": """
      What `POST /session` gives a browser for a token; `__Host-bindery-session` where browsers come over TLS.
      """,
    ],
  ]

  /// Either, or neither where the server asks nobody for a token.
  static let security: OpenAPINode = [[bearer: []], [session: []], [:]]

  /// With what any operation may be refused before anybody looks at its path.
  static func refusals(_ method: Method) -> [HTTPStatus] {
    [.unauthorized, .misdirectedRequest] + (method.isSafe ? [] : [.forbidden])
  }

  static let paths: [OpenAPINode.Entry] = [
    .init(
      key: "/session",
      value: [
        "post": operation(
          "beginSession", "Get a cookie that does instead of the token", [[bearer: []], [:]],
          "The session has begun, unless the server asks nobody for a token.", .post),
        "delete": operation(
          "endSession", "End the session, and the streams that it has opened", nil, "The cookie is taken away.",
          .delete),
        "options": operation("optionsSession", "What can be done there", nil, nil, .options),
      ])
  ]

  private static func operation(
    _ id: String, _ summary: String, _ security: OpenAPINode?, _ done: String?, _ method: Method
  ) -> OpenAPINode {
    let answer =
      done.map { OpenAPIComponents.response($0, ["Set-Cookie"]) }
      ?? .reference("responses", OpenAPIComponents.options)
    let refusals = ([.badRequest] + (method.isSafe ? [] : [.contentTooLarge]) + refusals(method)).map {
      (status: HTTPStatus) in
      OpenAPINode.Entry(key: String(status.rawValue), value: .reference("responses", status.component))
    }
    return [
      "operationId": .text(id), "summary": .text(summary), "tags": [.text(OpenAPISurroundings.tag)],
      "security": security, "responses": .object([.init(key: "204", value: answer)] + refusals),
    ]
  }
}
