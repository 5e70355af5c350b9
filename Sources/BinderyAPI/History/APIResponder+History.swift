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
      guard ResponseFormat.json.isAccepted(by: head, bytes) else {
        throw Problem(.notAcceptable, "The history is available as application/json only; accept this media type.")
      }
      guard try bodyRange(body) != nil else { return .needsBody }
      let readsNewest = Preferences(head, bytes).readsNewest
      let page = try HistoryResource<Root>.Page(
        Query(head, bytes, accepting: HistoryResource<Root>.Page.parameters), readsNewest: readsNewest)
      let missing = try missingVersions(head, bytes)
      let isNewest = readsNewest && state.store.isShared || resource.mustConfirm(history: page.history)
      guard missing.isEmpty, !isNewest else {
        return try wait(for: missing, isNewest: isNewest, exchange) { [unowned self] () throws(Problem) in
          try list(page, exchange)
        }
      }
      let next = try list(page, exchange)
      guard case .completed(let completion, _) = next else { return .later(next) }
      return .response(try completion.makeResponse())
    case .revert(let number):
      if let response = try optionsResponse(head.method, .postOnly, acceptsJSON: true) { return .response(response) }
      try MediaType.requireJSON(head, bytes)
      guard let content = try bodyRange(body) else { return .needsBody }
      try checkCapacity(for: .history)
      let history = try Query(head, bytes, accepting: ["history"])["history"]
      let keyed = try IdempotencyKey(head, bytes).map {
        KeyedRequest($0, head, bytes, body: content, state.key, now: authenticator.now)
      }
      let request = RevertRequest(
        number: number, conditions: try Conditions(head, bytes), metadata: authenticator.commitMetadata(of: caller),
        keyed: keyed, complete: responseHandler(for: exchange))
      func revert() throws(Problem) -> OpenExchange.State {
        try resource.check(history: history)
        resource.revert(request)
        return .awaitingHistory(nil)
      }
      return try resource.mustConfirm(history: history)
        ? wait(isNewest: true, exchange, then: revert) : .later(revert())
    }
  }

  /// Reads a page of the history.
  private func list(
    _ page: HistoryResource<Root>.Page, _ exchange: ExchangeID
  ) throws(Problem) -> OpenExchange.State {
    try checkCapacity(for: .history)
    try api.history.check(history: page.history)
    let reading = HistoryReading()
    let response = try api.history.list(
      page, unless: { reading.isAbandoned }, completion: responseHandler(for: exchange))
    guard let response else { return .awaitingHistory(reading) }
    return .completed(OpenExchange.Completion(makeResponse: { response }, heldVersion: nil), .history)
  }
}
