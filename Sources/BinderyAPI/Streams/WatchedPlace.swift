import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// A place with at least one subscriber on this event loop. Its value is encoded once for all subscribers.
final class WatchedPlace: Watcher {
  /// The content of a place, as far as it must be compared: the digest of its value, or its absence.
  enum Content: Hashable {
    case value(Digest)
    /// The place does not exist. All reasons are equal: a changed reason alone is not an event.
    case absent

    /// The content as the `id:` of an event.
    var cursor: String {
      switch self {
      case .value(let digest): digest.text
      case .absent: "-"
      }
    }

    /// Parses the `id:` of an event. Returns nil for other texts.
    init?(cursor: String) {
      if cursor == "-" {
        self = .absent
      } else if let digest = Digest(text: cursor.utf8Span.span) {
        self = .value(digest)
      } else {
        return nil
      }
    }

    /// The first eight bytes of the digest, for the cursor of several places.
    var prefix: UInt64 {
      switch self {
      case .value(let digest): digest.high
      case .absent: .max
      }
    }
  }

  let route: Route
  private let key: DigestKey
  private let onChange: (WatchedPlace) -> Void

  private(set) var content = Content.absent
  /// The current value; nil if the place does not exist.
  private(set) var value: WatchedValue?
  private var absence: Absence?
  private var cachedJSON: [UInt8]?
  private var cachedFrame: PreparedChunk?
  /// The value from which the cached patch was built. Weak, because the cache must not keep an old snapshot alive.
  private weak var patchBase: WatchedValue?
  private var cachedPatch: [UInt8] = []

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

  func found<Value>(_ value: Value, _ shape: Shape<Value>) {
    let content = Content.value(shape.digest(value, key))
    guard content != self.content || self.value == nil else { return }
    update(content, TypedValue(value, shape), nil)
  }

  func lost(_ absence: Absence) {
    // A changed reason alone is not an event, but a new subscriber must receive the current reason.
    guard content != .absent else {
      self.absence = absence
      cachedJSON = nil
      cachedFrame = nil
      return
    }
    update(.absent, nil, absence)
  }

  private func update(_ content: Content, _ value: WatchedValue?, _ absence: Absence?) {
    self.content = content
    self.value = value
    self.absence = absence
    cachedJSON = nil
    cachedFrame = nil
    patchBase = nil
    cachedPatch = []
    onChange(self)
  }
}

extension WatchedPlace {
  /// The value in canonical JSON, or the reason why the place does not exist.
  var json: [UInt8] {
    if let cachedJSON { return cachedJSON }
    var writer = JSONWriter()
    if let value { value.encode(into: &writer) } else { absence.encode(into: &writer) }
    cachedJSON = writer.bytes
    return writer.bytes
  }

  /// The event with the content, for a stream of this place alone.
  var frame: PreparedChunk {
    if let cachedFrame { return cachedFrame }
    let frame = EventFrame.make(event: value == nil ? "absent" : nil, id: Array(content.cursor.utf8), data: json)
    cachedFrame = frame
    return frame
  }

  /// Returns the JSON Patch (RFC 6902) from an earlier value to the current one, or nil if the place does not exist.
  ///
  /// The last patch is cached, because most streams of a place sent the same value last.
  func patch(from old: WatchedValue) -> [UInt8]? {
    if patchBase === old { return cachedPatch }
    guard let value, let patch = value.patch(from: old) else { return nil }
    patchBase = old
    cachedPatch = patch
    return patch
  }
}

/// A value whose type is erased.
class WatchedValue {
  func encode(into writer: inout JSONWriter) {}
  /// Returns the JSON Patch from an earlier value, or nil if that has another type.
  func patch(from old: WatchedValue) -> [UInt8]? { nil }
}

private final class TypedValue<Value>: WatchedValue {
  private let value: Value
  private let shape: Shape<Value>

  init(_ value: Value, _ shape: Shape<Value>) {
    self.value = value
    self.shape = shape
  }

  override func encode(into writer: inout JSONWriter) { shape.encode(value, into: &writer) }

  override func patch(from old: WatchedValue) -> [UInt8]? {
    guard let old = old as? TypedValue<Value> else { return nil }
    var difference = PatchBuilder()
    shape.difference(from: old.value, to: value, &difference)
    return difference.finish()
  }
}
