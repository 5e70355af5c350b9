import Bindings
import Digests
import HTTP
import JSON
import Shapes
import State

/// An address of the state, resolved: what all requests for it have in common.
struct Address: Sendable {
  /// The segments behind `/state`.
  let segments: [String]
  let route: Route
  let allowed: Allowed
  /// The path of the URL.
  let path: String

  init(segments: [String], route: Route) {
    self.segments = segments
    self.route = route
    self.allowed = Allowed(route)
    self.path = Target.path(["state"] + segments)
  }
}

/// A place that was asked for, with what it was when somebody last looked. Confined to one loop.
final class KnownPlace<Root: Model> {
  /// The path as it was sent.
  fileprivate let spelling: [UInt8]
  let address: Address
  /// When somebody last looked: the number of a version, since the version itself would be held for nobody.
  private var revision: Int?
  private var digest: Digest?
  private var json: [UInt8]?

  init(_ spelling: [UInt8], _ address: Address) {
    self.spelling = spelling
    self.address = address
  }

  /// The digest of what stands here in a version.
  ///
  /// - Throws: where nothing does.
  func digest(in version: Snapshot<Root>, _ key: DigestKey) throws(Absence) -> Digest {
    if version.revision == revision, let digest { return digest }
    revision = nil
    var reading = Reading(.digest, key: key)
    try Root.shape.visit(version.root, address.route, 0, &reading)
    // Another version with the same digest has the same JSON.
    if reading.digest != digest { json = nil }
    digest = reading.digest
    revision = version.revision
    guard let digest else { throw Absence(.nilOptional, depth: address.route.steps.count) }
    return digest
  }

  /// The JSON of what stands here in a version; remembered while it is small.
  ///
  /// - Throws: where nothing does.
  func json(in version: Snapshot<Root>, _ key: DigestKey) throws(Absence) -> [UInt8] {
    if version.revision == revision, let json { return json }
    var reading = Reading(.json, key: key)
    try Root.shape.visit(version.root, address.route, 0, &reading)
    let json = reading.writer.bytes
    if version.revision == revision, json.count <= Self.rememberedBytes { self.json = json }
    return json
  }

  /// A longer text is made anew for each answer, so that it is not held for nobody.
  private static var rememberedBytes: Int { 4_096 }
}

/// The places that a loop's clients ask for, each resolved once.
final class KnownPlaces<Root: Model> {
  /// By the hash of the path as it was sent; of two with one hash the later one is known.
  private var places: [UInt64: KnownPlace<Root>] = [:]

  /// The place at a path, if it was asked for before.
  func find(_ path: Range<Int>, in bytes: Span<UInt8>) -> KnownPlace<Root>? {
    guard let place = places[Self.hash(path, bytes)], place.spelling.count == path.count else { return nil }
    var index = path.lowerBound
    for byte in place.spelling {
      if bytes[index] != byte { return nil }
      index += 1
    }
    return place
  }

  /// Remembers a place; when there are many, all are forgotten, and those still asked for come back.
  func remember(_ address: Address, at path: Range<Int>, in bytes: Span<UInt8>) -> KnownPlace<Root> {
    if places.count >= Self.most { places.removeAll(keepingCapacity: true) }
    let place = KnownPlace<Root>(bytes.slice(path), address)
    places[Self.hash(path, bytes)] = place
    return place
  }

  private static var most: Int { 1_024 }

  /// FNV-1a: a collision costs only that a place is resolved anew.
  private static func hash(_ path: Range<Int>, _ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in path { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
    return hash
  }
}
