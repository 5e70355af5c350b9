import BinderyCore
package import BinderyHTTP
import BinderyTelemetry

// Responses that are not written by `respond(to:in:body:exchange:into:)`, and the events of the loop that lead to them.

extension APIResponder {
  /// Returns a callback that takes the response of an exchange on any thread, and wakes the loop to write it.
  func responseHandler(for exchange: ExchangeID) -> @Sendable (Result<Response, Problem>) -> Void {
    let mailbox = mailbox
    let handle = context.handle
    return { result in
      mailbox.put(exchange, result)
      handle.wake()
    }
  }

  package func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult {
    guard let open = exchanges[exchange] else { return .idle }
    let result = observing(open.observed, exchange, &output) { output in write(open, exchange, to: &output) }
    switch result {
    case .idle, .more: break
    case .finished, .close: exchanges.remove(exchange)
    }
    return result
  }

  /// Writes the response of an exchange, or the next part of it.
  private func write(
    _ open: OpenExchange, _ exchange: ExchangeID, to output: inout ResponseWriter
  ) -> ProduceResult {
    if case .stream(let stream) = open.state {
      let result = streams.produce(stream, exchange, into: &output)
      if case .close = result { reads.remove(exchange) }
      return result
    }
    output.setCommonFields(open.fields)
    switch open.state {
    case .stream, .awaitingBody, .awaitingCommit, .awaitingVersion, .awaitingHistory, .awaitingEndpoint: return .idle
    case .completed(let completion, _):
      return write(Result(catching: completion.makeResponse), open, exchange, to: &output)
    case .longResponse(let response): return continueResponse(response, &output)
    case .file(let transfer): return produceFile(transfer, exchange, into: &output)
    case .longPoll(let poll):
      switch streams.end(poll, exchange) {
      case nil: return .idle
      case .revoked(let revocation)?: return write(.failure(revocation.problem), open, exchange, to: &output)
      case .over(let version)?:
        let result = Result { () throws(Problem) in
          try state.read(poll.request, in: version ?? currentSnapshot)
        }
        return write(result, open, exchange, to: &output)
      }
    }
  }

  /// Writes a response, or the head and the first slice of a long one.
  private func write(
    _ result: Result<Response, Problem>, _ open: OpenExchange, _ exchange: ExchangeID, to output: inout ResponseWriter
  ) -> ProduceResult {
    switch result {
    case .success(let response):
      guard let chunked = response.chunked else {
        write(response, to: &output)
        return .finished
      }
      var open = open
      if chunked.showsState { chunked.heldVersion = streams.holdVersion() }
      open.state = .longResponse(chunked)
      exchanges[exchange] = open
      return continueResponse(chunked, &output)
    case .failure(let problem):
      write(problem, to: &output)
      return .finished
    }
  }

  package func peerDisconnected(_ exchange: ExchangeID) {
    guard let open = exchanges.remove(exchange) else { return }
    reads.remove(exchange)
    switch open.state {
    case .stream(let stream): streams.close(stream, exchange)
    case .longPoll(let poll): streams.close(poll, exchange)
    case .awaitingEndpoint(let task, isRead: _): task.cancel()
    case .awaitingHistory(let reading): reading?.abandon()
    case .awaitingBody, .awaitingCommit, .awaitingVersion, .completed, .longResponse, .file: break
    }
    if let observed = open.observed { observeDisconnect(observed, exchange) }
  }

  package func didReceiveWake() {
    // Writers get their responses before subscribers are notified.
    writes.completeDecided(decidingAgain: decideAgain) { exchange, makeResponse in
      complete(exchange, completion(makeResponse))
    }
    for (exchange, result) in mailbox.takeAll() { complete(exchange, result) }
    if let files { for exchange in files.takeResults() { context.markReady(exchange) } }
    handleAccessChanges()
    completeReads()
    streams.notifySubscribers()
  }

  /// Continues the reads and streams whose wait is over.
  private func completeReads() {
    for (exchange, problem) in reads.takeDecided() {
      switch exchanges[exchange]?.state {
      case .stream(let stream)?: streams.didReachVersion(stream, exchange)
      case .awaitingVersion(let request)?: resume(request, exchange, problem)
      default: continue
      }
    }
  }

  /// Continues with a request that has waited for a version.
  private func resume(_ request: DelayedRequest, _ exchange: ExchangeID, _ problem: Problem?) {
    do throws(Problem) {
      if let problem { throw problem }
      // The tokens may have changed meanwhile.
      if let revocation = authenticator.revocation(of: request.principal) { throw revocation.problem }
      let state = try request.resume()
      exchanges[exchange]?.state = state
      if case .completed = state { context.markReady(exchange) }
    } catch { complete(exchange, .failure(error)) }
  }

  /// Decides a write again, because another server has committed first.
  private func decideAgain(_ exchange: ExchangeID, _ repetition: WriteRepetition) -> PendingResponse? {
    var pending: PendingResponse?
    // Moved into a local variable during the call, like for the first decision.
    var scratch = Scratch()
    swap(&scratch, &self.scratch)
    defer { swap(&scratch, &self.scratch) }
    do throws(Problem) {
      if let response = try repetition.decide(&scratch, &pending) { complete(exchange, .success(response)) }
    } catch { complete(exchange, .failure(error)) }
    if let request = repetition.request { pending?.prepareRepetition(of: request) { advise($0, on: $1) } }
    return pending
  }

  private func complete(_ exchange: ExchangeID, _ result: Result<Response, Problem>) {
    complete(
      exchange,
      OpenExchange.Completion(makeResponse: { () throws(Problem) in try result.get() }, heldVersion: nil))
  }

  /// Lets `produce` write the response of an exchange, unless the client has disconnected.
  private func complete(_ exchange: ExchangeID, _ completion: @autoclosure () -> OpenExchange.Completion) {
    guard var open = exchanges[exchange], open.awaitsResult else { return }
    open.state = .completed(completion(), open.kind)
    exchanges[exchange] = open
    context.markReady(exchange)
  }

  /// Returns the completion of a read of the current version.
  func completionByReading(_ request: StateRequest) -> OpenExchange.Completion {
    completion { [state, snapshot = currentSnapshot] () throws(Problem) in try state.read(request, in: snapshot) }
  }

  /// Returns the completion of an exchange by a response that shows the state.
  private func completion(_ makeResponse: @escaping () throws(Problem) -> Response) -> OpenExchange.Completion {
    OpenExchange.Completion(makeResponse: makeResponse, heldVersion: streams.holdVersion())
  }

  package func turnDidEnd() {
    writes.wakeJournal()
    reads.wakeJournal()
  }

  package func timerFired(_ token: UInt64) {
    switch token {
    case Self.snapshotReleaseToken: cachedSnapshot = nil
    case PendingReads<Root>.timerToken:
      reads.timerFired()
      completeReads()
    default: streams.timerFired(token)
    }
  }

  package func willStop() {
    streams.drain()
    for exchange in reads.takeAll() { complete(exchange, .failure(.stopping)) }
  }

  package func reject(_ rejection: Rejection, at slot: UInt32, into output: inout ResponseWriter) {
    metrics.countRejection(rejection)
    output.nextTrace = nil
    output.setCommonFields(authenticator.commonFields)
    Problem(rejection).response(basePath).write(to: &output)
    log?.log(
      .info, "rejected", .text("reason", rejection.rawValue), .number("status", Int(output.status.rawValue)),
      .text("peer", context.peerAddress(at: slot)))
  }
}

// MARK: Long responses

extension APIResponder {
  /// Writes the head and the first slice of a response whose content is sliced. ``produce(_:into:)`` writes the others.
  ///
  /// The first slice is in memory already, and can be much longer than others if it has a long text. Not inlined,
  /// because such responses are rare.
  @inline(never)
  func begin(_ response: Response, _ exchange: ExchangeID, _ output: inout ResponseWriter) -> Disposition {
    guard let chunked = response.chunked else { preconditionFailure("the content of the response is not sliced") }
    let fields = output.commonFields
    switch continueResponse(chunked, &output) {
    case .finished, .close: return .complete
    case .idle, .more: break
    }
    if chunked.showsState { chunked.heldVersion = streams.holdVersion() }
    exchanges[exchange] = OpenExchange(state: .longResponse(chunked), fields: fields)
    context.markReady(exchange)
    return .later
  }

  /// Writes the next part of a long response.
  private func continueResponse(_ response: ChunkedResponse, _ output: inout ResponseWriter) -> ProduceResult {
    outcome.isUnchanged = response.isUnchanged
    return response.write(to: &output)
  }
}

extension APIResponder {
  /// Lets a request wait until this server has the versions that its client has seen.
  ///
  /// - Parameters:
  ///   - missing: These versions.
  ///   - isNewest: Whether to wait for the newest state, too.
  ///   - resume: Continues with the request, and returns the next state of its exchange. It must not retain `self`.
  func wait(
    for missing: [StateVersion] = [], isNewest: Bool, _ exchange: ExchangeID,
    then resume: @escaping () throws(Problem) -> OpenExchange.State
  ) throws(Problem) -> Reply {
    try checkCapacity(for: .version)
    reads.add(exchange, missing: missing, isNewest: isNewest, limit: PendingReads<Root>.limitMilliseconds)
    return .later(.awaitingVersion(DelayedRequest(principal: caller, resume: resume)))
  }

  /// Returns whether this server may not have the version that a request names in `State-Revision`. The only server of
  /// a store is never behind.
  func mayBeBehind(_ head: borrowing RequestHead) -> Bool {
    state.store.isShared && head.contains(.stateRevision)
  }

  /// Returns the versions that the client has seen and that this server may not have.
  ///
  /// - Parameter seen: The version in the id of the last event that the client received.
  /// - Throws: `malformed-header`.
  func missingVersions(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ seen: StateVersion? = nil
  ) throws(Problem) -> [StateVersion] {
    guard state.store.isShared else { return [] }
    var missing: [StateVersion] = []
    if let seen, !reads.isReached(seen) { missing.append(seen) }
    if let revision = head.first(.stateRevision), let history = head.first(.stateHistory) {
      guard Int(bytes.text(revision)) != nil else {
        throw Problem(.malformedHeader, "Expected State-Revision to be an integer, got “\(bytes.text(revision))”.")
      }
      if let seen = StateVersion(revision: bytes.text(revision), history: bytes.text(history)), !reads.isReached(seen) {
        missing.append(seen)
      }
    }
    return missing
  }
}
