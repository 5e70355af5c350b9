import BinderyCore
package import BinderyHTTP
import BinderyTelemetry

/// The request handler of one event loop: authenticates and routes each request, writes its response, and counts it in
/// the metrics.
///
/// Confined to that loop. A response that cannot be written at once (`Disposition.later`) is written by
/// ``produce(_:into:)`` after `LoopContext.markReady`.
package final class APIResponder<Root: Sendable>: Responder {
  let api: StateAPI<Root>
  let context: LoopContext
  /// A copy, because each request reads it.
  let basePath: BasePath
  /// Responses that other threads have completed.
  let mailbox = ExchangeMailbox<Result<Response, Problem>>()
  let streams: Streams<Root>
  let authenticator: Authenticator
  /// The principal of the request that is being handled.
  private(set) var caller = Principal.open
  private let routeCache = RouteCache()
  private let requestCache = RequestCache()
  private let routeMetrics: StateRouteMetrics
  /// The snapshot that was current when this loop last read the state. Released after a second, so that a loop that
  /// does not read keeps no old state in memory.
  var cachedSnapshot: Snapshot<Root>?
  let metrics: LoopMetrics
  let documentMetrics: DocumentRouteMetrics
  /// The access log, if there is one.
  let log: Logger?
  /// The outcome of the request that is being handled, for metrics and the access log.
  var outcome = RequestOutcome()
  /// Requests whose response is pending, and, if there is an access log, open event streams.
  let observedRequests = ExchangeTable<ObservedRequest>()
  /// Generates the ids of trace spans.
  var random = SystemRandomNumberGenerator()
  /// Writes that wait for the journal.
  let writes: PendingWrites<Root>
  /// Buffers that are reused for each write.
  var scratch = WriteScratch()
  /// Completed responses that `produce` has not written yet.
  let completedResponses = ExchangeTable<Result<Response, Problem>>()
  /// The exchanges that wait for a response, with the common header fields of that response. A response to any other
  /// exchange comes too late and is dropped.
  let pendingResponses = ExchangeTable<FieldLines>()
  /// The maximum number of pending responses, and of pending writes. A copy, because each request reads it.
  private let maximumPendingResponses: Int
  /// Long responses that are written slice by slice.
  let chunkedResponses = ExchangeTable<ChunkedResponse>()
  /// The requests for files; nil if no folder is served beside the state.
  let files: FileTransfers?

  package init(_ api: StateAPI<Root>, context: LoopContext) {
    self.api = api
    self.context = context
    self.basePath = api.basePath
    self.metrics = api.metrics.loop()
    self.documentMetrics = DocumentRouteMetrics(api.fixedRouteTemplates, below: basePath, metrics)
    self.log = api.accessLog
    self.routeMetrics = StateRouteMetrics(metrics, below: api.state.root.target)
    let history = api.state.store.history.text
    self.authenticator = Authenticator(
      api.accessControl, FieldLines { $0.field(.stateHistory, history) }, context.handle)
    self.maximumPendingResponses = api.streamLimits.maximumPendingResponses
    self.files = api.files.map { FileTransfers($0, api.state.key, api.fileBudget, context.handle) }
    self.writes = PendingWrites(api.state.store, api.writeBudget, context.handle)
    self.streams = Streams(
      api.state, context: context, limits: api.streamLimits, authenticator: authenticator, metrics: metrics.streams)
    context.recordsPeerAddresses = log != nil
  }

  package func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition {
    let trace = log != nil || request.contains(.traceparent) ? trace(request, bytes) : nil
    output.nextResponseFields = trace?.fields
    outcome = RequestOutcome()
    let start = output.bytes.count
    let disposition = handle(request, bytes, body, exchange, &output)
    if case .needsBody = disposition {
      output.nextResponseFields = nil
      return disposition
    }
    let route = outcome.route ?? documentMetrics.metrics(request, bytes)
    if case .complete = disposition, log == nil {
      // The fast path of nearly every request: it allocates nothing.
      count(request.method, route, output.status, since: context.turnNanoseconds)
      return disposition
    }
    let observed = ObservedRequest(
      method: request.method, route: route, startedAt: context.turnNanoseconds,
      isLongPoll: outcome.isLongPoll, trace: trace, path: log == nil ? "" : bytes.text(request.path))
    observed.sentBytes = output.bytes.count - start
    observe(observed, disposition, exchange, &output)
    return disposition
  }

  /// Counts a response, its duration, and the outcome of the request.
  func count(_ method: Method, _ route: RouteMetrics, _ status: HTTPStatus, since startedAt: Int64) {
    route.count(method, status, nanoseconds: Int(context.readNanoseconds() - startedAt))
    if let problem = outcome.problem { metrics.countProblem(method, problem) }
    if outcome.isUnchanged { metrics.unchanged.add() }
  }

  /// Authenticates a request, and calls the handler for its path.
  private func handle(
    _ request: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) -> Disposition {
    handleAccessChanges()
    authenticator.setFields(of: &output, for: request, bytes)
    let path = basePath.remainder(of: request.path, in: bytes)
    let sought = path ?? request.path
    do throws(Problem) {
      guard
        let principal = try authenticator.authenticate(
          request, sought, bytes, isPublic: { api.isPublic(sought, bytes) })
      else {
        Origins.writePreflightResponse(&output)
        return .complete
      }
      caller = principal
    } catch {
      if error.kind == .unauthorized, let path, api.isProtectedPage(path, bytes), SignInPage.isWanted(request, bytes) {
        outcome.problem = error.kind
        SignInPage.document.write(insteadOf: error, to: &output)
      } else {
        write(error, to: &output)
      }
      return .complete
    }
    do throws(Problem) {
      let disposition = try route(request, path, bytes, body, exchange, &output)
      if case .later = disposition { pendingResponses[exchange] = output.commonFields }
      return disposition
    } catch {
      write(advise(error, request, bytes, body), to: &output)
      return .complete
    }
  }

  /// Returns a problem with hints for the client, which is authenticated. Not inlined, because problems are rare.
  @inline(never)
  private func advise(
    _ problem: Problem, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody
  ) -> Problem {
    advise(problem, on: sentRequest(head, bytes, body))
  }

  /// Returns a problem with hints for the client that sent a request.
  func advise(_ problem: Problem, on request: SentRequest) -> Problem {
    RequestGuide(api: api, snapshot: currentSnapshot, request: request).advise(problem)
  }

  /// Returns a copy of the parts of a request that hints depend on.
  func sentRequest(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody) -> SentRequest {
    let path = basePath.remainder(of: head.path, in: bytes) ?? head.path
    return SentRequest(head, path, bytes, body, authenticator.commandServer(head, bytes, basePath))
  }

  /// Ends the streams and long polls whose credential is no longer valid.
  func handleAccessChanges() {
    guard let changes = authenticator.refresh() else { return }
    if changes.haveTokensChanged { streams.reauthenticate() }
    for session in changes.endedSessions { streams.end(session) }
  }
}

// MARK: Routing

extension APIResponder {
  /// Calls the handler for the path of a request. Paths of the state are looked up in the caches first, and otherwise
  /// resolved by ``StateResource``, with `Route.resolving`.
  ///
  /// - Parameter path: The range of the path after the base path, or nil if the path is outside the base path.
  private func route(
    _ head: borrowing RequestHead, _ path: Range<Int>?, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    if let cached = requestCache.find(head) {
      return try respond(cached.route, cached.request, head, bytes, body, exchange, &output)
    }
    if case .asterisk = head.targetForm { return serverOptions(&output) }
    guard let path = path ?? probe(head, bytes) else { throw outsideBasePath(bytes.text(head.path)) }
    if path.isEmpty, !basePath.isRoot { return redirectToRoot(head, bytes, &output) }
    if let cached = routeCache.find(path, in: bytes) {
      return try respond(cached, head, bytes, body, exchange, &output)
    }
    if let resolvedPath = api.state.resolve(plain: bytes.extracting(path)) {
      let cached = routeCache.insert(resolvedPath, at: path, in: bytes)
      return try respond(cached, head, bytes, body, exchange, &output)
    }
    if let files, let target = api.fileTarget(path, bytes) {
      return try file(target, files, head, bytes, body, exchange, &output)
    }
    let target = try RequestTarget(path: bytes.slice(path)[...])
    if target.isFolder { return try document(target, head, bytes, body, exchange, &output) }
    guard target.segments.first == StateResource<Root>.prefix else {
      switch target.segments.first {
      case "events"? where target.segments.count == 1: return try events(head, bytes, body, exchange, &output)
      case Self.sessionSegment? where target.segments.count == 1: return try session(head, bytes, body, &output)
      case HistoryResource<Root>.segment?: return try history(target, head, bytes, body, exchange, &output)
      default: return try document(target, head, bytes, body, exchange, &output)
      }
    }
    let cached = routeCache.insert(try api.state.resolve(target), at: path, in: bytes)
    return try respond(cached, head, bytes, body, exchange, &output)
  }

  /// Checks a request for a path of the state, and responds to it.
  private func respond(
    _ cached: CachedRoute, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    outcome.route = cached.metrics(in: routeMetrics)
    let request = try api.state.check(cached.resolvedPath, head, bytes, body)
    requestCache.insert(request, for: cached, head)
    return try respond(cached, request, head, bytes, body, exchange, &output)
  }

  /// Responds to a checked request for a path of the state.
  private func respond(
    _ cached: CachedRoute, _ request: StateRequest, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
    _ body: RequestBody, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    outcome.route = cached.metrics(in: routeMetrics)
    if case .none = body, request.isPlain, let response = cached.cachedResponse(at: api.state.store.revision) {
      try checkCapacity(&output)
      output.start(.ok)
      output.finish(response)
      return .complete
    }
    guard let content = try bodyRange(body) else { return .needsBody }
    if request.wantsEvents { return try stream(request, head, bytes, exchange, &output) }
    try checkCapacity(&output)
    switch request.method {
    case .get, .head: return try read(request, cached, exchange, &output)
    case .options:
      api.state.options(request).write(to: &output)
      return .complete
    default: return try write(request, content, head, bytes, body, exchange, &output)
    }
  }

  /// Returns the range of the body, or nil if `100 Continue` must be sent first.
  ///
  /// - Throws: `content-too-large`.
  func bodyRange(_ body: RequestBody) throws(Problem) -> Range<Int>? {
    switch body {
    case .none: 0..<0
    case .complete(let range): range
    case .pending: nil
    case .tooLarge: throw .bodyTooLarge
    }
  }

  /// Throws if the server is stopping, or if too many responses are pending. Event streams have their own limit
  /// (``Streams/isFull``), because their clients reconnect by themselves.
  func checkCapacity(_ output: inout ResponseWriter) throws(Problem) {
    guard streams.isDraining || pendingResponses.count >= maximumPendingResponses else { return }
    guard streams.isDraining else { throw .tooManyPendingResponses }
    output.closeAfterResponse()
    throw Problem(
      .unavailable,
      "The server is shutting down. Nothing was changed; retry after the seconds in Retry-After.")
  }
}

// MARK: Reading and writing the state

extension APIResponder {
  private func read(
    _ request: StateRequest, _ cached: CachedRoute, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    outcome.isLongPoll = try wait(request, exchange)
    if outcome.isLongPoll { return .later }
    if let response = try api.state.read(request, cached, in: currentSnapshot, into: &output) {
      return begin(response, exchange)
    }
    return .complete
  }

  private func write(
    _ request: StateRequest, _ content: Range<Int>, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
    _ body: RequestBody, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    // A write continues and needs memory after its client has disconnected, so writes are limited separately from
    // pending responses.
    if writes.count >= maximumPendingResponses { throw .tooManyPendingResponses }
    guard api.writeBudget.hasRoom(for: content.count) else { throw .tooManyPendingBytes }
    writes.willDecide()
    var pending: PendingResponse?
    let keyed = request.idempotencyKey.map {
      KeyedRequest($0, head, bytes, body: content, api.state.key, now: authenticator.now)
    }
    // Moved into a local variable during the call: modifying the property in place would add exclusivity checks.
    var scratch = WriteScratch()
    swap(&scratch, &self.scratch)
    defer { swap(&scratch, &self.scratch) }
    guard
      var response = try api.state.write(
        request, body: bytes.extracting(content), authenticator.commitMetadata(of: caller), keyed, in: &scratch,
        pending: &pending)
    else {
      if let rejection = pending?.rejection { pending?.rejection = advise(rejection, head, bytes, body) }
      if let pending { writes.add(pending, exchange) }
      return .later
    }
    if response.isSliced { return begin(response, exchange) }
    write(response, in: &scratch, to: &output)
    scratch.reuse(response.takeContent())
    return .complete
  }

  /// The published snapshot. The store's lock is taken only if the revision has changed.
  var currentSnapshot: Snapshot<Root> {
    if let cachedSnapshot, cachedSnapshot.revision == api.state.store.revision { return cachedSnapshot }
    if cachedSnapshot == nil { context.schedule(after: 1_000, token: Self.snapshotReleaseToken) }
    let snapshot = api.state.store.snapshot
    cachedSnapshot = snapshot
    return snapshot
  }

  /// The timer token of releasing ``cachedSnapshot``. ``Streams`` uses other tokens.
  static var snapshotReleaseToken: UInt64 { .max - 1 }

  func write(_ problem: Problem, to output: inout ResponseWriter) {
    outcome.problem = problem.kind
    problem.write(to: &output, basePath)
  }

  func write(_ response: Response, in scratch: inout WriteScratch, to output: inout ResponseWriter) {
    outcome.isUnchanged = response.changed == false
    response.write(to: &output, using: &scratch.templates)
  }
}
