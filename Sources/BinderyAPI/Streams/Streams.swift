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
  private let watches: WatchRegistry<Root>
  private let context: LoopContext
  private let limits: StreamLimits
  private let metrics: StreamMetrics
  private let authenticator: Authenticator
  private let streams = ExchangeTable<EventStream>()
  /// The long polls.
  private let waits = ExchangeTable<Wait>()
  /// The streams and long polls of each session, so that the end of a session does not visit all others.
  private var exchangesBySession: [Session: Set<ExchangeID>] = [:]
  private var deadlines = DeadlineTable()
  /// The bytes that streams hold in long events whose last piece their client has not taken.
  private var heldBytes = 0
  /// The streams that wait until fewer bytes are held, in order. Closed streams are skipped.
  private var deferred = ReadyList()
  /// The number of heartbeat groups. One group receives heartbeats each second, so that the work is spread evenly.
  private let heartbeatGroupCount: Int
  private var heartbeatGroup = 0
  private var isHeartbeatScheduled = false
  /// The number of notification rounds. It distinguishes several changed places of one commit from several commits.
  private var round = 0
  private(set) var isDraining = false

  /// A long poll.
  struct Wait {
    let request: StateRequest
    let place: WatchedPlace
    /// The time of the response if nothing changes, on the event loop's clock in milliseconds.
    let deadline: Int64
    let deadlineTick: Int64
    /// The credential of the client.
    let principal: Principal
    /// The reason why the credential is no longer valid; nil while it is valid.
    var revocation: Revocation?
  }

  init(
    _ state: StateResource<Root>, context: LoopContext, limits: StreamLimits, authenticator: Authenticator,
    metrics: StreamMetrics
  ) {
    self.authenticator = authenticator
    self.watches = WatchRegistry(state, context: context)
    self.context = context
    self.limits = limits
    self.metrics = metrics
    self.heartbeatGroupCount = max(1, Int(limits.heartbeatMilliseconds / 1_000))
  }

  /// Whether new streams are refused because there are too many or the server is stopping.
  var isFull: Bool { isDraining || streams.count >= limits.maximumStreams }

  // MARK: - Opening

  /// Opens a stream whose response head is written, and writes its first event if the client is not up to date.
  func open(
    _ routes: [(route: Route, path: String)], _ options: StreamOptions, _ exchange: ExchangeID, _ principal: Principal,
    into output: inout ResponseWriter
  ) {
    markReady(watches.catchUp())
    let places = routes.map { watches.watch($0.route, exchange) }
    let stream = EventStream(
      kind(places, routes.map(\.path), options), minimumIntervalMilliseconds: options.minimumIntervalMilliseconds,
      principal)
    streams[exchange] = stream
    if case .session(let session) = principal { exchangesBySession[session, default: []].insert(exchange) }
    metrics.opened.add()
    updateGauges()
    startHeartbeats()
    output.chunk(PreparedChunk(EventFrame.retry(milliseconds: Int.random(in: limits.retryMilliseconds))))
    if writeEvent(of: stream, exchange, into: &output) { context.markReady(exchange) }
  }

  private func kind(_ places: [WatchedPlace], _ paths: [String], _ options: StreamOptions) -> EventStream.Kind {
    let cursor = options.cursor
    switch options.form {
    case .values:
      return .values(places[0], sent: cursor.flatMap(WatchedPlace.Content.init(cursor:)))
    case .patches(let addressing):
      // Patches continue from the value of the cursor only if it is still current; `restoreBase` then sets the base.
      return .patches(places[0], addressing, sent: cursor.flatMap(WatchedPlace.Content.init(cursor:)), base: nil)
    case .multiple(let list):
      guard let known = cursor.flatMap(SnapshotCursor.init(text:)), known.list == list,
        known.places.count == places.count
      else { return .multiple(places, paths: paths, sent: places.map { _ in nil }, list: list) }
      return .multiple(places, paths: paths, sent: known.places, list: list)
    }
  }

  /// Begins a long poll, which ends when its place differs from the request's condition or its time is over.
  ///
  /// - Returns: Whether the request waits; false if the response can be written now.
  func wait(_ request: StateRequest, milliseconds: Int64, _ exchange: ExchangeID, _ principal: Principal) -> Bool {
    markReady(watches.catchUp())
    let place = watches.watch(request.route, exchange)
    guard case .value(let digest) = place.content, !request.conditions.ifNoneMatchHolds(digest), !isDraining else {
      watches.unsubscribe(place, exchange)
      return false
    }
    let deadline = context.nowMilliseconds + milliseconds
    let tick = deadlines.insert(exchange, at: deadline, context)
    defer { updateGauges() }
    waits[exchange] = Wait(
      request: request, place: place, deadline: deadline, deadlineTick: tick, principal: principal)
    if case .session(let session) = principal { exchangesBySession[session, default: []].insert(exchange) }
    return true
  }

  // MARK: - Notifying

  /// Marks the subscribers of all places that changed since the last call. Called after the store has published.
  func notifySubscribers() { markReady(watches.catchUp()) }

  private func markReady(_ subscribers: [SubscriberID]) {
    if subscribers.isEmpty { return }
    round += 1
    var ready: [ExchangeID] = []
    for subscriber in subscribers {
      guard let stream = streams[subscriber] else {
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

  /// Writes the pending event and heartbeat of a stream, or the next piece of a long event.
  ///
  /// - Returns: nil if the exchange is not a stream.
  func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult? {
    guard let stream = streams[exchange] else { return nil }
    stream.isMarkedReady = false
    if let revocation = stream.revocation {
      // In the middle of an event, the connection just closes: a client discards an incomplete event.
      if !stream.isInsideEvent { output.chunk(EventFrame.cancel(revocation)) }
      metrics.cancelled.add()
      close(exchange)
      return .close
    }
    if continueEvent(of: stream, into: &output) { return .more }
    if isDraining {
      output.chunk(PreparedChunk(EventFrame.retry(milliseconds: Int.random(in: limits.stopRetryMilliseconds))))
      close(exchange)
      return .close
    }
    let delay = stream.lastEventMilliseconds + stream.minimumIntervalMilliseconds - context.nowMilliseconds
    if delay <= 0 {
      if writeEvent(of: stream, exchange, into: &output) { return .more }
    } else if stream.isStale, stream.deadlineTick == nil {
      stream.deadlineTick = deadlines.insert(exchange, at: context.nowMilliseconds + delay, context)
    }
    if stream.wantsHeartbeat {
      stream.wantsHeartbeat = false
      output.chunk(EventFrame.heartbeat)
    }
    return .idle
  }

  /// Writes the event that brings a client up to date, or its first piece.
  ///
  /// - Returns: Whether ``continueEvent(of:into:)`` must be called when the written bytes have been sent.
  private func writeEvent(
    of stream: EventStream, _ exchange: ExchangeID, into output: inout ResponseWriter
  ) -> Bool {
    if stream.isDeferred, heldBytes >= limits.maximumUnreadBytes { return false }
    stream.restoreBase()
    guard
      let (event, kindAfter) = stream.nextEvent(
        watches.version, maximumBytes: limits.maximumSnapshotBytes)
    else {
      stream.staleSince = nil
      return false
    }
    if !event.isShort, heldBytes >= limits.maximumUnreadBytes {
      stream.isDeferred = true
      deferred.append(exchange)
      return false
    }
    stream.sent(kindAfter)
    stream.isDeferred = false
    stream.staleSince = nil
    stream.lastEventMilliseconds = context.nowMilliseconds
    metrics.events.add()
    switch event {
    case .frame(let frame):
      output.chunk(frame)
      return false
    case .long(let event): setOutgoing(.event(event), of: stream)
    case .unmeasured(let snapshot): setOutgoing(.unmeasured(snapshot), of: stream)
    }
    return continueEvent(of: stream, into: &output)
  }

  /// Does the next step of a long event: measures a slice, or writes a piece.
  ///
  /// - Returns: Whether there is another step. The last one is to notice that the client has taken the last piece.
  private func continueEvent(of stream: EventStream, into output: inout ResponseWriter) -> Bool {
    switch stream.outgoing {
    case nil: return false
    case .unmeasured(let snapshot)?:
      guard snapshot.measureSlice() else { return true }
      setOutgoing(.event(OutgoingEvent(snapshot.texts)), of: stream)
      return true
    case .event(var event)?:
      if event.isWritten {
        setOutgoing(nil, of: stream)
        return false
      }
      output.chunk { event.writePiece(to: &$0) }
      setOutgoing(.event(event), of: stream)
      return true
    }
  }

  /// Replaces the event that a stream is writing, and lets deferred streams begin theirs if fewer bytes are held.
  private func setOutgoing(_ outgoing: EventStream.Outgoing?, of stream: EventStream) {
    heldBytes += (outgoing?.heldBytes ?? 0) - (stream.outgoing?.heldBytes ?? 0)
    stream.outgoing = outgoing
    metrics.unreadBytes.value = heldBytes
    var ready: [ExchangeID] = []
    let freeBytes = limits.maximumUnreadBytes - heldBytes
    // A stream holds up to two slices. More streams would find no room and be deferred again.
    if freeBytes > 0, !deferred.isEmpty { deferred.take(1 + freeBytes / (2 * SlicedJSON.sliceBytes), into: &ready) }
    for exchange in ready { streams[exchange]?.isDeferred = false }
    context.markStreamsReady(ready)
  }

  /// Ends a long poll if its place differs, its time has expired, or the server is stopping.
  ///
  /// - Returns: The request, and the version in which the place differs. A newer version may have the old value again,
  ///   so the response must be read from this one. nil if the request must wait longer.
  func takeWait(_ exchange: ExchangeID) -> (request: StateRequest, version: Snapshot<Root>?)? {
    guard let wait = waits[exchange] else { return nil }
    let isOver = isDraining || context.nowMilliseconds >= wait.deadline
    if !isOver, case .value(let digest) = wait.place.content, !wait.request.conditions.ifNoneMatchHolds(digest) {
      return nil
    }
    let version = watches.snapshot
    close(exchange)
    return (wait.request, version)
  }

  // MARK: - Revoking

  /// Checks the credentials of all streams and long polls after the tokens have changed, and marks those that are no
  /// longer valid, so that they end.
  ///
  /// - Complexity: O(number of streams and long polls).
  func reauthenticate() {
    for (exchange, stream) in streams.entries() { reauthenticate(exchange, stream.principal) }
    for (exchange, wait) in waits.entries() { reauthenticate(exchange, wait.principal) }
  }

  /// Ends the streams and long polls of a session.
  ///
  /// - Complexity: O(number of its streams and long polls).
  func end(_ session: Session) {
    for exchange in exchangesBySession[session] ?? [] { reauthenticate(exchange, .session(session)) }
  }

  private func reauthenticate(_ exchange: ExchangeID, _ principal: Principal) {
    guard let revocation = authenticator.revocation(of: principal) else { return }
    streams[exchange]?.revocation = revocation
    waits[exchange]?.revocation = revocation
    context.markReady(exchange)
  }

  /// Ends a long poll whose credential is no longer valid.
  ///
  /// - Returns: The reason; nil if the credential is valid.
  func takeRevocation(_ exchange: ExchangeID) -> Revocation? {
    guard let revocation = waits[exchange]?.revocation else { return nil }
    close(exchange)
    return revocation
  }

  // MARK: - Closing

  /// Removes a stream or a long poll. Does nothing for other exchanges.
  func close(_ exchange: ExchangeID) {
    defer { updateGauges() }
    if let stream = streams.remove(exchange) {
      setOutgoing(nil, of: stream)
      for place in stream.places { watches.unsubscribe(place, exchange) }
      if let tick = stream.deadlineTick { deadlines.remove(exchange, from: tick) }
      forget(exchange, of: stream.principal)
    }
    if let wait = waits.remove(exchange) {
      watches.unsubscribe(wait.place, exchange)
      deadlines.remove(exchange, from: wait.deadlineTick)
      forget(exchange, of: wait.principal)
    }
  }

  private func forget(_ exchange: ExchangeID, of principal: Principal) {
    guard case .session(let session) = principal else { return }
    exchangesBySession[session]?.remove(exchange)
    if exchangesBySession[session]?.isEmpty ?? false { exchangesBySession[session] = nil }
  }

  private func updateGauges() {
    metrics.open.value = streams.count
    metrics.waits.value = waits.count
    metrics.places.value = watches.placeCount
  }

  /// Ends all streams and long polls. Streams receive a longer reconnection time first.
  func drain() {
    isDraining = true
    for (exchange, _) in streams.entries() { context.markReady(exchange) }
    for (exchange, _) in waits.entries() { context.markReady(exchange) }
  }

  // MARK: - Timers

  /// Handles a timer: sends heartbeats, or marks the exchanges whose deadline has expired.
  func timerFired(_ token: UInt64) {
    guard token != Self.heartbeatToken else { return sendHeartbeats() }
    for exchange in deadlines.takeExpired(token: token) {
      streams[exchange]?.deadlineTick = nil
      context.markReady(exchange)
    }
  }

  /// The timer token of heartbeats. The tokens of deadlines are ticks, which are much smaller.
  private static var heartbeatToken: UInt64 { .max }

  private func startHeartbeats() {
    guard !isHeartbeatScheduled else { return }
    isHeartbeatScheduled = true
    context.schedule(after: 1_000, token: Self.heartbeatToken)
  }

  private func sendHeartbeats() {
    heartbeatGroup = (heartbeatGroup + 1) % heartbeatGroupCount
    var ready: [ExchangeID] = []
    for (exchange, stream) in streams.entries(from: heartbeatGroup, by: heartbeatGroupCount) {
      stream.wantsHeartbeat = true
      ready.append(exchange)
      // Sessions expire without a change of the access rules, so they are checked here.
      reauthenticate(exchange, stream.principal)
    }
    context.markStreamsReady(ready)
    dropOldBases()
    isHeartbeatScheduled = !streams.isEmpty
    if isHeartbeatScheduled { context.schedule(after: 1_000, token: Self.heartbeatToken) }
  }

  /// Releases the patch bases of clients that have not read for a long time, or that are too many.
  ///
  /// A base keeps a part of an old snapshot alive. Without it, the client receives a complete value next.
  private func dropOldBases() {
    var baseCount = 0
    for (_, stream) in streams.entries() {
      guard case .patches(_, _, _, .some) = stream.kind, let since = stream.staleSince else { continue }
      baseCount += 1
      if baseCount > limits.maximumPatchBases || context.nowMilliseconds - since >= limits.patchBaseMilliseconds {
        stream.dropBase()
      }
    }
  }
}
