import BinderyCore
import BinderyHTTP

extension APIResponder {
  /// Handles `/history` and the paths below it.
  func history(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    let resource = api.history
    switch (try resource.endpoint(target), head.method) {
    case (.list, .get), (.list, .head):
      guard ResponseFormat(head, bytes) != nil else {
        throw Problem(.notAcceptable, "The history is available as application/json only; accept this media type.")
      }
      let page = try HistoryResource<Root>.Page(target.query)
      guard try bodyRange(body) != nil else { return .needsBody }
      guard let response = try resource.list(page, completion: responseHandler(for: exchange)) else { return .later }
      response.write(to: &output)
      return .complete
    case (.revert(let number), .post):
      // A page of another site cannot send a JSON media type without a CORS preflight. Requiring it on every POST
      // prevents cross-site request forgery.
      try MediaType.rejectContentEncoding(head, bytes)
      guard MediaType(head, bytes) != nil else {
        throw Problem(
          .unsupportedMediaType, "Add the header “Content-Type: application/json”. The request needs no body."
        ).with { $0.acceptPost = MediaType.post }
      }
      guard try bodyRange(body) != nil else { return .needsBody }
      try resource.revert(number, Conditions(head, bytes), completion: responseHandler(for: exchange))
      return .later
    case (let endpoint, let method):
      let allow =
        if case .list = endpoint { HistoryResource<Root>.allowed } else { HistoryResource<Root>.allowedForRevert }
      guard method == .options else {
        throw .methodNotAllowed(method, allowed: allow)
      }
      var response = Response(.noContent)
      response.addField(.allow, allow)
      response.write(to: &output)
      return .complete
    }
  }
}
