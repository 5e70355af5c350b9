import BinderyCore
import BinderyHTTP

extension APIResponder {
  /// Handles `/history` and the paths below it.
  func history(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    let resource = api.history
    switch try resource.endpoint(target) {
    case .list:
      if try respondToOptions(head.method, .readOnly, &output) { return .complete }
      guard ResponseFormat(head, bytes) != nil else {
        throw Problem(.notAcceptable, "The history is available as application/json only; accept this media type.")
      }
      guard try bodyRange(body) != nil else { return .needsBody }
      let page = try HistoryResource<Root>.Page(Query(head, bytes, accepting: HistoryResource<Root>.Page.parameters))
      guard let response = try resource.list(page, completion: responseHandler(for: exchange)) else { return .later }
      response.write(to: &output)
      return .complete
    case .revert(let number):
      if try respondToOptions(head.method, .postOnly, &output) { return .complete }
      try MediaType.requireJSON(head, bytes)
      guard try bodyRange(body) != nil else { return .needsBody }
      _ = try Query(head, bytes, accepting: [])
      try resource.revert(number, Conditions(head, bytes), completion: responseHandler(for: exchange))
      return .later
    }
  }
}
