/// A status code that this server, or an endpoint of a program, sends (RFC 9110 §15).
package enum HTTPStatus: UInt16, Sendable, CaseIterable {
  case ok = 200
  case created = 201
  case accepted = 202
  case nonAuthoritativeInformation = 203
  case noContent = 204
  case partialContent = 206
  case multiStatus = 207
  case alreadyReported = 208
  case imUsed = 226
  case multipleChoices = 300
  case movedPermanently = 301
  case found = 302
  case seeOther = 303
  case notModified = 304
  case temporaryRedirect = 307
  case permanentRedirect = 308
  case badRequest = 400
  case unauthorized = 401
  case paymentRequired = 402
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case notAcceptable = 406
  case requestTimeout = 408
  case conflict = 409
  case gone = 410
  case lengthRequired = 411
  case preconditionFailed = 412
  case contentTooLarge = 413
  case uriTooLong = 414
  case unsupportedMediaType = 415
  case rangeNotSatisfiable = 416
  case expectationFailed = 417
  case misdirectedRequest = 421
  case unprocessableContent = 422
  case locked = 423
  case failedDependency = 424
  case tooEarly = 425
  case preconditionRequired = 428
  case tooManyRequests = 429
  case requestHeaderFieldsTooLarge = 431
  case unavailableForLegalReasons = 451
  case internalServerError = 500
  case notImplemented = 501
  case badGateway = 502
  case serviceUnavailable = 503
  case gatewayTimeout = 504
  case httpVersionNotSupported = 505
  case variantAlsoNegotiates = 506
  case insufficientStorage = 507
  case loopDetected = 508
  case networkAuthenticationRequired = 511

  /// Whether a response with this status may have content (RFC 9110 §6.4.1).
  package var allowsContent: Bool { self != .noContent && self != .notModified }

  /// The registered reason phrase.
  package var reason: String { String(line.dropFirst("HTTP/1.1 000 ".count)) }

  /// The status line without its line end.
  var line: String {
    switch self {
    case .ok: "HTTP/1.1 200 OK"
    case .created: "HTTP/1.1 201 Created"
    case .accepted: "HTTP/1.1 202 Accepted"
    case .nonAuthoritativeInformation: "HTTP/1.1 203 Non-Authoritative Information"
    case .noContent: "HTTP/1.1 204 No Content"
    case .partialContent: "HTTP/1.1 206 Partial Content"
    case .multiStatus: "HTTP/1.1 207 Multi-Status"
    case .alreadyReported: "HTTP/1.1 208 Already Reported"
    case .imUsed: "HTTP/1.1 226 IM Used"
    case .multipleChoices: "HTTP/1.1 300 Multiple Choices"
    case .movedPermanently: "HTTP/1.1 301 Moved Permanently"
    case .found: "HTTP/1.1 302 Found"
    case .seeOther: "HTTP/1.1 303 See Other"
    case .notModified: "HTTP/1.1 304 Not Modified"
    case .temporaryRedirect: "HTTP/1.1 307 Temporary Redirect"
    case .permanentRedirect: "HTTP/1.1 308 Permanent Redirect"
    case .badRequest: "HTTP/1.1 400 Bad Request"
    case .unauthorized: "HTTP/1.1 401 Unauthorized"
    case .paymentRequired: "HTTP/1.1 402 Payment Required"
    case .forbidden: "HTTP/1.1 403 Forbidden"
    case .notFound: "HTTP/1.1 404 Not Found"
    case .methodNotAllowed: "HTTP/1.1 405 Method Not Allowed"
    case .notAcceptable: "HTTP/1.1 406 Not Acceptable"
    case .requestTimeout: "HTTP/1.1 408 Request Timeout"
    case .conflict: "HTTP/1.1 409 Conflict"
    case .gone: "HTTP/1.1 410 Gone"
    case .lengthRequired: "HTTP/1.1 411 Length Required"
    case .preconditionFailed: "HTTP/1.1 412 Precondition Failed"
    case .contentTooLarge: "HTTP/1.1 413 Content Too Large"
    case .uriTooLong: "HTTP/1.1 414 URI Too Long"
    case .unsupportedMediaType: "HTTP/1.1 415 Unsupported Media Type"
    case .rangeNotSatisfiable: "HTTP/1.1 416 Range Not Satisfiable"
    case .expectationFailed: "HTTP/1.1 417 Expectation Failed"
    case .misdirectedRequest: "HTTP/1.1 421 Misdirected Request"
    case .unprocessableContent: "HTTP/1.1 422 Unprocessable Content"
    case .locked: "HTTP/1.1 423 Locked"
    case .failedDependency: "HTTP/1.1 424 Failed Dependency"
    case .tooEarly: "HTTP/1.1 425 Too Early"
    case .preconditionRequired: "HTTP/1.1 428 Precondition Required"
    case .tooManyRequests: "HTTP/1.1 429 Too Many Requests"
    case .requestHeaderFieldsTooLarge: "HTTP/1.1 431 Request Header Fields Too Large"
    case .unavailableForLegalReasons: "HTTP/1.1 451 Unavailable For Legal Reasons"
    case .internalServerError: "HTTP/1.1 500 Internal Server Error"
    case .notImplemented: "HTTP/1.1 501 Not Implemented"
    case .badGateway: "HTTP/1.1 502 Bad Gateway"
    case .serviceUnavailable: "HTTP/1.1 503 Service Unavailable"
    case .gatewayTimeout: "HTTP/1.1 504 Gateway Timeout"
    case .httpVersionNotSupported: "HTTP/1.1 505 HTTP Version Not Supported"
    case .variantAlsoNegotiates: "HTTP/1.1 506 Variant Also Negotiates"
    case .insufficientStorage: "HTTP/1.1 507 Insufficient Storage"
    case .loopDetected: "HTTP/1.1 508 Loop Detected"
    case .networkAuthenticationRequired: "HTTP/1.1 511 Network Authentication Required"
    }
  }
}
