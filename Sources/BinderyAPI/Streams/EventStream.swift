import BinderyCore
import BinderyHTTP
import BinderyJSON

/// The state of one open event stream.
///
/// A stream has no queue of events. It stores only the content that it sent last, and compares that with the current
/// content when its socket accepts bytes. A slow client therefore uses no extra memory, and receives the newest value.
final class EventStream {
  enum Kind {
    /// One place; each event is its value.
    case values(WatchedPlace, sent: WatchedPlace.Content?)
    /// One place; a value, then patches. `base` is the value that was sent last; nil if a patch cannot be built.
    case patches(WatchedPlace, sent: WatchedPlace.Content?, base: WatchedValue?)
    /// Several places, with the paths as the client spelled them; each event has the changed values.
    case multiple([WatchedPlace], paths: [String], sent: [UInt64?], list: UInt64)
  }

  var kind: Kind
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
    case .values(let place, _), .patches(let place, _, _): [place]
    case .multiple(let places, _, _, _): places
    }
  }

  /// Whether the content that was sent last differs from the current content.
  var isStale: Bool {
    switch kind {
    case .values(let place, let sent), .patches(let place, let sent, _): sent != place.content
    case .multiple(let places, _, let sent, _): zip(places, sent).contains { $0.content.prefix != $1 }
    }
  }

  /// Releases the value that patches are built from. The next event is a complete value.
  func dropBase() {
    if case .patches(let place, let sent, _) = kind { kind = .patches(place, sent: sent, base: nil) }
  }

  /// Returns the event that brings the client up to date, and records it as sent.
  ///
  /// - Returns: nil if the client is up to date.
  func takeEvent(revision: Int) -> PreparedChunk? {
    guard isStale else {
      // The value may have changed back to the one that was sent. It then is a base for patches again, even if the
      // base was dropped in the meantime.
      if case .patches(let place, let sent, nil) = kind { kind = .patches(place, sent: sent, base: place.value) }
      return nil
    }
    switch kind {
    case .values(let place, _):
      kind = .values(place, sent: place.content)
      return place.frame
    case .patches(let place, _, let base):
      kind = .patches(place, sent: place.content, base: place.value)
      let id = Array(String(revision).utf8)
      guard place.value != nil else { return EventFrame.make(event: "absent", id: id, data: place.json) }
      if let base, let patch = place.patch(from: base) { return EventFrame.make(event: "patch", id: id, data: patch) }
      return EventFrame.make(event: nil, id: id, data: place.json)
    case .multiple(let places, let paths, let sent, let list):
      let changed = places.indices.filter { places[$0].content.prefix != sent[$0] }.map { (paths[$0], places[$0]) }
      let current = places.map(\.content.prefix)
      kind = .multiple(places, paths: paths, sent: current, list: list)
      let id = SnapshotCursor(list: list, places: current).ascii
      return EventFrame.make(event: nil, id: id, data: Self.snapshot(changed, revision: revision))
    }
  }

  private static func snapshot(_ places: [(path: String, place: WatchedPlace)], revision: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("revision")
    writer.integer(Int64(revision))
    writer.key("changes")
    writer.beginArray()
    for (path, place) in places {
      writer.beginObject()
      writer.key("path")
      writer.string(path.isEmpty ? "/" : path)
      writer.key(place.value == nil ? "absent" : "value")
      writer.raw(place.json)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }
}
