/// A request method (RFC 9110 §9) that this server supports.
package enum Method: UInt8, Sendable, CaseIterable {
  case get, head, patch, put, delete, post, options
  /// Any other token. The parser rejects it with 501, so no responder receives it.
  case unknown

  /// The name as it is sent; empty for `unknown`.
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
