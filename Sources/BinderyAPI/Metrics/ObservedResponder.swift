package import BinderyCore
package import BinderyHTTP
import BinderyTelemetry

/// A responder whose requests are counted, timed, traced and, where that is wished, written to a log.
package final class ObservedResponder<Root: Model>: Responder {
  private let inner: APIResponder<Root>
  private let context: LoopContext
  private let log: Logger?
  private let metrics: LoopMetrics
  private let routes: DocumentRouteMetrics
  /// Requests that are answered later, and streams while there is a log.
  private let open = ExchangeTable<ObservedRequest>()
  private var random = SystemRandomNumberGenerator()

  package init(_ api: StateAPI<Root>, context: LoopContext) {
    inner = APIResponder(api, context: context)
    self.context = context
    log = api.accessLog
    metrics = inner.metrics
    routes = DocumentRouteMetrics(api.fixedPaths, metrics)
    context.wantsPeers = log != nil
  }

  package func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition {
    let trace = trace(request, bytes)
    output.once = trace?.field
    inner.outcome = RequestOutcome()
    let start = output.bytes.count
    let answer = inner.respond(to: request, in: bytes, body: body, exchange: exchange, into: &output)
    if case .needsBody = answer {
      output.once = nil
      return answer
    }
    let route = inner.outcome.route ?? routes.metrics(request, bytes)
    if case .complete = answer, log == nil {
      // The way of nearly every request, on which nothing is made.
      finish(request.method, route, output.status, since: context.turnNanoseconds)
      return answer
    }
    let observed = ObservedRequest(
      method: request.method, route: route, begun: context.turnNanoseconds, isLongPoll: inner.outcome.isLongPoll,
      trace: trace, path: log == nil ? "" : bytes.text(request.path))
    observed.sentBytes = output.bytes.count - start
    switch answer {
    case .complete, .needsBody:
      observed.status = output.status
      finish(observed, exchange)
    case .later:
      output.once = nil
      open[exchange] = observed
      metrics.waiting.value += 1
    case .stream:
      observed.isStream = true
      observed.status = output.status
      route[request.method].count(output.status)
      if log != nil { open[exchange] = observed }
    }
    return answer
  }

  package func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult {
    guard let observed = open[exchange] else { return inner.produce(exchange, into: &output) }
    output.once = observed.isStream ? nil : observed.trace?.field
    inner.outcome = RequestOutcome()
    let start = output.bytes.count
    let production = inner.produce(exchange, into: &output)
    output.once = nil
    let written = output.bytes.count - start
    observed.sentBytes += written
    if written > 0, observed.status == nil {
      metrics.waiting.value -= 1
      observed.status = output.status
    }
    switch production {
    case .idle, .more: break
    case .finished, .close:
      open.remove(exchange)
      if observed.isStream { write(observed, exchange) } else { finish(observed, exchange) }
    }
    return production
  }

  package func ended(_ exchange: ExchangeID) {
    inner.ended(exchange)
    guard let observed = open.remove(exchange) else { return }
    if observed.status == nil { metrics.waiting.value -= 1 }
    if !observed.isStream { metrics.abandoned.add() }
    write(observed, exchange)
  }

  package func refuse(_ rejection: Rejection, into output: inout ResponseWriter) {
    metrics.refused(rejection)
    output.once = nil
    inner.refuse(rejection, into: &output)
    log?.log(
      .info, "rejected", .text("reason", rejection.rawValue), .number("status", Int(output.status.rawValue)))
  }

  package func woken() { inner.woken() }

  package func turnEnds() { inner.turnEnds() }

  package func elapsed(_ token: UInt64) { inner.elapsed(token) }

  package func draining() { inner.draining() }
}

extension ObservedResponder {
  /// Counts an answer, and what `outcome` say of it.
  private func finish(_ method: Method, _ route: RouteMetrics, _ status: HTTPStatus, since begun: Int64) {
    route.count(method, status, nanoseconds: Int(context.readNanoseconds() - begun))
    if let problem = inner.outcome.problem { metrics.refused(method, problem) }
    if inner.outcome.isUnchanged { metrics.unchanged.add() }
  }

  private func finish(_ observed: ObservedRequest, _ exchange: ExchangeID) {
    let status = observed.status ?? .internalServerError
    if observed.isLongPoll {
      observed.route[observed.method].count(status)
      if let problem = inner.outcome.problem { metrics.refused(observed.method, problem) }
    } else {
      finish(observed.method, observed.route, status, since: observed.begun)
    }
    write(observed, exchange)
  }

  /// Writes the line of a request whose answer has ended, or whose peer has gone: then without a status.
  private func write(_ observed: ObservedRequest, _ exchange: ExchangeID) {
    guard let log else { return }
    var fields: [LogField] = [.text("method", observed.method.name), .text("path", observed.path)]
    if let status = observed.status { fields.append(.number("status", Int(status.rawValue))) }
    fields += [
      .number("bytes", observed.sentBytes),
      .time("seconds", nanoseconds: Int(context.readNanoseconds() - observed.begun)),
      .text("peer", context.peer(at: exchange.slot)),
    ]
    if let trace = observed.trace { fields.append(.text("trace", trace.context.traceText)) }
    log.log(.info, "request", fields)
  }

  /// What ties the request to others: as its sender says, or, where it is written down, a trace that begins here.
  private func trace(_ request: borrowing RequestHead, _ bytes: Span<UInt8>) -> Trace? {
    guard log != nil || request.contains(.traceparent) else { return nil }
    var values = 0
    var parent: TraceContext?
    request.forEach(.traceparent) { range in
      values += 1
      // More than one is none (Trace Context §3.2.1).
      parent = values == 1 ? TraceContext(parsing: bytes.slice(range)) : nil
    }
    if let parent { return Trace(parent.child(using: &random)) }
    return log == nil ? nil : Trace(TraceContext(using: &random))
  }
}

/// What is known of a request until its answer has ended.
final class ObservedRequest {
  let method: Method
  let route: RouteMetrics
  /// On the clock of the loop.
  let begun: Int64
  let isLongPoll: Bool
  let trace: Trace?
  /// As it was sent; without the query, which may hold what is nobody's business.
  let path: String
  var isStream = false
  /// nil until the answer has begun.
  var status: HTTPStatus?
  var sentBytes = 0

  init(
    method: Method, route: RouteMetrics, begun: Int64, isLongPoll: Bool, trace: Trace?, path: String
  ) {
    self.method = method
    self.route = route
    self.begun = begun
    self.isLongPoll = isLongPoll
    self.trace = trace
    self.path = path
  }
}

/// The part that this server has in an undertaking, and how it tells the peer; most requests have none.
final class Trace {
  let context: TraceContext
  let field: FieldLines

  init(_ context: TraceContext) {
    self.context = context
    field = FieldLines { output in
      output.field(custom: "traceparent", context.text)
      output.field(custom: "traceresponse", context.text)
    }
  }
}
