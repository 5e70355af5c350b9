import BinderyDigest
import BinderyJSON

/// The event id of a stream of several places: what the client knows of each place.
///
/// It has eight bytes for the list of paths and eight bytes for the content of each place, in base64url. A client that
/// reconnects with it receives only the places that differ.
struct SnapshotCursor: Equatable {
  /// The digest of the list of paths. A cursor of another list is ignored.
  let list: UInt64
  /// The first eight bytes of the content of each place (``WatchedPlace/Content/prefix``).
  let places: [UInt64]

  init(list: UInt64, places: [UInt64]) {
    self.list = list
    self.places = places
  }

  /// The cursor in unpadded base64url (RFC 4648 §5).
  var ascii: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * (places.count + 1))
    bytes.append(bigEndian: list)
    for place in places { bytes.append(bigEndian: place) }
    return Base64URL.ascii(bytes)
  }

  /// Parses a cursor. Returns nil if the text is not a cursor of at least one place.
  init?(text: String) {
    guard let bytes = Base64URL.decoded(text), bytes.count >= 16, bytes.count % 8 == 0 else { return nil }
    var numbers: [UInt64] = []
    for start in stride(from: 0, to: bytes.count, by: 8) {
      numbers.append(bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }
    list = numbers[0]
    places = Array(numbers.dropFirst())
  }

  /// Returns the digest of a list of paths.
  static func list(_ paths: [String], _ key: DigestKey) -> UInt64 {
    var writer = JSONWriter()
    writer.beginArray()
    for path in paths { writer.string(path) }
    writer.endArray()
    return key.leaf(writer.bytes.span).high
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }
}
