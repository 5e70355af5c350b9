package import BinderyCore
package import BinderyHTTP
import Synchronization

/// Answers the requests of one event loop.
package final class APIResponder<Root: Model>: Responder {
  let api: StateAPI<Root>
  let context: LoopContext
  /// Answers that other threads have made.
  private let mailbox = Mailbox()
  let streams: Streams<Root>
  let authenticator: Authenticator
  /// What let in the request that is being answered.
  private(set) var caller = Principal.open
  private let places = RouteCache()
  private let requests = KnownRequests()
  private let routes: StateRouteMetrics
  private var lastSeen: Snapshot<Root>
  let metrics: LoopMetrics
  /// Of the request that is being answered.
  var outcome = RequestOutcome()
  /// Writes that wait for the journal.
  private let writes: PendingWrites<Root>
  /// Lent to one write after the other.
  private var room = WriteScratch()
  /// Answers that their exchanges have yet to take.
  private let finished = ExchangeTable<Result<Response, Problem>>()
  /// Exchanges that will be answered later, with the fields that their answers have beside their own: an answer to any
  /// other comes too late.
  private let unanswered = ExchangeTable<FieldLines>()
  /// The most of them, and the most writes; asked for with each request.
  private let mostUnanswered: Int
  /// Answers of which a part is still to be written.
  let chunkedResponses = ExchangeTable<ChunkedResponse>()

  package init(_ api: StateAPI<Root>, context: LoopContext) {
    self.api = api
    self.context = context
    self.lastSeen = api.state.store.snapshot
    self.metrics = api.metrics.loop()
    self.routes = StateRouteMetrics(metrics, below: api.state.root.target)
    self.authenticator = Authenticator(api.accessControl, context.handle)
    self.mostUnanswered = api.streamLimits.unanswered
    self.writes = PendingWrites(api.state.store, context.handle)
    self.streams = Streams(
      api.state, context: context, limits: api.streamLimits, authenticator: authenticator, metrics: metrics.streams)
  }

  package func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition {
    if authenticator.refresh() { streams.reauthenticate() }
    authenticator.setFields(of: &output, for: request, bytes)
    do throws(Problem) {
      if try authenticate(request, bytes, &output) { return .complete }
      let answer = try answer(request, bytes, body, exchange, &output)
      if case .later = answer { unanswered[exchange] = output.common }
      return answer
    } catch {
      write(error, to: &output)
      return .complete
    }
  }

  /// Lets a request in, or refuses it; true where it asked nothing more than what it may.
  private func authenticate(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ output: inout ResponseWriter
  ) throws(Problem) -> Bool {
    let path = head.path
    // A balancer may ask for a machine's health by its address.
    let isProbe = bytes.holds(FixedPath.livez, at: path) || bytes.holds(FixedPath.readyz, at: path)
    if !isProbe { try authenticator.checkHost(head, bytes) }
    if authenticator.isAllowedPreflight(head, bytes) {
      Origins.answerPreflight(&output)
      return true
    }
    caller = try authenticator.admit(
      head, bytes, isForAll: { api.isForAll(path, bytes) }, changesNothing: { bytes.holds(FixedPath.session, at: path) }
    )
    return false
  }

  private func answer(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    if let known = requests.find(head) {
      return try state(known.place, known.request, head, bytes, body, exchange, &output)
    }
    if case .asterisk = head.targetForm { return serverOptions(&output) }
    if let place = places.find(head.path, in: bytes) {
      return try state(place, try Query(head.query, in: bytes), head, bytes, body, exchange, &output)
    }
    if let address = api.state.resolve(plain: bytes.extracting(head.path)) {
      let place = places.remember(address, at: head.path, in: bytes)
      return try state(place, try Query(head.query, in: bytes), head, bytes, body, exchange, &output)
    }
    let target = try RequestTarget(path: bytes.slice(head.path)[...], query: head.query.map { bytes.slice($0)[...] })
    guard target.segments.first == StateResource<Root>.prefix else {
      switch target.segments.first {
      case "events"? where target.segments.count == 1:
        guard try content(body) != nil else { return .needsBody }
        return try events(target, head, bytes, exchange, &output)
      case Self.sessionSegment? where target.segments.count == 1: return try session(head, bytes, body, &output)
      case HistoryResource<Root>.segment?: return try history(target, head, bytes, body, exchange, &output)
      default: return try document(target, head, bytes, body, &output)
      }
    }
    let place = places.remember(try api.state.resolve(target), at: head.path, in: bytes)
    return try state(place, target.query, head, bytes, body, exchange, &output)
  }

  /// A request for a place of the state.
  private func state(
    _ place: CachedRoute, _ query: Query, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
    _ body: RequestBody, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    outcome.route = place.metrics(in: routes)
    let request = try api.state.check(place.address, query, head, bytes)
    requests.remember(request, at: place, head)
    return try state(place, request, head, bytes, body, exchange, &output)
  }

  /// - Parameter request: as it was checked.
  private func state(
    _ place: CachedRoute, _ request: StateRequest, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
    _ body: RequestBody, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    outcome.route = place.metrics(in: routes)
    if case .none = body, request.isPlain, let answer = place.answer(at: api.state.store.revision) {
      try mustNotBeOverloaded(&output)
      output.start(.ok)
      output.finish(answer)
      return .complete
    }
    guard let content = try content(body) else { return .needsBody }
    if request.wantsEvents { return try stream(request, head, bytes, exchange, &output) }
    try mustNotBeOverloaded(&output)
    switch request.method {
    case .get, .head: return try read(request, place, exchange, &output)
    case .options:
      api.state.options(request).write(to: &output)
      return .complete
    default: return try write(request, bytes.extracting(content), bytes.extracting(head.authority), exchange, &output)
    }
  }

  private func read(
    _ request: StateRequest, _ place: CachedRoute, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    outcome.isLongPoll = try wait(request, exchange)
    if outcome.isLongPoll { return .later }
    if let long = try api.state.read(request, place, in: newest, into: &output) { return begin(long, exchange) }
    return .complete
  }

  private func write(
    _ request: StateRequest, _ body: Span<UInt8>, _ host: Span<UInt8>, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    try mustHaveRoomForWrite()
    writes.begin()
    var pending: PendingAnswer?
    // Taken out meanwhile: were the property changed in place, it would be checked for exclusive access.
    var room = WriteScratch()
    swap(&room, &self.room)
    defer { swap(&room, &self.room) }
    guard var response = try api.state.write(request, body: body, host: host, in: &room, pending: &pending) else {
      if let pending { writes.add(pending, exchange) }
      return .later
    }
    if response.isLong { return begin(response, exchange) }
    write(response, in: &room, to: &output)
    room.takeBack(response.takeContent())
    return .complete
  }

  /// The newest version; the store's lock is taken only when there is another one.
  private var newest: Snapshot<Root> {
    if api.state.store.revision != lastSeen.revision { lastSeen = api.state.store.snapshot }
    return lastSeen
  }

  /// A server that stops, or has too many answers to give, takes no more work: streams come back by themselves
  /// (``Streams/isFull``), others are told when to.
  private func mustNotBeOverloaded(_ output: inout ResponseWriter) throws(Problem) {
    guard streams.isDraining || unanswered.count >= mostUnanswered else { return }
    if streams.isDraining { output.closeAfterwards() }
    throw Problem(.unavailable, streams.isDraining ? "The server is stopping." : Self.tooMany)
  }

  private static var tooMany: String { "Too many requests wait for answers." }

  /// A write is carried on when its peer has left, and takes room until it is kept.
  private func mustHaveRoomForWrite() throws(Problem) {
    if writes.count >= mostUnanswered { throw Problem(.unavailable, Self.tooMany) }
  }

  /// Takes an answer on any thread, and wakes the loop to give it.
  func letter(_ exchange: ExchangeID) -> @Sendable (Result<Response, Problem>) -> Void {
    let mail = mailbox
    let handle = context.handle
    return { result in
      mail.put(exchange, result)
      handle.wake()
    }
  }

  /// Where the body stands; nil where it has yet to be asked for.
  func content(_ body: RequestBody) throws(Problem) -> Range<Int>? {
    switch body {
    case .none: 0..<0
    case .complete(let range): range
    case .pending: nil
    case .tooLarge: throw Problem(.contentTooLarge, "The body is larger than this server takes.")
    }
  }

  private func document(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    let document = try api.document(target, isTrusted: caller.isTrusted, isStopping: streams.isDraining)
    let allow = "GET, HEAD, OPTIONS"
    switch head.method {
    case .get, .head:
      if body == .tooLarge { throw Problem(.contentTooLarge, "The body is larger than this server takes.") }
      if body == .pending { return .needsBody }
      try document.write(to: &output, key: api.state.key, known: Conditions(head, bytes))
    case .options:
      var response = Response(.noContent)
      response.say(.allow, allow)
      response.write(to: &output)
    default:
      throw Problem(.methodNotAllowed, "\(head.method.name) is not allowed here.").with { $0.allow = allow }
    }
    return .complete
  }

  /// `OPTIONS *`: what the server as a whole can do (RFC 9110 §9.3.7).
  private func serverOptions(_ output: inout ResponseWriter) -> Disposition {
    var response = Response(.noContent)
    response.say(.allow, "GET, HEAD, PATCH, PUT, POST, DELETE, OPTIONS")
    response.say(.acceptPatch, MediaType.patch)
    response.write(to: &output)
    return .complete
  }

  package func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult {
    if let production = streams.produce(exchange, into: &output) { return production }
    output.setCommon(unanswered[exchange] ?? authenticator.usualFields)
    if let result = finished.remove(exchange) {
      unanswered.remove(exchange)
      switch result {
      case .success(let response):
        if let long = response.long { return goOn(long, exchange, &output) }
        var room = WriteScratch()
        swap(&room, &self.room)
        defer { swap(&room, &self.room) }
        write(response, in: &room, to: &output)
      case .failure(let problem): write(problem, to: &output)
      }
      return .finished
    }
    if let answer = chunkedResponses.remove(exchange) {
      // Once it has begun, nobody waits for it any more.
      unanswered[exchange] = nil
      return goOn(answer, exchange, &output)
    }
    if let revocation = streams.takeRevocation(exchange) {
      unanswered[exchange] = nil
      write(revocation.problem, to: &output)
      return .finished
    }
    if let (request, version) = streams.takeWait(exchange) {
      unanswered[exchange] = nil
      do throws(Problem) {
        let place = CachedRoute(request.address)
        if let long = try api.state.read(request, place, in: version ?? newest, into: &output) {
          return goOn(long, exchange, &output)
        }
      } catch {
        write(error, to: &output)
      }
      return .finished
    }
    return .idle
  }

  package func ended(_ exchange: ExchangeID) {
    finished.remove(exchange)
    unanswered.remove(exchange)
    chunkedResponses.remove(exchange)
    streams.close(exchange)
  }

  package func woken() {
    // Writers are answered before the fan-out begins.
    writes.settle { exchange, answer in finish(exchange, Result(catching: answer)) }
    for (exchange, result) in mailbox.takeAll() { finish(exchange, result) }
    if authenticator.refresh() { streams.reauthenticate() }
    streams.published()
  }

  /// Has an exchange take its answer, if it is still there.
  private func finish(_ exchange: ExchangeID, _ result: @autoclosure () -> Result<Response, Problem>) {
    guard unanswered[exchange] != nil else { return }
    // Made now: a peer that does not take its answer is not to keep a version of the state alive.
    finished[exchange] = result()
    context.markReady(exchange)
  }

  package func turnEnds() { writes.nudge() }

  package func elapsed(_ token: UInt64) { streams.elapsed(token) }

  package func draining() { streams.drain() }

  package func refuse(_ rejection: Rejection, into output: inout ResponseWriter) {
    output.setCommon(authenticator.usualFields)
    Problem(rejection).write(to: &output)
  }
}

/// Where other threads leave answers for a loop.
private final class Mailbox: Sendable {
  /// Guards the answers that wait; held only to put and to take.
  private let letters = Mutex<[(ExchangeID, Result<Response, Problem>)]>([])

  func put(_ exchange: ExchangeID, _ result: Result<Response, Problem>) {
    letters.withLock { $0.append((exchange, result)) }
  }

  func takeAll() -> [(ExchangeID, Result<Response, Problem>)] {
    letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }
}
