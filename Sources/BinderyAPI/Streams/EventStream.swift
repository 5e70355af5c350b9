import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// One subscription: a single slot that remembers what its peer was told last. It has no queue, so a slow peer costs
/// nothing but this, and gets the newest value when it takes bytes again.
final class EventStream {
  enum Kind {
    /// One place: bare values.
    case values(WatchedPlace, sent: WatchedPlace.Content?)
    /// One place: a value, then patches. The value sent last is kept while a patch can still be made from it.
    case patches(WatchedPlace, sent: WatchedPlace.Content?, base: WatchedValue?)
    /// Several places, each as its peer calls it: snapshots.
    case snapshots([WatchedPlace], paths: [String], sent: [UInt64?], list: UInt64)
  }

  var kind: Kind
  /// The least time between two values in milliseconds.
  let every: Int64
  /// When the last value was written, on the loop's clock.
  var lastWritten: Int64 = .min / 2
  /// Something has changed since; when it began to wait.
  var staleSince: Int64?
  /// The alarm at which the next value may be written, while there is one.
  var alarm: Int64?
  /// It is marked ready, and was not asked for its event since.
  var isMarked = false
  /// Which marking that was.
  var marking = 0
  var wantsHeartbeat = false
  /// What lets its peer listen.
  let principal: Principal
  /// Why the peer may not listen any longer.
  var revocation: Revocation?

  init(_ kind: Kind, every: Int64, _ principal: Principal) {
    self.kind = kind
    self.principal = principal
    self.every = every
  }

  var places: [WatchedPlace] {
    switch kind {
    case .values(let place, _), .patches(let place, _, _): [place]
    case .snapshots(let places, _, _, _): places
    }
  }

  /// Whether what the peer was told last is not what there is now.
  var isBehind: Bool {
    switch kind {
    case .values(let place, let sent), .patches(let place, let sent, _): sent != place.content
    case .snapshots(let places, _, let sent, _): zip(places, sent).contains { $0.content.short != $1 }
    }
  }

  /// Forgets what a patch would be made from: the next event is a whole value.
  func dropBase() {
    if case .patches(let place, let sent, _) = kind { kind = .patches(place, sent: sent, base: nil) }
  }

  /// The event that brings the peer up to date, which it then is; nil where it is already.
  func takeEvent(revision: Int) -> PreparedChunk? {
    guard isBehind else {
      // What came back to what was sent is a base again, however long it was away.
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
    case .snapshots(let places, let paths, let sent, let list):
      let changed = places.indices.filter { places[$0].content.short != sent[$0] }.map { (paths[$0], places[$0]) }
      let now = places.map(\.content.short)
      kind = .snapshots(places, paths: paths, sent: now, list: list)
      let id = SnapshotCursor(list: list, places: now).ascii
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

/// The cursor of a stream of several places: eight bytes for the list of paths, and eight for what stands at each.
struct SnapshotCursor: Equatable {
  let list: UInt64
  let places: [UInt64]

  init(list: UInt64, places: [UInt64]) {
    self.list = list
    self.places = places
  }

  /// In unpadded base64url (RFC 4648 §5).
  var ascii: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * (places.count + 1))
    bytes.append(bigEndian: list)
    for place in places { bytes.append(bigEndian: place) }
    return Base64URL.ascii(bytes)
  }

  init?(text: String) {
    guard let bytes = Base64URL.decoded(text), bytes.count >= 16, bytes.count % 8 == 0 else { return nil }
    var numbers: [UInt64] = []
    for start in stride(from: 0, to: bytes.count, by: 8) {
      numbers.append(bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }
    list = numbers[0]
    places = Array(numbers.dropFirst())
  }

  /// The digest of a list of paths.
  static func list(_ paths: [String], _ key: DigestKey) -> UInt64 {
    var writer = JSONWriter()
    writer.beginArray()
    for path in paths { writer.string(path) }
    writer.endArray()
    return key.leaf(writer.bytes.span).high
  }
}

/// Base64 as HTML has it (RFC 4648 §4).
enum Base64 {
  static func encoded(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encoded(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
  }
}

/// Unpadded base64url (RFC 4648 §5).
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func encoded(_ bytes: [UInt8]) -> String { String(decoding: ascii(bytes), as: UTF8.self) }

  static func ascii(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = alphabet
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0) }
      for place in 0...count { text.append(alphabet[Int(group >> UInt32(18 - 6 * place) & 63)]) }
    }
    return text
  }

  /// nil for what is not spelled as `encoded` spells it.
  static func decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return encoded(bytes) == text ? bytes : nil
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }
}
