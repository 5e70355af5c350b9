import BinderyCore
import BinderyHTTP

extension APIResponder {
  /// Responds to a request for a document outside the state, such as `/readyz`, `/metrics` or `/openapi.yaml`.
  func document(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    let document = try api.document(target, isTrusted: caller.isTrusted, isStopping: streams.isDraining)
    if try respondToOptions(head.method, .readOnly, &output) { return .complete }
    guard try bodyRange(body) != nil else { return .needsBody }
    let conditions = try Conditions(head, bytes)
    if let response = try document.write(to: &output, key: api.state.key, conditions: conditions) {
      return begin(response, exchange)
    }
    return .complete
  }

  /// Responds to `OPTIONS` with the methods of a path outside the state.
  ///
  /// - Returns: Whether the method was `OPTIONS`.
  /// - Throws: `method-not-allowed`.
  func respondToOptions(
    _ method: Method, _ allowed: AllowedMethods, _ output: inout ResponseWriter
  ) throws(Problem) -> Bool {
    guard allowed.contains(method) else { throw .methodNotAllowed(method, allowed) }
    guard method == .options else { return false }
    var response = Response(.noContent)
    response.addField(.allow, allowed.field)
    response.write(to: &output)
    return true
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
