import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// A place with at least one subscriber on this event loop. Its value is encoded once for all subscribers, or, if it is
/// long, once for those that read at the same speed.
final class WatchedPlace: Watcher {
  /// The length of a patch above which the whole value is sent instead, in slices. A patch is encoded at once, and
  /// other connections wait meanwhile.
  private static let maximumPatchBytes = 1 << 20

  let route: Route
  private let key: DigestKey
  private let onChange: (WatchedPlace) -> Void

  private(set) var content = PlaceContent.absent
  /// The current value; nil if the place does not exist.
  private(set) var value: WatchedValue?
  private var absence: Absence?
  private var cachedJSON: EncodedPlace?
  private var cachedEvent: StreamEvent?
  /// The complete text of an event that is not short. Weak: it is kept while a stream sends it.
  private weak var cachedText: EncodedSlice?
  /// The value from which the cached patch was built. Weak, because the cache must not keep an old snapshot alive.
  private weak var patchBase: WatchedValue?
  private var cachedPatch: (addressing: PatchBuilder.Addressing, event: StreamEvent)?
  /// The version in the ids of the cached events.
  private var cachedVersion: StateVersion?

  /// The streams and long polls that watch the place.
  var subscribers = SubscriberList()

  /// - Parameters:
  ///   - route: The address of the place.
  ///   - key: The key of the digests.
  ///   - onChange: Called whenever the content has changed.
  init(_ route: Route, key: DigestKey, onChange: @escaping (WatchedPlace) -> Void) {
    self.route = route
    self.key = key
    self.onChange = onChange
  }

  func found(_ value: WatchedValue) { update(.value(value.digest(key)), value, nil) }

  func lost(_ absence: Absence) { update(.absent, nil, absence) }

  /// Replaces the content, and reports whether it differs.
  ///
  /// The caches are dropped even if the digests are equal: they belong to this very value. The reason of an absence may
  /// also differ, which is no event, but a new subscriber must receive the current one.
  private func update(_ content: PlaceContent, _ value: WatchedValue?, _ absence: Absence?) {
    let isChanged = content != self.content
    self.content = content
    self.value = value
    self.absence = absence
    cachedJSON = nil
    cachedEvent = nil
    cachedText = nil
    patchBase = nil
    cachedPatch = nil
    if isChanged { onChange(self) }
  }
}

extension WatchedPlace {
  /// The value in canonical JSON, or the reason why the place does not exist.
  var json: EncodedPlace {
    if let cachedJSON { return cachedJSON }
    let json =
      if let value {
        EncodedPlace { value.encode(into: &$0) }
      } else {
        EncodedPlace { [absence] in absence.encode(into: &$0) }
      }
    cachedJSON = json
    return json
  }

  /// Returns the event with the content, for a stream of this place alone.
  ///
  /// - Parameter version: The current version, which a cached event must have, too: a client that another server has
  ///   shown a later revision would take an earlier one for news.
  func event(_ version: StateVersion) -> StreamEvent {
    forgetEvents(except: version)
    if let cachedEvent { return cachedEvent }
    let start = EventFrame.start(event: value == nil ? "absent" : nil, id: id(version))
    guard json.first.next == nil else {
      return .long(OutgoingEvent([.text(start), .value(json.start), .text(EventFrame.end)]))
    }
    if let cachedText { return .long(OutgoingEvent([.slice(cachedText)])) }
    let part = OutgoingEvent.Part(start + json.first.chunk.content + EventFrame.end)
    let event = StreamEvent([part])
    if case .slice(let slice) = part { cachedText = slice } else { cachedEvent = event }
    return event
  }

  /// Returns the event with the JSON Patch (RFC 6902) from an earlier value to the current one.
  ///
  /// The last patch is cached, because most streams of a place sent the same value last.
  ///
  /// - Parameter version: The current version.
  /// - Returns: nil if there is no patch, or if it is too long.
  func patchEvent(
    from old: WatchedValue, _ addressing: PatchBuilder.Addressing, _ version: StateVersion
  ) -> StreamEvent? {
    forgetEvents(except: version)
    if patchBase === old, let cachedPatch, cachedPatch.addressing == addressing { return cachedPatch.event }
    guard let patch = value?.patch(from: old, addressing, atMost: Self.maximumPatchBytes) else { return nil }
    let start = EventFrame.start(event: "patch", id: id(version))
    let event = StreamEvent([.init(start + patch + EventFrame.end)])
    patchBase = old
    cachedPatch = (addressing, event)
    return event
  }

  /// Forgets the cached events unless they have a version.
  private func forgetEvents(except version: StateVersion) {
    guard cachedVersion != version else { return }
    (cachedEvent, cachedText, cachedPatch, cachedVersion) = (nil, nil, nil, version)
  }

  /// The number of elements of the value, if it is a collection.
  var elementCount: Int? { value?.elementCount }

  private func id(_ version: StateVersion) -> [UInt8] { EventID.bytes(content.cursor.utf8, version) }
}
