import BinderyCore
import BinderyHTTP
import BinderyTelemetry

/// The open event streams, and the requests that wait for a change, of one event loop.
final class Streams<Root: Model> {
  private let watches: WatchRegistry<Root>
  private let context: LoopContext
  private let limits: StreamLimits
  private let metrics: StreamMetrics
  private let authenticator: Authenticator
  private let streams = ExchangeTable<EventStream>()
  /// Requests that wait until their place differs.
  private let waits = ExchangeTable<Wait>()
  private var alarms = DeadlineTable()
  /// How many seconds there are between two heartbeats of a stream; each second has its share of the slots.
  private let beats: Int
  private var beat = 0
  private var isBeating = false
  /// How often listeners were marked: tells the places of one commit from those of two.
  private var marking = 0
  private(set) var isDraining = false

  struct Wait {
    let request: StateRequest
    let place: WatchedPlace
    let deadline: Int64
    let alarm: Int64
    /// What lets its peer wait.
    let principal: Principal
    /// Why the peer may not wait any longer.
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
    self.beats = max(1, Int(limits.heartbeatMilliseconds / 1_000))
  }

  /// No more streams are taken: the peer is to come back later, to this server or another.
  var isFull: Bool { isDraining || streams.count >= limits.streams }

  // MARK: Opening

  /// Opens a stream, whose head is written, with what there is to tell at once.
  func open(
    _ routes: [(route: Route, path: String)], _ options: StreamOptions, _ exchange: ExchangeID, _ principal: Principal,
    into output: inout ResponseWriter
  ) {
    mark(watches.catchUp())
    let places = routes.map { watches.watch($0.route, exchange) }
    let stream = EventStream(kind(places, routes.map(\.path), options), every: options.every, principal)
    streams[exchange] = stream
    metrics.opened.add()
    countOpen()
    startBeating()
    output.chunk(PreparedChunk(EventFrame.retry(milliseconds: Int.random(in: limits.retryMilliseconds))))
    tell(stream, into: &output)
  }

  private func kind(_ places: [WatchedPlace], _ paths: [String], _ options: StreamOptions) -> EventStream.Kind {
    let cursor = options.cursor
    switch options.form {
    case .values:
      return .values(places[0], sent: cursor.flatMap(WatchedPlace.Content.init(cursor:)))
    case .patches:
      // The revision tells only that nothing at all has changed since.
      guard cursor == String(watches.revision) else { return .patches(places[0], sent: nil, base: nil) }
      return .patches(places[0], sent: places[0].content, base: places[0].value)
    case .snapshots(let list):
      guard let known = cursor.flatMap(SnapshotCursor.init(text:)), known.list == list,
        known.places.count == places.count
      else { return .snapshots(places, paths: paths, sent: places.map { _ in nil }, list: list) }
      return .snapshots(places, paths: paths, sent: known.places, list: list)
    }
  }

  /// Has a request answered when its place differs from what its condition names, or when its time is up.
  func wait(_ request: StateRequest, milliseconds: Int64, _ exchange: ExchangeID, _ principal: Principal) -> Bool {
    mark(watches.catchUp())
    let place = watches.watch(request.route, exchange)
    guard case .value(let digest) = place.content, !request.conditions.noneMatchHolds(digest), !isDraining else {
      watches.unwatch(place, exchange)
      return false
    }
    let deadline = context.nowMilliseconds + milliseconds
    let alarm = alarms.set(exchange, at: deadline, context)
    defer { countOpen() }
    waits[exchange] = Wait(request: request, place: place, deadline: deadline, alarm: alarm, principal: principal)
    return true
  }

  // MARK: Telling

  /// Something was published.
  func published() { mark(watches.catchUp()) }

  private func mark(_ subscribers: [SubscriberID]) {
    if subscribers.isEmpty { return }
    marking += 1
    var ready: [ExchangeID] = []
    for subscriber in subscribers {
      guard let stream = streams[subscriber] else {
        context.markReady(subscriber)
        continue
      }
      if stream.staleSince == nil {
        stream.staleSince = context.nowMilliseconds
      } else if stream.marking != marking {
        metrics.coalesced.add()
      }
      stream.marking = marking
      // Many of its places may have changed at once.
      if stream.isMarked { continue }
      stream.isMarked = true
      ready.append(subscriber)
    }
    context.markStreamsReady(ready)
  }

  /// Appends what a stream has to tell.
  ///
  /// - Returns: nil where the exchange is no stream.
  func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult? {
    guard let stream = streams[exchange] else { return nil }
    stream.isMarked = false
    if let revocation = stream.revocation {
      output.chunk(EventFrame.cancel(revocation))
      metrics.cancelled.add()
      close(exchange)
      return .close
    }
    if isDraining {
      output.chunk(PreparedChunk(EventFrame.retry(milliseconds: Int.random(in: limits.laterRetryMilliseconds))))
      close(exchange)
      return .close
    }
    let rest = stream.lastWritten + stream.every - context.nowMilliseconds
    if rest <= 0 {
      tell(stream, into: &output)
      stream.staleSince = nil
    } else if stream.isBehind, stream.alarm == nil {
      stream.alarm = alarms.set(exchange, at: context.nowMilliseconds + rest, context)
    }
    if stream.wantsHeartbeat {
      stream.wantsHeartbeat = false
      output.chunk(EventFrame.heartbeat)
    }
    return .idle
  }

  /// Appends the event that brings a stream up to date, if it is not.
  private func tell(_ stream: EventStream, into output: inout ResponseWriter) {
    guard let event = stream.takeEvent(revision: watches.revision) else { return }
    output.chunk(event)
    stream.lastWritten = context.nowMilliseconds
    metrics.events.add()
  }

  /// The request that waited, if it is to be answered now: its place differs, its time is up, or the server stops.
  ///
  /// The version that differs comes with it: in the newest the value may be back already.
  func takeWait(_ exchange: ExchangeID) -> (request: StateRequest, version: Snapshot<Root>?)? {
    guard let wait = waits[exchange] else { return nil }
    let isOver = isDraining || context.nowMilliseconds >= wait.deadline
    if !isOver, case .value(let digest) = wait.place.content, !wait.request.conditions.noneMatchHolds(digest) {
      return nil
    }
    let version = watches.snapshot
    close(exchange)
    return (wait.request, version)
  }

  // MARK: Objecting

  /// Who may ask has changed: those who may not any longer are told so, and get nothing more.
  ///
  /// - Complexity: O(number of streams and waits).
  func reauthenticate() {
    for (exchange, stream) in streams.entries() { reauthenticate(exchange, stream) }
    for (exchange, wait) in waits.entries() {
      guard let revocation = authenticator.revocation(to: wait.principal) else { continue }
      waits[exchange]?.revocation = revocation
      context.markReady(exchange)
    }
  }

  private func reauthenticate(_ exchange: ExchangeID, _ stream: EventStream) {
    guard let revocation = authenticator.revocation(to: stream.principal) else { return }
    stream.revocation = revocation
    context.markReady(exchange)
  }

  /// Why a request may not wait any longer; it is forgotten then.
  func takeRevocation(_ exchange: ExchangeID) -> Revocation? {
    guard let revocation = waits[exchange]?.revocation else { return nil }
    close(exchange)
    return revocation
  }

  // MARK: Closing

  /// Forgets a stream or a request that waits.
  func close(_ exchange: ExchangeID) {
    defer { countOpen() }
    if let stream = streams.remove(exchange) {
      for place in stream.places { watches.unwatch(place, exchange) }
      if let alarm = stream.alarm { alarms.remove(exchange, from: alarm) }
    }
    if let wait = waits.remove(exchange) {
      watches.unwatch(wait.place, exchange)
      alarms.remove(exchange, from: wait.alarm)
    }
  }

  private func countOpen() {
    metrics.open.value = streams.count
    metrics.waits.value = waits.count
    metrics.places.value = watches.placeCount
  }

  /// Ends all streams and waits: they are told to come back later.
  func drain() {
    isDraining = true
    for (exchange, _) in streams.entries() { context.markReady(exchange) }
    for (exchange, _) in waits.entries() { context.markReady(exchange) }
  }

  // MARK: Time

  func elapsed(_ token: UInt64) {
    guard token != Self.beatToken else { return nextBeat() }
    for exchange in alarms.take(token) {
      streams[exchange]?.alarm = nil
      context.markReady(exchange)
    }
  }

  private static var beatToken: UInt64 { .max }

  private func startBeating() {
    guard !isBeating else { return }
    isBeating = true
    context.schedule(after: 1_000, token: Self.beatToken)
  }

  private func nextBeat() {
    beat = (beat + 1) % beats
    var ready: [ExchangeID] = []
    for (exchange, stream) in streams.entries(from: beat, by: beats) {
      stream.wantsHeartbeat = true
      ready.append(exchange)
      // A session ends with its time.
      reauthenticate(exchange, stream)
    }
    context.markStreamsReady(ready)
    dropOldBases()
    isBeating = !streams.isEmpty
    if isBeating { context.schedule(after: 1_000, token: Self.beatToken) }
  }

  /// A reader that has stalled for long gets a whole value next: what it was told last is not kept for ever.
  private func dropOldBases() {
    var kept = 0
    for (_, stream) in streams.entries() {
      guard case .patches(_, _, .some) = stream.kind, let since = stream.staleSince else { continue }
      kept += 1
      if kept > limits.bases || context.nowMilliseconds - since >= limits.baseMilliseconds { stream.dropBase() }
    }
  }
}

/// What a request for a stream asks for beside its places.
struct StreamOptions {
  enum Form {
    case values
    case patches
    /// Of several places, with the digest of their list.
    case snapshots(list: UInt64)
  }

  let form: Form
  /// The `id:` of the last event that the peer has seen.
  let cursor: String?
  /// The least time between two values in milliseconds.
  let every: Int64
}
