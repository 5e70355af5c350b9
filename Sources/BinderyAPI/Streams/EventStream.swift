import BinderyCore
import BinderyDigest
import BinderyHTTP

/// The state of one open event stream.
///
/// A stream has no queue of events. It stores only the content that it sent last, and compares that with the current
/// content when its socket accepts bytes. A slow client therefore holds at most one piece of a long event, and receives
/// the newest value afterwards.
final class EventStream {
  enum Kind {
    /// One place; each event is its value.
    case values(WatchedPlace, sent: PlaceContent?)
    /// One place; a value, then patches. `base` is the value that was sent last; nil if a patch cannot be built.
    case patches(WatchedPlace, PatchBuilder.Addressing, sent: PlaceContent?, base: WatchedValue?)
    /// Several places, and the content of each that was sent last; each event has all changes. `list` is the digest of
    /// the list of paths, for event ids; nil for events without ids.
    case multiple([Entry], sent: [PlaceContent?], list: Digest?)
  }

  /// A place of a stream of several places.
  struct Entry {
    let place: WatchedPlace
    /// The path as the client spelled it.
    let path: String
    let isShallow: Bool

    init(_ place: WatchedPlace, _ request: WatchRequest) {
      self.place = place
      path = request.path
      isShallow = request.isShallow
    }

    /// The change that shows the current content of the place.
    fileprivate var change: SnapshotEvent.Change {
      SnapshotEvent.Change(
        path: path, content: place.content, json: place.json, isShallow: isShallow,
        elementCount: isShallow ? place.elementCount : nil)
    }
  }

  private(set) var kind: Kind
  /// The minimum time between two events.
  let minimumIntervalMilliseconds: Int64
  /// The time of the last event, on the event loop's clock. The initial value is halved so that the arithmetic with it
  /// cannot overflow.
  var lastEventMilliseconds: Int64 = .min / 2
  /// The time of the first change that has not been sent; nil if the client is up to date.
  var staleSince: Int64?
  /// The tick of the deadline at which the next event may be sent; nil if there is none.
  var deadlineTick: Int64?
  /// Whether the stream is marked ready and has not been asked for its event since.
  var isMarkedReady = false
  /// The number of the last notification round that marked the stream.
  var lastRound = 0
  var wantsHeartbeat = false
  /// The event that is being written, and that no other text may interrupt; nil between two events.
  var outgoing: StreamEvent?
  /// The version that ``outgoing`` shows.
  var heldVersion: HeldVersion?
  /// The slice that the client has not taken; nil if it has taken everything.
  var heldSlice: EncodedSlice?
  /// The time at which the stream began to hold ``heldSlice``.
  var heldSince: Int64 = 0
  /// Whether this server may be behind what the client has seen, so that the stream must not send anything yet.
  var isBehind = false
  /// Whether the stream waits until other streams hold fewer bytes.
  var isDeferred = false
  /// Whether the stream has waited, may continue, and has not been called since.
  var isWoken = false
  /// The places, as they count for the limit of all streams.
  var lease: Budget.Lease?
  /// The credential of the client.
  let principal: Principal
  /// The reason why the credential is no longer valid; nil while it is valid.
  var revocation: Revocation?

  init(_ kind: Kind, minimumIntervalMilliseconds: Int64, _ principal: Principal) {
    self.kind = kind
    self.principal = principal
    self.minimumIntervalMilliseconds = minimumIntervalMilliseconds
  }

  var places: [WatchedPlace] {
    switch kind {
    case .values(let place, _), .patches(let place, _, _, _): [place]
    case .multiple(let entries, _, _): entries.map(\.place)
    }
  }

  /// Whether the content that was sent last differs from the current content.
  var isStale: Bool {
    switch kind {
    case .values(let place, let sent), .patches(let place, _, let sent, _): sent != place.content
    case .multiple(let entries, let sent, _): entries.indices.contains { entries[$0].place.content != sent[$0] }
    }
  }

  /// Whether a part of an event is written, so that only the rest of it may follow.
  var isInsideEvent: Bool { if case .long(let event) = outgoing { !event.isWritten } else { false } }

  /// Releases the value that patches are built from. The next event is a complete value.
  func dropBase() {
    if case .patches(let place, let addressing, let sent, _) = kind {
      kind = .patches(place, addressing, sent: sent, base: nil)
    }
  }

  /// Returns the event that brings the client up to date, and the state after it is sent.
  ///
  /// - Parameter maximumBytes: The maximum length of an event of several places.
  /// - Returns: nil if the client is up to date.
  func nextEvent(_ version: StateVersion, maximumBytes: Int) -> (event: StreamEvent, kindAfter: Kind)? {
    guard isStale, !isBehind else { return nil }
    switch kind {
    case .values(let place, _): return (place.event(version), .values(place, sent: place.content))
    case .patches(let place, let addressing, _, let base):
      let patch = base.flatMap { place.patchEvent(from: $0, addressing, version) }
      return (patch ?? place.event(version), .patches(place, addressing, sent: place.content, base: place.value))
    case .multiple(let entries, let sent, let list):
      let current = entries.map(\.place.content)
      let changes = entries.indices.filter { current[$0] != sent[$0] }.map { entries[$0].change }
      let id = list.map { EventID.bytes(SnapshotCursor(list: $0, places: current).ascii, version) }
      let snapshot = SnapshotEvent(
        revision: version.revision, id: id, changes: changes, maximumBytes: maximumBytes)
      return (
        snapshot.measure() ? snapshot.event : .unmeasured(snapshot), .multiple(entries, sent: current, list: list)
      )
    }
  }

  /// Records that an event is sent.
  func sent(_ kindAfter: Kind) { kind = kindAfter }

  /// Restores the value that patches are built from, if it was dropped and the client is up to date: the value may have
  /// changed back to the one that was sent.
  func restoreBase() {
    if case .patches(let place, let addressing, let sent, nil) = kind, !isStale {
      kind = .patches(place, addressing, sent: sent, base: place.value)
    }
  }
}
