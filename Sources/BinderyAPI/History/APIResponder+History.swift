import BinderyCore
import BinderyHTTP

extension APIResponder {
  /// Handles `/history` and the paths below it.
  func history(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID
  ) throws(Problem) -> Reply {
    let resource = api.history
    switch try resource.endpoint(target) {
    case .list:
      if let response = try optionsResponse(head.method, .readOnly) { return .response(response) }
      guard ResponseFormat.preferred(head, bytes) != nil else {
        throw Problem(.notAcceptable, "The history is available as application/json only; accept this media type.")
      }
      guard try bodyRange(body) != nil else { return .needsBody }
      try checkCapacity(for: .history)
      let page = try HistoryResource<Root>.Page(Query(head, bytes, accepting: HistoryResource<Root>.Page.parameters))
      try resource.check(history: page.history)
      let reading = HistoryReading()
      let response = try resource.list(
        page, unless: { reading.isAbandoned }, completion: responseHandler(for: exchange))
      guard let response else { return .later(.awaitingHistory(reading)) }
      return .response(response)
    case .revert(let number):
      if let response = try optionsResponse(head.method, .postOnly) { return .response(response) }
      try MediaType.requireJSON(head, bytes)
      guard let content = try bodyRange(body) else { return .needsBody }
      try checkCapacity(for: .history)
      try resource.check(history: Query(head, bytes, accepting: ["history"])["history"])
      let keyed = try IdempotencyKey(head, bytes).map {
        KeyedRequest($0, head, bytes, body: content, api.state.key, now: authenticator.now)
      }
      resource.revert(
        RevertRequest(
          number: number, conditions: try Conditions(head, bytes), metadata: authenticator.commitMetadata(of: caller),
          keyed: keyed, complete: responseHandler(for: exchange)))
      return .later(.awaitingHistory(nil))
    }
  }
}
