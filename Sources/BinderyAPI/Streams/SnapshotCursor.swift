import BinderyDigest
import BinderyJSON
import BinderyText

/// The tag in the event ids of a stream of several places: what the client knows of each place.
///
/// It has 16 bytes for the list of paths and 16 bytes for the content of each place, in base64url. A client that
/// reconnects with it receives only the places that differ.
struct SnapshotCursor: Equatable {
  /// The digest of the list of paths. A cursor of another list is ignored.
  let list: Digest
  /// The content of each place.
  let places: [PlaceContent]

  init(list: Digest, places: [PlaceContent]) {
    self.list = list
    self.places = places
  }

  /// The cursor in unpadded base64url (RFC 4648 §5).
  var ascii: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16 * (places.count + 1))
    bytes.append(list)
    for place in places { bytes.append(place.cursorDigest) }
    return Base64URL.ascii(bytes)
  }

  /// Parses a cursor. Returns nil if the text is not a cursor of at least one place.
  init?(text: String) {
    guard let bytes = Base64URL.decoded(text), bytes.count >= 32, bytes.count % 16 == 0 else { return nil }
    let digests = stride(from: 0, to: bytes.count, by: 16).map { start in
      Digest(high: Self.number(bytes[start..<start + 8]), low: Self.number(bytes[start + 8..<start + 16]))
    }
    list = digests[0]
    places = digests.dropFirst().map(PlaceContent.init(cursorDigest:))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// Returns the digest of a list of paths.
  static func list(_ paths: [String], _ key: DigestKey) -> Digest {
    var writer = JSONWriter()
    writer.beginArray()
    for path in paths { writer.string(path) }
    writer.endArray()
    return key.leaf(writer.bytes.span)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ digest: Digest) {
    for number in [digest.high, digest.low] {
      for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }
  }
}
