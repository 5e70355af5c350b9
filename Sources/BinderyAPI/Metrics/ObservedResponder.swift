package import BinderyCore
package import BinderyHTTP
import BinderyTelemetry

/// A middleware: a responder that counts, times and traces the requests of another responder, and writes the access
/// log.
package final class ObservedResponder<Root: StateModel>: Responder {
  private let inner: APIResponder<Root>
  private let context: LoopContext
  private let log: Logger?
  private let metrics: LoopMetrics
  private let routes: DocumentRouteMetrics
  /// Requests whose response is pending, and, if there is an access log, open event streams.
  private let open = ExchangeTable<ObservedRequest>()
  private var random = SystemRandomNumberGenerator()

  /// Creates the responder of one event loop.
  package init(_ api: StateAPI<Root>, context: LoopContext) {
    inner = APIResponder(api, context: context)
    self.context = context
    log = api.accessLog
    metrics = inner.metrics
    routes = DocumentRouteMetrics(api.fixedRouteTemplates, below: api.basePath, metrics)
    context.recordsPeerAddresses = log != nil
  }

  package func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition {
    let trace = trace(request, bytes)
    output.nextResponseFields = trace?.fields
    inner.outcome = RequestOutcome()
    let start = output.bytes.count
    let disposition = inner.respond(to: request, in: bytes, body: body, exchange: exchange, into: &output)
    if case .needsBody = disposition {
      output.nextResponseFields = nil
      return disposition
    }
    let route = inner.outcome.route ?? routes.metrics(request, bytes)
    if case .complete = disposition, log == nil {
      // The fast path of nearly every request: it allocates nothing.
      finish(request.method, route, output.status, since: context.turnNanoseconds)
      return disposition
    }
    let observed = ObservedRequest(
      method: request.method, route: route, startedAt: context.turnNanoseconds,
      isLongPoll: inner.outcome.isLongPoll, trace: trace, path: log == nil ? "" : bytes.text(request.path))
    observed.sentBytes = output.bytes.count - start
    switch disposition {
    case .complete, .needsBody:
      observed.status = output.status
      finish(observed, exchange)
    case .later:
      output.nextResponseFields = nil
      open[exchange] = observed
      metrics.waiting.value += 1
    case .stream:
      observed.isStream = true
      observed.status = output.status
      route[request.method].count(output.status)
      if log != nil { open[exchange] = observed }
    }
    return disposition
  }

  package func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult {
    guard let observed = open[exchange] else { return inner.produce(exchange, into: &output) }
    output.nextResponseFields = observed.isStream ? nil : observed.trace?.fields
    inner.outcome = RequestOutcome()
    let start = output.bytes.count
    let result = inner.produce(exchange, into: &output)
    output.nextResponseFields = nil
    let written = output.bytes.count - start
    observed.sentBytes += written
    if written > 0, observed.status == nil {
      metrics.waiting.value -= 1
      observed.status = output.status
    }
    switch result {
    case .idle, .more: break
    case .finished, .close:
      open.remove(exchange)
      if observed.isStream { writeLogLine(observed, exchange) } else { finish(observed, exchange) }
    }
    return result
  }

  package func peerDisconnected(_ exchange: ExchangeID) {
    inner.peerDisconnected(exchange)
    guard let observed = open.remove(exchange) else { return }
    if observed.status == nil { metrics.waiting.value -= 1 }
    if !observed.isStream { metrics.abandoned.add() }
    writeLogLine(observed, exchange)
  }

  package func reject(_ rejection: Rejection, into output: inout ResponseWriter) {
    metrics.countRejection(rejection)
    output.nextResponseFields = nil
    inner.reject(rejection, into: &output)
    log?.log(
      .info, "rejected", .text("reason", rejection.rawValue), .number("status", Int(output.status.rawValue)))
  }

  package func didReceiveWake() { inner.didReceiveWake() }

  package func turnDidEnd() { inner.turnDidEnd() }

  package func timerFired(_ token: UInt64) { inner.timerFired(token) }

  package func willStop() { inner.willStop() }
}

extension ObservedResponder {
  /// Counts a response, its duration, and the outcome that the inner responder recorded.
  private func finish(_ method: Method, _ route: RouteMetrics, _ status: HTTPStatus, since startedAt: Int64) {
    route.count(method, status, nanoseconds: Int(context.readNanoseconds() - startedAt))
    if let problem = inner.outcome.problem { metrics.countProblem(method, problem) }
    if inner.outcome.isUnchanged { metrics.unchanged.add() }
  }

  private func finish(_ observed: ObservedRequest, _ exchange: ExchangeID) {
    let status = observed.status ?? .internalServerError
    if observed.isLongPoll {
      // The client chooses how long a long poll takes: it would distort the durations.
      observed.route[observed.method].count(status)
      if let problem = inner.outcome.problem { metrics.countProblem(observed.method, problem) }
    } else {
      finish(observed.method, observed.route, status, since: observed.startedAt)
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
    if let trace = observed.trace { fields.append(.text("trace", trace.context.traceText)) }
    log.log(.info, "request", fields)
  }

  /// Returns a span of the trace that the request names, or, if there is an access log, of a new trace.
  private func trace(_ request: borrowing RequestHead, _ bytes: Span<UInt8>) -> RequestTrace? {
    guard log != nil || request.contains(.traceparent) else { return nil }
    var count = 0
    var parent: TraceContext?
    request.forEach(.traceparent) { range in
      count += 1
      // A request with more than one `traceparent` header counts as having none (Trace Context §3.2.1).
      parent = count == 1 ? TraceContext(parsing: bytes.slice(range)) : nil
    }
    if let parent { return RequestTrace(parent.child(using: &random)) }
    return log == nil ? nil : RequestTrace(TraceContext(using: &random))
  }
}

/// The state of a request whose response has not ended.
final class ObservedRequest {
  let method: Method
  let route: RouteMetrics
  /// The event loop's monotonic clock, in nanoseconds.
  let startedAt: Int64
  let isLongPoll: Bool
  let trace: RequestTrace?
  /// The path as it was sent, without the query, which may contain secrets.
  let path: String
  var isStream = false
  /// The status of the response; nil until the response begins.
  var status: HTTPStatus?
  var sentBytes = 0

  init(
    method: Method, route: RouteMetrics, startedAt: Int64, isLongPoll: Bool, trace: RequestTrace?, path: String
  ) {
    self.method = method
    self.route = route
    self.startedAt = startedAt
    self.isLongPoll = isLongPoll
    self.trace = trace
    self.path = path
  }
}

/// The server's span in a distributed trace, and the response headers that name it. Most requests have none.
final class RequestTrace {
  let context: TraceContext
  let fields: FieldLines

  init(_ context: TraceContext) {
    self.context = context
    fields = FieldLines { output in
      output.field(custom: "traceparent", context.text)
      output.field(custom: "traceresponse", context.text)
    }
  }
}
