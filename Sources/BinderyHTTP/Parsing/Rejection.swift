/// Why a message is refused before anyone looks at what it asks; the connection closes after the answer,
/// because where the next request would begin can no longer be trusted (RFC 9112 §11.2).
package enum Rejection: String, Error, Sendable, Equatable, CaseIterable {
  case badRequestLine, badTarget, badVersion, badLineEnd, badFieldName, badFieldValue
  case missingHost, repeatedHost, badHost, repeatedField, insecureTarget
  case badContentLength, badTransferEncoding, unknownTransferCoding, conflictingLengths, badChunk, badTrailer
  case unknownMethod, unknownExpectation
  case lineTooLong, fieldsTooLarge, tooManyFields
  case headTooSlow, bodyTooSlow, truncated
  case overloaded, noAnswer

  /// The status that tells the peer.
  ///
  /// A transfer coding that is not known here could be 501 (RFC 9112 §6.1), but where the body of such a request ends
  /// is what servers on one way disagree about: like everything else that is doubtful it is 400.
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
    case .noAnswer: .internalServerError
    }
  }

  /// One sentence for people, which repeats nothing of what the peer sent.
  package var reason: String {
    switch self {
    case .badRequestLine: "The request line is not a method, a target and a version with single spaces between."
    case .badTarget: "The request target is not in a form that RFC 9112 allows for this method."
    case .badVersion: "Only HTTP/1.1 and HTTP/1.0 are spoken here."
    case .badLineEnd: "A line does not end in CR LF."
    case .badFieldName: "A field line does not begin with a name and a colon."
    case .badFieldValue: "A field value holds a control character."
    case .missingHost: "An HTTP/1.1 request needs a Host field."
    case .repeatedHost: "The Host field stands more than once."
    case .badHost: "The Host field is not a host with an optional port."
    case .repeatedField: "A field that can stand only once stands more than once."
    case .insecureTarget: "A target with the scheme https does not come over a connection without TLS."
    case .badContentLength: "Content-Length is not one decimal number."
    case .badTransferEncoding: "Transfer-Encoding does not end in a single chunked, or the request is not HTTP/1.1."
    case .unknownTransferCoding: "The only transfer coding known here is chunked."
    case .conflictingLengths: "Content-Length and Transfer-Encoding exclude each other."
    case .badChunk: "The chunked body is malformed."
    case .badTrailer: "A trailer field is malformed."
    case .unknownMethod: "No resource here answers to this method."
    case .unknownExpectation: "The only expectation known here is 100-continue."
    case .lineTooLong: "The request line is too long."
    case .fieldsTooLarge: "The fields are too large together."
    case .tooManyFields: "There are too many fields."
    case .headTooSlow: "The head of the request took too long."
    case .bodyTooSlow: "The body of the request came too slowly."
    case .truncated: "The request ended before it was complete."
    case .overloaded: "The server holds as many unfinished requests as it has room for."
    case .noAnswer: "The request was left without an answer."
    }
  }
}
