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
  // Copies of what each request needs.
  let state: StateResource<Root>
  let basePath: BasePath
  private let writeBudget: Budget
  let maximumPendingResponses: Int
  /// Responses that other threads have completed.
  let mailbox = ExchangeMailbox<Result<Response, Problem>>()
  let streams: Streams<Root>
  let authenticator: Authenticator
  /// The principal of the request that is being handled.
  private(set) var caller = Principal.open
  /// The paths that clients read, each with what the last read has found, and those that they write. Few of these are
  /// cached, because resolving a path takes less time than fetching one that is in no cache of the processor.
  private let (readPaths, writtenPaths) = (StatePathCache(sets: 4096), StatePathCache(sets: 64))
  /// The template of the whole state, with those of the paths that this loop has resolved.
  private let templates: RouteTemplate
  /// The snapshot that was current when this loop last read the state. Released after a second, so that a loop that
  /// does not read keeps no old state in memory.
  var cachedSnapshot: Snapshot<Root>?
  let metrics: LoopMetrics
  let documentMetrics: DocumentRouteMetrics
  /// The access log, if there is one.
  let log: Logger?
  /// The outcome of the request that is being handled, for metrics and the access log.
  var outcome = RequestOutcome()
  /// Whether the head of the request that is being handled was accepted before its body had arrived.
  private var hasAwaitedBody = false
  /// The requests whose response has not ended.
  let exchanges: ExchangeTable
  /// Generates the ids of trace spans.
  var spanIDs = SpanIDGenerator()
  /// Writes that wait for the journal.
  let writes: PendingWrites<Root>
  /// Reads and streams that wait until this server has published the version that their clients have seen on another.
  let reads: PendingReads<Root>
  /// Buffers that are reused for each request.
  var scratch = Scratch()
  /// The requests for files; nil if no folder is served beside the state.
  let files: FileTransfers?

  package init(_ api: StateAPI<Root>, context: LoopContext) {
    let exchanges = ExchangeTable()
    self.api = api
    self.state = api.state
    self.writeBudget = api.writeBudget
    self.context = context
    self.exchanges = exchanges
    self.basePath = api.basePath
    self.metrics = api.metrics.loop()
    self.documentMetrics = DocumentRouteMetrics(api.fixedRouteTemplates, below: basePath, metrics)
    self.log = api.accessLog
    self.templates = RouteTemplate(api.state.root, metrics)
    let historyField = FieldLines { [text = api.state.store.history.text] in $0.field(.stateHistory, text) }
    self.authenticator = Authenticator(api.accessControl, historyField, context.handle)
    self.maximumPendingResponses = api.streamLimits.maximumPendingResponses
    self.files = api.files.map { FileTransfers($0, api.state.key, api.fileBudget, context.handle, exchanges) }
    self.writes = PendingWrites(api.state.store, api.writeBudget, context.handle)
    self.reads = PendingReads(api.state.store, context)
    self.streams = Streams(
      api.state, exchanges, api.watchBudget, context: context, limits: api.streamLimits, authenticator: authenticator,
      metrics: metrics.streams)
    context.recordsPeerAddresses = log != nil
  }

  package func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition {
    let trace = log != nil || request.contains(.traceparent) ? trace(request, bytes) : nil
    output.nextTrace = trace?.text
    outcome = RequestOutcome()
    let start = output.bytes.count
    let disposition = write(handle(request, bytes, body, exchange, &output), exchange, &output)
    if case .needsBody = disposition {
      output.nextTrace = nil
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
      trace: trace, path: log == nil ? "" : bytes.text(request.path))
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
  ) -> Reply {
    handleAccessChanges()
    authenticator.setFields(of: &output, for: request, bytes)
    let awaiting =
      switch body {
      case .none, .pending: nil as OpenExchange?
      case .complete, .tooLarge: exchanges.remove(exchange)
      }
    hasAwaitedBody = awaiting != nil
    let path = basePath.remainder(of: request.path, in: bytes)
    let sought = path ?? request.path
    do throws(Problem) {
      guard
        let principal = try authenticator.authenticate(
          request, sought, bytes, isPublic: { api.isPublic(request.method, sought, bytes) })
      else { return .response(Origins.preflightResponse(to: request, bytes)) }
      caller = principal
    } catch {
      guard error.kind == .unauthorized, let path, api.isProtectedPage(path, bytes), SignInPage.isWanted(request, bytes)
      else { return .problem(error) }
      outcome.problem = error.kind
      return .response(SignInPage.document.response(insteadOf: error))
    }
    if !api.middleware.isEmpty, let response = passMiddleware(request, sought, bytes, awaiting, &output) {
      return .response(response)
    }
    do throws(Problem) { return try route(request, path, bytes, body, exchange) } catch {
      // A hint repeats a short body. It is awaited, so that the response does not depend on how the bytes were split.
      if body == .pending, let length = request.skippableBodyLength, length <= CurlCommand.maximumBytes {
        return .needsBody
      }
      return .problem(advise(error, on: sentRequest(request, bytes, body)))
    }
  }

  /// Returns a problem with hints for the client that sent a request, and that is authenticated. Not inlined, because
  /// problems are rare.
  @inline(never)
  func advise(_ problem: Problem, on request: SentRequest) -> Problem {
    RequestGuide(api: api, snapshot: currentSnapshot, request: request).advise(problem)
  }

  /// Returns a copy of the parts of a request that hints depend on. Not inlined, because problems are rare.
  @inline(never)
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
  /// Calls the handler for the path of a request.
  ///
  /// - Parameter path: The range of the path after the base path, or nil if the path is outside the base path.
  private func route(
    _ head: borrowing RequestHead, _ path: Range<Int>?, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID
  ) throws(Problem) -> Reply {
    if case .asterisk = head.targetForm { return .response(serverOptions) }
    // Orchestrators and load balancers reach the server directly, not through the proxy that the base path is for.
    guard let path = path ?? (FixedPath.isProbe(head.path, bytes) ? head.path : nil) else {
      throw outsideBasePath(bytes.text(head.path))
    }
    if path.isEmpty, !basePath.isRoot { return .response(redirectToRoot(head, bytes)) }
    let sent = bytes.extracting(path)
    let hash = StatePathCache.Hash(of: sent)
    if let known = head.method.isSafe ? readPaths.find(sent, hash) : writtenPaths.find(sent, hash) {
      return try respond(known, head, bytes, body, exchange)
    }
    let paths = head.method.isSafe ? readPaths : writtenPaths
    if let (template, route) = state.resolve(plain: sent, templates) {
      return try respond(paths.add(sent, hash, route, template), head, bytes, body, exchange)
    }
    if api.hasEndpoints, let target = try? RequestTarget(path: bytes.slice(path)[...]) {
      let found = api.endpoints(at: target)
      if !found.isEmpty { return try endpoint(found, target, head, path, bytes, body, exchange) }
    }
    if let files, let target = api.fileTarget(path, bytes) {
      return try file(target, files, head, bytes, body, exchange)
    }
    let target = try RequestTarget(path: bytes.slice(path)[...])
    if target.isFolder { return try document(target, head, bytes, body) }
    switch target.segments.first {
    case StateResource<Root>.prefix?:
      let (template, route) = try state.resolve(Array(target.segments.dropFirst()), templates)
      return try respond(paths.add(sent, hash, route, template), head, bytes, body, exchange)
    case "events"? where target.segments.count == 1: return try events(head, bytes, body)
    case Self.sessionSegment? where target.segments.count == 1: return try session(head, bytes, body, exchange)
    case HistoryResource<Root>.segment?: return try history(target, head, bytes, body, exchange)
    default: return try document(target, head, bytes, body)
    }
  }

  /// Checks a request for a path of the state, and responds to it.
  private func respond(
    _ path: ResolvedPath, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ exchange: ExchangeID
  ) throws(Problem) -> Reply {
    outcome.route = path.metrics
    if case .none = body, !mayBeBehind(head), isPlainRead(head, bytes) {
      try checkCapacity()
      if let encoded = path.response(at: state.store.revision) { return .encoded(encoded, reusable: nil) }
      return try state.read(path, in: currentSnapshot, reusing: takeBuffer())
    }
    let request = try state.check(path, head, bytes, body)
    let missing = try missingVersions(head, bytes)
    guard let content = try bodyRange(body) else { return .needsBody }
    if request.wantsEvents { return try stream(request, head, bytes) }
    try checkCapacity()
    switch request.method {
    case .get, .head:
      let isNewest = request.preferences.readsNewest && state.store.isShared
      if !missing.isEmpty || isNewest {
        return try wait(for: missing, isNewest: isNewest, exchange) { [unowned self, caller] () throws(Problem) in
          if let poll = try longPoll(request, exchange, caller) { return .longPoll(poll) }
          return .completed(completionByReading(request), .version)
        }
      }
      if let poll = try longPoll(request, exchange, caller) { return .later(.longPoll(poll)) }
      return .response(try state.read(request, in: currentSnapshot))
    case .options: return .response(state.options(request))
    default: return try write(request, content, head, bytes, body, exchange)
    }
  }

  /// Returns whether a request is a plain `GET` or `HEAD` for the JSON of a value.
  private func isPlainRead(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    guard head.isPlain else { return false }
    switch head.method {
    case .get, .head: break
    default: return false
    }
    return if case .json? = ResponseFormat.preferred(head, bytes) { true } else { false }
  }

  /// Returns the range of the body, or nil if it must be awaited.
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

  /// Throws if the server is stopping, unless it had accepted the head of the request before its body, or if too many
  /// exchanges of a kind are open. Event streams have their own limit (``Streams/isFull``), because their clients
  /// reconnect by themselves.
  ///
  /// - Parameter kind: What the exchange will wait for; nil if its response can be written now.
  func checkCapacity(for kind: OpenExchange.Kind? = nil) throws(Problem) {
    if let kind, exchanges.count(of: kind) >= maximumPendingResponses { throw .tooManyPendingResponses }
    if streams.isDraining, !hasAwaitedBody { throw .stopping }
  }
}

// MARK: Reading and writing the state

extension APIResponder {
  private func write(
    _ request: StateRequest, _ content: Range<Int>, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
    _ body: RequestBody, _ exchange: ExchangeID
  ) throws(Problem) -> Reply {
    try checkCapacity(for: .commit)
    // A write continues and needs memory after its client has disconnected, so writes are limited separately from
    // the exchanges that wait for them.
    if writes.count >= maximumPendingResponses { throw .tooManyPendingResponses }
    guard writeBudget.hasRoom(for: content.count) else { throw .tooManyPendingBytes }
    writes.willDecide()
    var pending: PendingResponse?
    let keyed = request.idempotencyKey.map {
      KeyedRequest($0, head, bytes, body: content, state.key, now: authenticator.now)
    }
    // Moved into a local variable during the call: modifying the property in place would add exclusivity checks.
    var scratch = Scratch()
    swap(&scratch, &self.scratch)
    defer { swap(&scratch, &self.scratch) }
    guard
      let response = try state.write(
        request, body: bytes.extracting(content), authenticator.commitMetadata(of: caller), keyed, in: &scratch,
        pending: &pending)
    else {
      if pending?.repetition != nil {
        pending?.prepareRepetition(of: sentRequest(head, bytes, body)) { advise($0, on: $1) }
      } else if let rejection = pending?.rejection {
        pending?.rejection = advise(rejection, on: sentRequest(head, bytes, body))
      }
      if let pending { writes.add(pending, exchange) }
      return .later(.awaitingCommit)
    }
    return .response(response)
  }

  /// Takes the buffer for the JSON of a response. ``write(_:_:_:)`` returns it.
  private func takeBuffer() -> [UInt8] {
    var buffer: [UInt8] = []
    swap(&buffer, &scratch.jsonBuffer)
    return buffer
  }

  /// The published snapshot. The store's lock is taken only if the revision has changed.
  var currentSnapshot: Snapshot<Root> {
    if let cachedSnapshot, cachedSnapshot.revision == state.store.revision { return cachedSnapshot }
    if cachedSnapshot == nil { context.schedule(after: 1_000, token: Self.snapshotReleaseToken) }
    let snapshot = state.store.snapshot
    cachedSnapshot = snapshot
    return snapshot
  }

  /// The timer token of releasing ``cachedSnapshot``. ``Streams`` uses other tokens.
  static var snapshotReleaseToken: UInt64 { .max - 1 }
}

// MARK: Writing responses

/// The result of handling a request, before it is written as bytes.
enum Reply {
  case response(Response)
  /// A `200` response that is encoded already, and a buffer that can be reused.
  case encoded(PreparedContent, reusable: [UInt8]?)
  case problem(Problem)
  /// The body is needed.
  case needsBody
  /// The response follows later, from `produce`.
  case later(OpenExchange.State)
  /// An event stream of places.
  indirect case stream([WatchRequest], StreamOptions)
}

extension APIResponder {
  /// Writes what can be written at once.
  private func write(
    _ reply: consuming Reply, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) -> Disposition {
    switch consume reply {
    case .encoded(let content, let buffer):
      output.start(.ok)
      output.finish(content)
      reuse(buffer)
      return .complete
    case .response(var response):
      if response.isSliced { return begin(response, exchange, &output) }
      write(response, to: &output)
      reuse(response.takeJSON())
      return .complete
    case .problem(let problem):
      write(problem, to: &output)
      return .complete
    case .needsBody:
      exchanges[exchange] = OpenExchange(state: .awaitingBody, fields: output.commonFields)
      return .needsBody
    case .later(let state):
      let disposition = state.endsWithClient ? Disposition.abandonable : .later
      exchanges[exchange] = OpenExchange(state: state, fields: output.commonFields)
      return disposition
    case .stream(let places, let options): return open(places, options, exchange, &output)
    }
  }

  /// Keeps a buffer whose content has been written.
  private func reuse(_ content: consuming [UInt8]?) {
    guard var content, content.count <= Scratch.maximumReusedBytes else { return }
    swap(&content, &scratch.jsonBuffer)
  }

  func write(_ problem: Problem, to output: inout ResponseWriter) {
    outcome.problem = problem.kind
    problem.response(basePath).write(to: &output)
  }

  func write(_ response: borrowing Response, to output: inout ResponseWriter) {
    outcome.isUnchanged = response.changed == false
    response.write(to: &output)
  }
}
