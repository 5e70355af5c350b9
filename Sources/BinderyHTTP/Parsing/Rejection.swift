/// The reason to reject a message before it is routed.
///
/// The connection closes after the response, because the start of the next request can no longer be trusted
/// (RFC 9112 §11.2). The raw values appear in logs and metrics.
package enum Rejection: String, Error, Sendable, Equatable, CaseIterable {
  case badRequestLine, badTarget, badVersion, badLineEnd, badFieldName, badFieldValue
  case missingHost, repeatedHost, badHost, repeatedField, insecureTarget
  case badContentLength, badTransferEncoding, unknownTransferCoding, conflictingLengths, badChunk, badTrailer
  case unknownMethod, unknownExpectation
  case lineTooLong, fieldsTooLarge, tooManyFields
  case headTooSlow, bodyTooSlow, truncated
  case overloaded, noResponse

  /// The status of the response.
  ///
  /// RFC 9112 §6.1 suggests 501 for an unknown transfer coding. It is 400 here, like every other ambiguous message,
  /// because proxies and servers disagree about where the body of such a request ends.
  package var status: HTTPStatus {
    switch self {
    case .badRequestLine, .badTarget, .badLineEnd, .badFieldName, .badFieldValue, .missingHost, .repeatedHost,
      .badHost, .repeatedField, .badContentLength, .badTransferEncoding, .unknownTransferCoding, .conflictingLengths,
      .badChunk, .badTrailer, .truncated:
      .badRequest
    case .insecureTarget: .misdirectedRequest
    case .badVersion: .httpVersionNotSupported
    case .unknownMethod: .notImplemented
    case .unknownExpectation: .expectationFailed
    case .lineTooLong: .uriTooLong
    case .fieldsTooLarge, .tooManyFields: .requestHeaderFieldsTooLarge
    case .headTooSlow, .bodyTooSlow: .requestTimeout
    case .overloaded: .serviceUnavailable
    case .noResponse: .internalServerError
    }
  }

  /// A sentence for the problem details. It contains nothing that the peer sent.
  package var reason: String {
    switch self {
    case .badRequestLine:
      "Malformed request line: expected a method, a target and a version, separated by single spaces."
    case .badTarget:
      "Malformed request target: expected a percent-encoded path that starts with \"/\", or an absolute http URL."
    case .badVersion: "Unsupported HTTP version: send HTTP/1.1 or HTTP/1.0."
    case .badLineEnd: "Malformed line end: each line of the header section must end with CR LF."
    case .badFieldName: "Malformed header field: expected a name, a colon directly after it, and a value, on one line."
    case .badFieldValue: "Malformed header field: the value contains a control character."
    case .missingHost: "Missing Host field: an HTTP/1.1 request must have one."
    case .repeatedHost: "Duplicate Host field: send it once."
    case .badHost: "Malformed Host field: expected a host name or IP address, with an optional port."
    case .repeatedField:
      "Duplicate header field: send Authorization, Content-Type, Last-Event-ID, Origin and Sec-Fetch-Site only once."
    case .insecureTarget: "This connection does not use TLS: the scheme of the request target must not be https."
    case .badContentLength: "Invalid Content-Length: expected one decimal number, sent once."
    case .badTransferEncoding: "Invalid Transfer-Encoding: expected \"chunked\", once, in an HTTP/1.1 request."
    case .unknownTransferCoding: "Unsupported transfer coding: only \"chunked\" is supported."
    case .conflictingLengths: "A request must not have both Content-Length and Transfer-Encoding."
    case .badChunk: "Malformed chunked body: invalid chunk size, extension or line end."
    case .badTrailer: "Malformed trailer field: expected a name, a colon and a value."
    case .unknownMethod:
      "Unsupported method: GET and HEAD read, PATCH changes, PUT replaces or creates, POST adds an element, DELETE "
        + "removes, OPTIONS lists the methods of a path. Methods are in upper case."
    case .unknownExpectation: "Unsupported expectation: only \"Expect: 100-continue\" is supported."
    case .lineTooLong: "The request line is longer than 8 KiB: shorten the path or the query."
    case .fieldsTooLarge:
      "The header section or the trailer section is longer than 16 KiB: send shorter header fields or fewer cookies."
    case .tooManyFields: "The request has more than 100 header fields or trailer fields: send fewer."
    case .headTooSlow: "Timeout: the request line and the header fields did not arrive in time."
    case .bodyTooSlow: "Timeout: the request body arrived too slowly."
    case .truncated: "Incomplete request: the client closed the connection before the end of the request."
    case .overloaded: "Overloaded: the server has reached its limit for incomplete requests. Retry later."
    case .noResponse: "Internal error: the request handler wrote no response."
    }
  }
}
