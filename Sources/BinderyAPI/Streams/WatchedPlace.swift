import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// A place that somebody on this loop watches: what stands there, encoded once for all who do.
final class WatchedPlace: Watcher {
  /// What a stream can be told of a place.
  enum Content: Hashable {
    case value(Digest)
    /// One value, whatever the reason.
    case absent

    /// As the `id:` of an event.
    var cursor: String {
      switch self {
      case .value(let digest): digest.text
      case .absent: "-"
      }
    }

    init?(cursor: String) {
      if cursor == "-" {
        self = .absent
      } else if let digest = Digest(text: cursor.utf8Span.span) {
        self = .value(digest)
      } else {
        return nil
      }
    }

    /// Eight bytes of it, for the cursor of several places.
    var short: UInt64 {
      switch self {
      case .value(let digest): digest.high
      case .absent: .max
      }
    }
  }

  let route: Route
  private let key: DigestKey
  private let noteChange: (WatchedPlace) -> Void

  private(set) var content = Content.absent
  /// What stands there; nil while nothing does.
  private(set) var value: WatchedValue?
  private var absence: Absence?
  private var cachedJSON: [UInt8]?
  private var cachedFrame: PreparedChunk?
  /// What the cached patch leads from; it is not kept for the patch's sake.
  private weak var patchBase: WatchedValue?
  private var cachedPatch: [UInt8] = []

  /// Who listens.
  var subscribers = SubscriberList()

  init(_ route: Route, key: DigestKey, noteChange: @escaping (WatchedPlace) -> Void) {
    self.route = route
    self.key = key
    self.noteChange = noteChange
  }

  func found<Value>(_ value: Value, _ shape: Shape<Value>) {
    let content = Content.value(shape.digest(value, key))
    guard content != self.content || self.value == nil else { return }
    become(content, TypedValue(value, shape), nil)
  }

  func lost(_ absence: Absence) {
    // Another reason alone is no news, but whoever comes new is told the right one.
    guard content != .absent else {
      self.absence = absence
      cachedJSON = nil
      cachedFrame = nil
      return
    }
    become(.absent, nil, absence)
  }

  private func become(_ content: Content, _ value: WatchedValue?, _ absence: Absence?) {
    self.content = content
    self.value = value
    self.absence = absence
    cachedJSON = nil
    cachedFrame = nil
    patchBase = nil
    cachedPatch = []
    noteChange(self)
  }
}

extension WatchedPlace {
  /// The value in canonical JSON, or why there is none.
  var json: [UInt8] {
    if let cachedJSON { return cachedJSON }
    var writer = JSONWriter()
    if let value { value.encode(into: &writer) } else { absence.encode(into: &writer) }
    cachedJSON = writer.bytes
    return writer.bytes
  }

  /// The event that tells it to a stream of this place alone.
  var frame: PreparedChunk {
    if let cachedFrame { return cachedFrame }
    let frame = EventFrame.make(event: value == nil ? "absent" : nil, id: Array(content.cursor.utf8), data: json)
    cachedFrame = frame
    return frame
  }

  /// The JSON Patch from what a stream was told last to what stands here; nil where there is nothing to compare.
  func patch(from old: WatchedValue) -> [UInt8]? {
    if patchBase === old { return cachedPatch }
    guard let value, let patch = value.patch(from: old) else { return nil }
    patchBase = old
    cachedPatch = patch
    return patch
  }
}

/// A value with its type hidden.
class WatchedValue {
  func encode(into writer: inout JSONWriter) {}
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

extension Absence? {
  /// As the data of an event.
  func encode(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("reason")
    switch self?.reason {
    case .inactiveCase(_, let active)?:
      writer.string(ProblemKind.inactiveCase.rawValue)
      writer.key("activeCase")
      writer.string(active)
    case .noSuchElement?: writer.string(ProblemKind.noSuchElement.rawValue)
    case .nilOptional?, nil: writer.string(ProblemKind.nilOptional.rawValue)
    }
    writer.endObject()
  }
}

/// The bytes of server-sent events (HTML, “Server-sent events” §9.2.5).
enum EventFrame {
  static let heartbeat = PreparedChunk(Array(": hb\n\n".utf8))

  /// - Parameter data: one line; canonical JSON never has a line break.
  static func make(event: String?, id: [UInt8], data: [UInt8]) -> PreparedChunk {
    var frame: [UInt8] = []
    frame.reserveCapacity(id.count + data.count + 64)
    if let event { frame.append(contentsOf: "event: \(event)\n".utf8) }
    frame.append(contentsOf: "id: ".utf8)
    frame.append(contentsOf: id)
    frame.append(contentsOf: "\ndata: ".utf8)
    frame.append(contentsOf: data)
    frame.append(contentsOf: "\n\n".utf8)
    return PreparedChunk(frame)
  }

  /// The last event of a stream whose peer may not listen any longer. It has no `id:`: the cursor stays what it was.
  static func cancel(_ revocation: Revocation) -> PreparedChunk {
    PreparedChunk(Array("event: cancel\ndata: {\"reason\":\"\(revocation.rawValue)\"}\n\n".utf8))
  }

  /// Tells the browser how long to wait before it comes back.
  static func retry(milliseconds: Int) -> [UInt8] { Array("retry: \(milliseconds)\n\n".utf8) }
}
