import BinderyCore
import BinderyHTTP

extension APIResponder {
  /// Responds to a request for a document outside the state, such as `/readyz`, `/metrics` or `/openapi.yaml`.
  func document(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    let document = try api.document(target, isTrusted: caller.isTrusted, isStopping: streams.isDraining)
    let allow = "GET, HEAD, OPTIONS"
    switch head.method {
    case .get, .head:
      if body == .tooLarge { throw .bodyTooLarge }
      if body == .pending { return .needsBody }
      let conditions = Conditions(head, bytes)
      if let response = try document.write(to: &output, key: api.state.key, conditions: conditions) {
        return begin(response, exchange)
      }
    case .options:
      var response = Response(.noContent)
      response.addField(.allow, allow)
      response.write(to: &output)
    default:
      throw .methodNotAllowed(head.method, allowed: allow)
    }
    return .complete
  }

  /// Responds to `OPTIONS *` with the methods of the server as a whole (RFC 9110 §9.3.7).
  func serverOptions(_ output: inout ResponseWriter) -> Disposition {
    var response = Response(.noContent)
    response.addField(.allow, "GET, HEAD, PATCH, PUT, POST, DELETE, OPTIONS")
    response.addField(.acceptPatch, MediaType.patch)
    response.write(to: &output)
    return .complete
  }
}
