import BinderyCore
import BinderyHTTP
import BinderyTelemetry

/// The open event streams and long polls of one event loop. Confined to the loop.
///
/// A change is delivered in these steps:
/// 1. The store publishes a snapshot and wakes the loop, which calls ``notifySubscribers()``.
/// 2. The registry compares the snapshot with the previous one and returns the subscribers of the changed places.
/// 3. The subscribers are marked ready. The loop calls ``produce(_:into:)`` for each whose socket accepts bytes.
/// 4. The stream writes one event with the content that is current then. A long event is written in pieces, each when
///    the client has taken the one before.
final class Streams<Root: Sendable> {
  let watches: WatchRegistry<Root>
  let context: LoopContext
  let limits: StreamLimits
  let metrics: StreamMetrics
  private let authenticator: Authenticator
  let exchanges: ExchangeTable
  /// Counts the places of the streams of all event loops.
  private let budget: Budget
  /// The streams and long polls of each session, so that the end of a session does not visit all others.
  private var exchangesBySession: [Session: Set<ExchangeID>] = [:]
  private var deadlines = DeadlineTable()
  var held = HeldSlices()
  /// The streams that wait until fewer bytes are held, in order. Closed streams are skipped.
  var deferred = ReadyList()
  /// The number of streams that were taken from ``deferred`` and have not been called since.
  var wokenCount = 0
  /// The number of heartbeat groups. One group receives heartbeats each second, so that the work is spread evenly.
  private let heartbeatGroupCount: Int
  private var heartbeatGroup = 0
  private var isHeartbeatScheduled = false
  /// The number of long polls that wait.
  private var longPollCount = 0
  /// The number of notification rounds. It distinguishes several changed places of one commit from several commits.
  private var round = 0
  private(set) var isDraining = false

  init(
    _ state: StateResource<Root>, _ exchanges: ExchangeTable, _ budget: Budget, context: LoopContext,
    limits: StreamLimits, authenticator: Authenticator, metrics: StreamMetrics
  ) {
    self.budget = budget
    self.exchanges = exchanges
    self.authenticator = authenticator
    self.watches = WatchRegistry(state, context: context)
    self.context = context
    self.limits = limits
    self.metrics = metrics
    self.heartbeatGroupCount = max(1, Int(limits.heartbeatMilliseconds / 1_000))
  }

  /// Returns whether another stream may be opened. None may if the server is stopping.
  ///
  /// - Parameter requests: The places of the new stream.
  func hasCapacity(for requests: [WatchRequest]) -> Bool {
    !isDraining && exchanges.count(of: .stream) < limits.maximumStreams
      && budget.hasRoom(for: Self.placeCount(of: requests))
  }

  /// Returns the number of places that requests count as. A long path occupies as much memory as several short ones.
  private static func placeCount(of requests: [WatchRequest]) -> Int {
    requests.reduce(0) { $0 + 1 + $1.path.utf8.count / 128 }
  }

  // MARK: - Opening

  /// Opens a stream whose response head is written, and writes its first event if the client is not up to date.
  func open(
    _ requests: [WatchRequest], _ options: StreamOptions, _ exchange: ExchangeID, _ principal: Principal,
    into output: inout ResponseWriter
  ) {
    markReady(watches.catchUp())
    let places = watches.watch(requests.map(\.route), exchange)
    let stream = EventStream(
      kind(places, requests, options), minimumIntervalMilliseconds: options.minimumIntervalMilliseconds, principal)
    stream.isBehind = !options.missing.isEmpty
    stream.lease = Budget.Lease(budget, Self.placeCount(of: requests))
    exchanges[exchange] = OpenExchange(state: .stream(stream))
    if case .session(let session) = principal { exchangesBySession[session, default: []].insert(exchange) }
    metrics.opened.add()
    updateGauges()
    startHeartbeats()
    output.chunk(PreparedChunk(EventFrame.retry(milliseconds: Int.random(in: limits.retryMilliseconds))))
    if writeEvent(of: stream, exchange, into: &output) { context.markReady(exchange) }
  }

  private func kind(
    _ places: [WatchedPlace], _ requests: [WatchRequest], _ options: StreamOptions
  ) -> EventStream.Kind {
    let cursor = options.cursor
    switch options.form {
    case .values:
      return .values(places[0], sent: cursor.flatMap(PlaceContent.init(cursor:)))
    case .patches(let addressing):
      // Patches continue from the value of the cursor only if it is still current; `restoreBase` then sets the base.
      return .patches(places[0], addressing, sent: cursor.flatMap(PlaceContent.init(cursor:)), base: nil)
    case .multiple(let list):
      let entries = zip(places, requests).map(EventStream.Entry.init)
      guard let known = cursor.flatMap(SnapshotCursor.init(text:)), known.list == list,
        known.places.count == places.count
      else { return .multiple(entries, sent: requests.map(\.known), list: list) }
      return .multiple(entries, sent: known.places, list: list)
    }
  }

  /// Begins a long poll, which ends when its place differs from the request's condition or its time is over.
  ///
  /// - Returns: nil if the response can be written now.
  func wait(
    _ request: StateRequest, milliseconds: Int64, _ exchange: ExchangeID, _ principal: Principal
  ) -> LongPoll? {
    markReady(watches.catchUp())
    let place = watches.watch([request.route], exchange)[0]
    let (content, conditions) = (place.content, request.conditions)
    guard case .value(let digest) = content, conditions.ifMatchHolds(digest), !conditions.ifNoneMatchHolds(digest),
      !isDraining
    else {
      watches.unsubscribe(place, exchange)
      return nil
    }
    let deadline = context.nowMilliseconds + milliseconds
    let tick = deadlines.insert(exchange, at: deadline, context)
    if case .session(let session) = principal {
      exchangesBySession[session, default: []].insert(exchange)
      startHeartbeats()
    }
    longPollCount += 1
    updateGauges()
    return LongPoll(request, place, deadline: deadline, tick: tick, principal)
  }

  // MARK: - Notifying

  /// Marks the subscribers of all places that changed since the last call. Called after the store has published.
  func notifySubscribers() { markReady(watches.catchUp()) }

  private func markReady(_ subscribers: [SubscriberID]) {
    if subscribers.isEmpty { return }
    round += 1
    var ready: [ExchangeID] = []
    for subscriber in subscribers {
      guard let stream = exchanges.stream(subscriber) else {
        context.markReady(subscriber)
        continue
      }
      if stream.staleSince == nil {
        stream.staleSince = context.nowMilliseconds
      } else if stream.lastRound != round {
        metrics.coalesced.add()
      }
      stream.lastRound = round
      // A stream of several places is in the list once for each place that changed.
      if stream.isMarkedReady { continue }
      stream.isMarkedReady = true
      ready.append(subscriber)
    }
    context.markStreamsReady(ready)
  }

  /// Lets a stream send its first value, because this server has reached what its client has seen.
  func didReachVersion(_ stream: EventStream, _ exchange: ExchangeID) {
    notifySubscribers()
    stream.isBehind = false
    context.markReady(exchange)
  }

  /// Writes the pending event and heartbeat of a stream, or the next piece of a long event.
  func produce(_ stream: EventStream, _ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult {
    stream.isMarkedReady = false
    defer { if stream.isWoken { didUseRoom(stream) } }
    if let revocation = stream.revocation {
      // In the middle of an event, the connection just closes: a client discards an incomplete event.
      if !stream.isInsideEvent { output.chunk(EventFrame.cancel(revocation)) }
      metrics.cancelled.add()
      close(stream, exchange)
      return .close
    }
    switch continueEvent(of: stream, exchange, into: &output) {
    case .none: break
    case .more: return .more
    case .waits: return .idle
    }
    if isDraining {
      output.chunk(PreparedChunk(EventFrame.retry(milliseconds: Int.random(in: limits.stopRetryMilliseconds))))
      close(stream, exchange)
      return .close
    }
    let delay = stream.lastEventMilliseconds + stream.minimumIntervalMilliseconds - context.nowMilliseconds
    if delay <= 0 {
      if writeEvent(of: stream, exchange, into: &output) {
        _ = continueEvent(of: stream, exchange, into: &output)
        return .more
      }
    } else if stream.isStale, stream.deadlineTick == nil {
      stream.deadlineTick = deadlines.insert(exchange, at: context.nowMilliseconds + delay, context)
    }
    if stream.wantsHeartbeat {
      stream.wantsHeartbeat = false
      output.chunk(EventFrame.heartbeat)
    }
    return .idle
  }

  /// Writes the event that brings a client up to date, or begins it if it is long.
  ///
  /// - Returns: Whether ``continueEvent(of:_:into:)`` writes the event.
  private func writeEvent(
    of stream: EventStream, _ exchange: ExchangeID, into output: inout ResponseWriter
  ) -> Bool {
    if stream.isDeferred, !hasRoom { return false }
    stream.restoreBase()
    guard
      let (event, kindAfter) = stream.nextEvent(
        watches.version, maximumBytes: limits.maximumSnapshotBytes)
    else {
      stream.staleSince = nil
      return false
    }
    if event.needsMemory, !hasRoom {
      putOff(stream, exchange)
      return false
    }
    stream.sent(kindAfter)
    stream.isDeferred = false
    stream.staleSince = nil
    stream.lastEventMilliseconds = context.nowMilliseconds
    metrics.events.add()
    guard case .frame(let frame) = event else {
      stream.outgoing = event
      stream.heldVersion = holdVersion()
      return true
    }
    output.chunk(frame)
    return false
  }

  /// Ends a long poll if its credential is no longer valid, its place differs, its time has expired, or the server is
  /// stopping.
  ///
  /// - Returns: nil if the request must wait longer.
  func end(_ poll: LongPoll, _ exchange: ExchangeID) -> LongPoll.End<Root>? {
    if let revocation = poll.revocation {
      close(poll, exchange)
      return .revoked(revocation)
    }
    let isOver = isDraining || context.nowMilliseconds >= poll.deadline
    if !isOver, case .value(let digest) = poll.place.content, !poll.request.conditions.ifNoneMatchHolds(digest) {
      return nil
    }
    let version = watches.snapshot
    close(poll, exchange)
    return .over(version)
  }

  // MARK: - Revoking

  /// Checks the credentials of all streams and long polls after the tokens have changed, and marks those that are no
  /// longer valid, so that they end.
  ///
  /// - Complexity: O(number of streams and long polls).
  func reauthenticate() {
    for (exchange, state) in exchanges.entries() {
      switch state {
      case .stream(let stream): reauthenticate(exchange, stream.principal)
      case .longPoll(let poll): reauthenticate(exchange, poll.principal)
      default: continue
      }
    }
  }

  /// Ends the streams and long polls of a session.
  ///
  /// - Complexity: O(number of its streams and long polls).
  func end(_ session: Session) {
    for exchange in exchangesBySession[session] ?? [] { reauthenticate(exchange, .session(session)) }
  }

  private func reauthenticate(_ exchange: ExchangeID, _ principal: Principal) {
    guard let revocation = authenticator.revocation(of: principal) else { return }
    switch exchanges[exchange]?.state {
    case .stream(let stream)?: stream.revocation = revocation
    case .longPoll(let poll)?: poll.revocation = revocation
    default: return
    }
    context.markReady(exchange)
  }

  // MARK: - Closing

  /// Removes a stream.
  func close(_ stream: EventStream, _ exchange: ExchangeID) {
    exchanges.remove(exchange)
    abandonEvent(of: stream)
    for place in stream.places { watches.unsubscribe(place, exchange) }
    stream.lease = nil
    if let tick = stream.deadlineTick { deadlines.remove(exchange, from: tick) }
    forget(exchange, of: stream.principal)
    updateGauges()
  }

  /// Ends the waiting of a long poll.
  func close(_ poll: LongPoll, _ exchange: ExchangeID) {
    watches.unsubscribe(poll.place, exchange)
    deadlines.remove(exchange, from: poll.deadlineTick)
    forget(exchange, of: poll.principal)
    longPollCount -= 1
    updateGauges()
  }

  private func forget(_ exchange: ExchangeID, of principal: Principal) {
    guard case .session(let session) = principal else { return }
    exchangesBySession[session]?.remove(exchange)
    if exchangesBySession[session]?.isEmpty ?? false { exchangesBySession[session] = nil }
  }

  private func updateGauges() {
    metrics.open.value = exchanges.count(of: .stream)
    metrics.waits.value = longPollCount
    metrics.places.value = watches.placeCount
  }

  /// Ends all streams and long polls. Streams receive a longer reconnection time first.
  func drain() {
    isDraining = true
    for (exchange, state) in exchanges.entries() {
      switch state {
      case .stream, .longPoll: context.markReady(exchange)
      default: continue
      }
    }
  }

  // MARK: - Timers

  /// Handles a timer: sends heartbeats and ends expired sessions, or marks the exchanges whose deadline has expired.
  func timerFired(_ token: UInt64) {
    guard token != Self.heartbeatToken else { return sendHeartbeats() }
    for exchange in deadlines.takeExpired(token: token) {
      exchanges.stream(exchange)?.deadlineTick = nil
      context.markReady(exchange)
    }
  }

  /// The timer token of heartbeats. The tokens of deadlines are ticks, which are much smaller.
  private static var heartbeatToken: UInt64 { .max }

  func startHeartbeats() {
    guard !isHeartbeatScheduled else { return }
    isHeartbeatScheduled = true
    context.schedule(after: 1_000, token: Self.heartbeatToken)
  }

  private func sendHeartbeats() {
    heartbeatGroup = (heartbeatGroup + 1) % heartbeatGroupCount
    var ready: [ExchangeID] = []
    for (exchange, state) in exchanges.entries(from: heartbeatGroup, by: heartbeatGroupCount) {
      guard case .stream(let stream) = state else { continue }
      stream.wantsHeartbeat = true
      ready.append(exchange)
    }
    // Sessions expire without a change of the access rules.
    for session in exchangesBySession.keys where authenticator.revocation(of: .session(session)) != nil { end(session) }
    context.markStreamsReady(ready)
    dropOldBases()
    releaseOldVersions()
    endSlowEvents()
    isHeartbeatScheduled =
      exchanges.count(of: .stream) + exchanges.count(of: .longResponse) > 0 || !exchangesBySession.isEmpty
    if isHeartbeatScheduled { context.schedule(after: 1_000, token: Self.heartbeatToken) }
  }

  /// Releases the patch bases of clients that have not read for a long time, or that are too many.
  ///
  /// A base keeps a part of an old snapshot alive. Without it, the client receives a complete value next.
  private func dropOldBases() {
    var baseCount = 0
    for (_, state) in exchanges.entries() {
      guard case .stream(let stream) = state, case .patches(_, _, _, .some) = stream.kind, let since = stream.staleSince
      else { continue }
      baseCount += 1
      if baseCount > limits.maximumPatchBases || context.nowMilliseconds - since >= limits.patchBaseMilliseconds {
        stream.dropBase()
      }
    }
  }
}
