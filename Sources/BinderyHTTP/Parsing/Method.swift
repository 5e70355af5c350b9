/// A request's method (RFC 9110 §9), as far as this server gives one a meaning.
package enum Method: UInt8, Sendable, CaseIterable {
  case get, head, patch, put, delete, post, options
  /// Any other token. The parser refuses it with 501, so no responder meets it.
  case unknown

  /// The method's name as it is written on the wire.
  package var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .patch: "PATCH"
    case .put: "PUT"
    case .delete: "DELETE"
    case .post: "POST"
    case .options: "OPTIONS"
    case .unknown: ""
    }
  }
}
