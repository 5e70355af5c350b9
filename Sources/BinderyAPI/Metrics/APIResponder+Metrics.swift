import BinderyHTTP
import BinderyTelemetry

extension APIResponder {
  /// Returns a span of the trace that the request names, or, if there is an access log, of a new trace.
  func trace(_ request: borrowing RequestHead, _ bytes: Span<UInt8>) -> TraceContext? {
    // Copied during the calls: modifying the property in place would add exclusivity checks.
    var spanIDs = spanIDs
    defer { self.spanIDs = spanIDs }
    // A request with more than one `traceparent` header counts as having none (Trace Context §3.2.1).
    if let range = request.only(.traceparent), let parent = TraceContext(parsing: bytes.extracting(range)) {
      return parent.child(using: &spanIDs)
    }
    return log == nil ? nil : TraceContext(using: &spanIDs)
  }

  /// Observes a request whose response is not complete, or that has a line in the access log.
  func observe(
    _ observed: ObservedRequest, _ disposition: Disposition, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) {
    switch disposition {
    case .complete, .needsBody:
      observed.status = output.status
      finish(observed, exchange)
    case .later, .abandonable:
      output.nextTrace = nil
      if case .longPoll? = exchanges[exchange]?.state { observed.isLongPoll = true }
      exchanges[exchange]?.observed = observed
      if observed.sentBytes > 0 { observed.status = output.status } else { metrics.waiting.value += 1 }
    case .stream:
      observed.isStream = true
      observed.status = output.status
      observed.route[observed.method].count(output.status)
      if log != nil { exchanges[exchange]?.observed = observed }
    }
  }

  /// Counts and times what `produce` writes for an exchange.
  ///
  /// - Parameter produce: Writes to the output.
  func observing(
    _ observed: ObservedRequest?, _ exchange: ExchangeID, _ output: inout ResponseWriter,
    _ produce: (inout ResponseWriter) -> ProduceResult
  ) -> ProduceResult {
    guard let observed else { return produce(&output) }
    output.nextTrace = observed.isStream ? nil : observed.trace?.text
    outcome = RequestOutcome()
    let start = output.byteCount
    let result = produce(&output)
    output.nextTrace = nil
    let written = output.byteCount - start
    observed.sentBytes += written
    if written > 0, observed.status == nil {
      metrics.waiting.value -= 1
      observed.status = output.status
    }
    switch result {
    case .idle, .more: break
    case .finished, .close:
      if observed.isStream { writeLogLine(observed, exchange) } else { finish(observed, exchange) }
    }
    return result
  }

  /// Ends the observation of a request whose client has disconnected.
  func observeDisconnect(_ observed: ObservedRequest, _ exchange: ExchangeID) {
    if observed.status == nil { metrics.waiting.value -= 1 }
    if !observed.isStream { metrics.abandoned.add() }
    writeLogLine(observed, exchange)
  }

  private func finish(_ observed: ObservedRequest, _ exchange: ExchangeID) {
    let status = observed.status ?? .internalServerError
    if observed.isLongPoll {
      // The client chooses how long a long poll takes: it would distort the durations.
      observed.route[observed.method].count(status)
      if let problem = outcome.problem { metrics.countProblem(observed.method, problem) }
    } else {
      count(observed.method, observed.route, status, since: observed.startedAt)
    }
    writeLogLine(observed, exchange)
  }

  /// Writes the access log line of a request that has ended. The line has no status if the client disconnected before
  /// the response.
  private func writeLogLine(_ observed: ObservedRequest, _ exchange: ExchangeID) {
    guard let log else { return }
    var fields: [LogField] = [.text("method", observed.method.name), .text("path", observed.path)]
    if let status = observed.status { fields.append(.number("status", Int(status.rawValue))) }
    fields += [
      .number("bytes", observed.sentBytes),
      .time("seconds", nanoseconds: Int(context.readNanoseconds() - observed.startedAt)),
      .text("peer", context.peerAddress(at: exchange.slot)),
    ]
    if let trace = observed.trace { fields.append(.text("trace", trace.traceText)) }
    log.log(.info, "request", fields)
  }
}
