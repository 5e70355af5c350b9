import BinderyCore
import BinderyHTTP

extension APIResponder {
  /// Responds to a request for a document outside the state, such as `/readyz`, `/metrics` or `/openapi.yaml`.
  func document(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody
  ) throws(Problem) -> Reply {
    let document = try api.document(
      target, excludingJournal: excludesJournal(head, bytes), isTrusted: caller.isTrusted,
      isStopping: streams.isDraining)
    if let response = try optionsResponse(head.method, .readOnly) { return .response(response) }
    if body == .tooLarge { throw .bodyTooLarge }
    return .response(try document.response(key: state.key, conditions: Conditions(head, bytes)))
  }

  /// Returns whether a request for `/readyz` leaves out the check of the journal: the query contains `exclude=journal`,
  /// as in Kubernetes. Documents ignore other parameters.
  private func excludesJournal(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    guard let query = head.query else { return false }
    return bytes.slice(query).split(separator: UInt8(ascii: "&")).contains { $0.elementsEqual("exclude=journal".utf8) }
  }

  /// Returns the response to `OPTIONS` for a path outside the state; nil for any other method.
  ///
  /// - Parameter acceptsJSON: Whether the body of a `POST` is JSON.
  /// - Throws: `method-not-allowed`.
  func optionsResponse(
    _ method: Method, _ allowed: AllowedMethods, acceptsJSON: Bool = false
  ) throws(Problem) -> Response? {
    guard allowed.contains(method) else { throw .methodNotAllowed(method, allowed) }
    guard method == .options else { return nil }
    var response = Response(.noContent)
    response.addField(.allow, allowed.field)
    if acceptsJSON { response.addField(.acceptPost, allowed.acceptPost) }
    return response
  }

  /// The response to `OPTIONS *`: the methods of the server as a whole (RFC 9110 §9.3.7).
  var serverOptions: Response {
    var response = Response(.noContent)
    response.addField(.allow, "GET, HEAD, PATCH, PUT, POST, DELETE, OPTIONS")
    response.addField(.acceptPatch, MediaType.patch)
    return response
  }
}
