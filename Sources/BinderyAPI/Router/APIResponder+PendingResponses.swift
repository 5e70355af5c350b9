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
    observing(exchange, &output) { output in writeResponse(of: exchange, to: &output) }
  }

  /// Writes the response of an exchange, or the next part of it.
  private func writeResponse(of exchange: ExchangeID, to output: inout ResponseWriter) -> ProduceResult {
    if let result = streams.produce(exchange, into: &output) { return result }
    output.setCommonFields(pendingResponses[exchange] ?? authenticator.commonFields)
    if let result = produceFile(exchange, into: &output) { return result }
    if let result = completedResponses.remove(exchange) {
      pendingResponses.remove(exchange)
      switch result {
      case .success(let response):
        if let chunked = response.chunked { return continueResponse(chunked, exchange, &output) }
        write(response, to: &output)
      case .failure(let problem): write(problem, to: &output)
      }
      return .finished
    }
    if let response = chunkedResponses.remove(exchange) {
      // A response that has begun is no longer pending.
      pendingResponses[exchange] = nil
      return continueResponse(response, exchange, &output)
    }
    if let revocation = streams.takeRevocation(exchange) {
      pendingResponses[exchange] = nil
      write(revocation.problem, to: &output)
      return .finished
    }
    if let (request, snapshot) = streams.takeWait(exchange) {
      pendingResponses[exchange] = nil
      do throws(Problem) {
        let response = try api.state.read(request, in: snapshot ?? currentSnapshot)
        if let chunked = response.chunked { return continueResponse(chunked, exchange, &output) }
        write(response, to: &output)
      } catch {
        write(error, to: &output)
      }
      return .finished
    }
    return .idle
  }

  package func peerDisconnected(_ exchange: ExchangeID) {
    completedResponses.remove(exchange)
    pendingResponses.remove(exchange)
    chunkedResponses.remove(exchange)
    endpointTasks.removeValue(forKey: exchange)?.cancel()
    files?.remove(exchange)
    streams.close(exchange)
    observeDisconnect(exchange)
  }

  package func didReceiveWake() {
    // Writers get their responses before subscribers are notified.
    writes.completeDecided(decidingAgain: decideAgain) { exchange, makeResponse in
      complete(exchange, Result(catching: makeResponse))
    }
    for (exchange, result) in mailbox.takeAll() {
      endpointTasks[exchange] = nil
      complete(exchange, result)
    }
    if let files { for exchange in files.takeResults() { context.markReady(exchange) } }
    handleAccessChanges()
    streams.notifySubscribers()
  }

  /// Decides a write again, because another server has committed first.
  private func decideAgain(_ exchange: ExchangeID, _ repetition: WriteRepetition) -> PendingResponse? {
    var pending: PendingResponse?
    do throws(Problem) {
      if let response = try repetition.decide(&scratch, &pending) { complete(exchange, .success(response)) }
    } catch { complete(exchange, .failure(error)) }
    if let request = repetition.request { pending?.prepareRepetition(of: request) { advise($0, on: $1) } }
    return pending
  }

  /// Stores the response of an exchange for `produce`, unless the client has disconnected.
  private func complete(_ exchange: ExchangeID, _ result: @autoclosure () -> Result<Response, Problem>) {
    guard pendingResponses[exchange] != nil else { return }
    // Evaluated now: the closure holds a snapshot, and a client that does not read its response must not keep an old
    // state in memory.
    completedResponses[exchange] = result()
    context.markReady(exchange)
  }

  package func turnDidEnd() { writes.wakeJournal() }

  package func timerFired(_ token: UInt64) {
    if token == Self.snapshotReleaseToken { cachedSnapshot = nil } else { streams.timerFired(token) }
  }

  package func willStop() { streams.drain() }

  package func reject(_ rejection: Rejection, into output: inout ResponseWriter) {
    metrics.countRejection(rejection)
    output.nextTrace = nil
    output.setCommonFields(authenticator.commonFields)
    Problem(rejection).response(basePath).write(to: &output)
    log?.log(
      .info, "rejected", .text("reason", rejection.rawValue), .number("status", Int(output.status.rawValue)))
  }
}

// MARK: Long responses

extension APIResponder {
  /// Begins a response whose content is sliced. Not inlined, because such responses are rare.
  @inline(never)
  func begin(_ response: Response, _ exchange: ExchangeID) -> Disposition {
    guard let chunked = response.chunked else { preconditionFailure("the content of the response is not sliced") }
    return begin(chunked, exchange)
  }

  /// Begins a long response. ``produce(_:into:)`` writes it.
  func begin(_ response: ChunkedResponse, _ exchange: ExchangeID) -> Disposition {
    chunkedResponses[exchange] = response
    context.markReady(exchange)
    return .later
  }

  /// Writes the next part of a long response.
  func continueResponse(
    _ response: ChunkedResponse, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) -> ProduceResult {
    var response = response
    outcome.isUnchanged = response.isUnchanged
    let result = response.write(to: &output)
    if case .more = result { chunkedResponses[exchange] = response }
    return result
  }
}
