package import BinderyCore
package import BinderyHTTP

/// The router and request handler of one event loop: authenticates and routes each request, and writes its response.
///
/// Confined to that loop. A response that cannot be written at once (`Disposition.later`) is written by
/// ``produce(_:into:)`` after `LoopContext.markReady`.
package final class APIResponder<Root: StateModel>: Responder {
  let api: StateAPI<Root>
  let context: LoopContext
  /// Responses that other threads have completed.
  private let mailbox = ResponseMailbox()
  let streams: Streams<Root>
  let authenticator: Authenticator
  /// The principal of the request that is being handled.
  private(set) var caller = Principal.open
  private let routeCache = RouteCache()
  private let requestCache = RequestCache()
  private let routeMetrics: StateRouteMetrics
  /// The snapshot that was current when this loop last read the state. Released after a second, so that a loop that
  /// does not read keeps no old state in memory.
  private var cachedSnapshot: Snapshot<Root>?
  let metrics: LoopMetrics
  /// The outcome of the request that is being handled, for metrics and the access log.
  var outcome = RequestOutcome()
  /// Writes that wait for the journal.
  private let writes: PendingWrites<Root>
  /// Buffers that are reused for each write.
  private var scratch = WriteScratch()
  /// Completed responses that `produce` has not written yet.
  private let completedResponses = ExchangeTable<Result<Response, Problem>>()
  /// The exchanges that wait for a response, with the common header fields of that response. A response to any other
  /// exchange comes too late and is dropped.
  private let pendingResponses = ExchangeTable<FieldLines>()
  /// The maximum number of pending responses, and of pending writes. A copy, because each request reads it.
  private let maximumPendingResponses: Int
  /// Long responses that are written slice by slice.
  let chunkedResponses = ExchangeTable<ChunkedResponse>()

  package init(_ api: StateAPI<Root>, context: LoopContext) {
    self.api = api
    self.context = context
    self.metrics = api.metrics.loop()
    self.routeMetrics = StateRouteMetrics(metrics, below: api.state.root.target)
    self.authenticator = Authenticator(api.accessControl, context.handle)
    self.maximumPendingResponses = api.streamLimits.maximumPendingResponses
    self.writes = PendingWrites(api.state.store, api.writeBudget, context.handle)
    self.streams = Streams(
      api.state, context: context, limits: api.streamLimits, authenticator: authenticator, metrics: metrics.streams)
  }

  package func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition {
    handleAccessChanges()
    authenticator.setFields(of: &output, for: request, bytes)
    do throws(Problem) {
      if try authenticate(request, bytes, &output) { return .complete }
      let disposition = try route(request, bytes, body, exchange, &output)
      if case .later = disposition { pendingResponses[exchange] = output.commonFields }
      return disposition
    } catch {
      write(error, to: &output)
      return .complete
    }
  }

  /// Ends the streams and long polls whose credential is no longer valid.
  private func handleAccessChanges() {
    guard let changes = authenticator.refresh() else { return }
    if changes.haveTokensChanged { streams.reauthenticate() }
    for session in changes.endedSessions { streams.end(session) }
  }

  /// Authenticates and authorizes a request.
  ///
  /// - Returns: true if the request was a CORS preflight and its response is written.
  /// - Throws: The problem, if the request is not permitted.
  private func authenticate(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ output: inout ResponseWriter
  ) throws(Problem) -> Bool {
    let path = head.path
    // A load balancer may address a health check to an IP address instead of a host name.
    let isProbe = bytes.holds(FixedPath.livez, at: path) || bytes.holds(FixedPath.readyz, at: path)
    if !isProbe { try authenticator.checkHost(head, bytes) }
    if authenticator.isAllowedPreflight(head, bytes) {
      Origins.writePreflightResponse(&output)
      return true
    }
    caller = try authenticator.authorize(
      head, bytes, isPublic: { api.isPublic(path, bytes) },
      allowsReadScope: { bytes.holds(FixedPath.session, at: path) }
    )
    return false
  }
}

// MARK: Routing

extension APIResponder {
  /// Calls the handler for the path of a request. Paths of the state are looked up in the caches first, and otherwise
  /// resolved by ``StateResource``, with `Route.resolving`.
  private func route(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    if let cached = requestCache.find(head) {
      return try respond(cached.route, cached.request, head, bytes, body, exchange, &output)
    }
    if case .asterisk = head.targetForm { return serverOptions(&output) }
    if let cached = routeCache.find(head.path, in: bytes) {
      return try respond(cached, try Query(head.query, in: bytes), head, bytes, body, exchange, &output)
    }
    if let resolvedPath = api.state.resolve(plain: bytes.extracting(head.path)) {
      let cached = routeCache.insert(resolvedPath, at: head.path, in: bytes)
      return try respond(cached, try Query(head.query, in: bytes), head, bytes, body, exchange, &output)
    }
    let target = try RequestTarget(path: bytes.slice(head.path)[...], query: head.query.map { bytes.slice($0)[...] })
    if target.isFolder { return try document(target, head, bytes, body, exchange, &output) }
    guard target.segments.first == StateResource<Root>.prefix else {
      switch target.segments.first {
      case "events"? where target.segments.count == 1:
        guard try bodyRange(body) != nil else { return .needsBody }
        return try events(target, head, bytes, exchange, &output)
      case Self.sessionSegment? where target.segments.count == 1: return try session(head, bytes, body, &output)
      case HistoryResource<Root>.segment?: return try history(target, head, bytes, body, exchange, &output)
      default: return try document(target, head, bytes, body, exchange, &output)
      }
    }
    let cached = routeCache.insert(try api.state.resolve(target), at: head.path, in: bytes)
    return try respond(cached, target.query, head, bytes, body, exchange, &output)
  }

  /// Checks a request for a path of the state, and responds to it.
  private func respond(
    _ cached: CachedRoute, _ query: Query, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
    _ body: RequestBody, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    outcome.route = cached.metrics(in: routeMetrics)
    let request = try api.state.check(cached.resolvedPath, query, head, bytes)
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
    default: return try write(request, bytes.extracting(content), bytes.extracting(head.authority), exchange, &output)
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
  private func checkCapacity(_ output: inout ResponseWriter) throws(Problem) {
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
    _ request: StateRequest, _ body: Span<UInt8>, _ host: Span<UInt8>, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    // A write continues and needs memory after its client has disconnected, so writes are limited separately from
    // pending responses.
    if writes.count >= maximumPendingResponses { throw .tooManyPendingResponses }
    guard api.writeBudget.hasRoom(for: body.count) else { throw .tooManyPendingBytes }
    writes.willDecide()
    var pending: PendingResponse?
    // Moved into a local variable during the call: modifying the property in place would add exclusivity checks.
    var scratch = WriteScratch()
    swap(&scratch, &self.scratch)
    defer { swap(&scratch, &self.scratch) }
    guard var response = try api.state.write(request, body: body, host: host, in: &scratch, pending: &pending) else {
      if let pending { writes.add(pending, exchange) }
      return .later
    }
    if response.isSliced { return begin(response, exchange) }
    write(response, in: &scratch, to: &output)
    scratch.reuse(response.takeContent())
    return .complete
  }

  /// The published snapshot. The store's lock is taken only if the revision has changed.
  private var currentSnapshot: Snapshot<Root> {
    if let cachedSnapshot, cachedSnapshot.revision == api.state.store.revision { return cachedSnapshot }
    if cachedSnapshot == nil { context.schedule(after: 1_000, token: Self.snapshotReleaseToken) }
    let snapshot = api.state.store.snapshot
    cachedSnapshot = snapshot
    return snapshot
  }

  /// The timer token of releasing ``cachedSnapshot``. ``Streams`` uses other tokens.
  private static var snapshotReleaseToken: UInt64 { .max - 1 }

  func write(_ problem: Problem, to output: inout ResponseWriter) {
    outcome.problem = problem.kind
    problem.write(to: &output)
  }

  func write(_ response: Response, in scratch: inout WriteScratch, to output: inout ResponseWriter) {
    outcome.isUnchanged = response.changed == false
    response.write(to: &output, using: &scratch.templates)
  }
}

// MARK: Responses that are written later

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
    if let result = streams.produce(exchange, into: &output) { return result }
    output.setCommonFields(pendingResponses[exchange] ?? authenticator.commonFields)
    if let result = completedResponses.remove(exchange) {
      pendingResponses.remove(exchange)
      switch result {
      case .success(let response):
        if let chunked = response.chunked { return continueResponse(chunked, exchange, &output) }
        var scratch = WriteScratch()
        swap(&scratch, &self.scratch)
        defer { swap(&scratch, &self.scratch) }
        write(response, in: &scratch, to: &output)
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
        let route = CachedRoute(request.resolvedPath)
        if let response = try api.state.read(request, route, in: snapshot ?? currentSnapshot, into: &output) {
          return continueResponse(response, exchange, &output)
        }
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
    streams.close(exchange)
  }

  package func didReceiveWake() {
    // Writers get their responses before subscribers are notified.
    writes.completeDecided { exchange, makeResponse in complete(exchange, Result(catching: makeResponse)) }
    for (exchange, result) in mailbox.takeAll() { complete(exchange, result) }
    handleAccessChanges()
    streams.notifySubscribers()
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
    output.setCommonFields(authenticator.commonFields)
    Problem(rejection).write(to: &output)
  }
}

/// The facts about a request that metrics and the access log need besides its response.
struct RequestOutcome {
  /// The metrics of the route; nil if the path is outside the state.
  var route: RouteMetrics?
  /// The kind of problem that the response reports.
  var problem: ProblemKind?
  /// Indicates whether a write left the state unchanged.
  var isUnchanged = false
  /// Indicates whether the request is a long poll (`?wait=`).
  var isLongPoll = false
}
