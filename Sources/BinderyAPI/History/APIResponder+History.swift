import BinderyCore
import BinderyHTTP

extension APIResponder {
  /// `/history` and what is below.
  func history(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    let resource = api.history
    switch (try resource.place(target), head.method) {
    case (.list, .get), (.list, .head):
      guard Form(head, bytes) != nil else {
        throw Problem(.notAcceptable, "The history has the form application/json.")
      }
      let page = try HistoryResource<Root>.Page(target.query)
      guard try content(body) != nil else { return .needsBody }
      guard let response = try resource.list(page, completion: letter(exchange)) else { return .later }
      response.write(to: &output)
      return .complete
    case (.revert(let number), .post):
      // As for any POST: what says that it is JSON is no request that another site's page can make unasked.
      try MediaType.mustNotBeEncoded(head, bytes)
      guard MediaType(head, bytes) != nil else {
        throw Problem(.unsupportedMediaType, "Say that it is application/json, though no body is needed.")
          .with { $0.acceptPost = MediaType.post }
      }
      guard try content(body) != nil else { return .needsBody }
      try resource.revert(number, completion: letter(exchange))
      return .later
    case (let place, let method):
      let allow =
        if case .list = place { HistoryResource<Root>.allowed } else { HistoryResource<Root>.allowedForRevert }
      guard method == .options else {
        throw Problem(.methodNotAllowed, "\(method.name) is not allowed here.").with { $0.allow = allow }
      }
      var response = Response(.noContent)
      response.say(.allow, allow)
      response.write(to: &output)
      return .complete
    }
  }
}
