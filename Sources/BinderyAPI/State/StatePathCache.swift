import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON
import BinderyText

/// A URL path below `/state`, resolved against the types of the state. Confined to one event loop.
final class ResolvedPath {
  private enum Source {
    /// The decoded segments after `/state`.
    case segments([String])
    /// The path as it was sent, if it contains nothing to decode.
    case plain
  }

  /// The path as it was sent.
  fileprivate let bytes: [UInt8]
  private let source: Source
  let route: Route
  let allowed: AllowedMethods
  /// The request metrics of the route.
  let metrics: RouteMetrics
  /// The digest of the value at a revision. A getter can take long, and clients poll with the same path. A number and
  /// not the snapshot, because a reference to a snapshot would keep an old state in memory.
  private var digest: (revision: Int, value: Digest)?
  /// The encoded response to a plain `GET` at the revision of ``digest``, once it was requested twice at that revision.
  private var encodedResponse: PreparedContent?

  /// - Parameter segments: The decoded segments; nil if the path contains nothing to decode.
  init(_ bytes: [UInt8], segments: [String]?, route: Route, _ metrics: RouteMetrics) {
    self.bytes = bytes
    source = segments.map { .segments($0) } ?? .plain
    self.route = route
    allowed = AllowedMethods(route)
    self.metrics = metrics
  }

  /// The decoded segments after `/state`. Computed on each access, because few responses contain them.
  var segments: [String] {
    switch source {
    case .segments(let segments): segments
    case .plain:
      bytes.split(separator: UInt8(ascii: "/")).dropFirst().map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Returns the digest of the value at a revision, if it is known.
  func digest(at revision: Int) -> Digest? {
    guard let digest, digest.revision == revision else { return nil }
    return digest.value
  }

  /// Records the digest of the value at a revision.
  func setDigest(_ value: Digest, at revision: Int) {
    digest = (revision, value)
    encodedResponse = nil
  }

  /// Returns the encoded response to a plain `GET` at a revision, if it is known.
  func encodedResponse(at revision: Int) -> PreparedContent? {
    guard let digest, digest.revision == revision else { return nil }
    return encodedResponse
  }

  /// Keeps the encoded response to a plain `GET` at the revision of the digest.
  func setEncodedResponse(_ response: PreparedContent) { encodedResponse = response }

  /// Returns the digest of the value in a snapshot, which is its ETag.
  ///
  /// - Throws: ``Absence`` if there is no value at this path.
  func digest<Root: Sendable>(
    in snapshot: Snapshot<Root>, of model: ModelDefinition<Root>, _ key: DigestKey
  ) throws(Absence) -> Digest {
    if let digest = digest(at: snapshot.revision) { return digest }
    var reading = ReadOperation(.digest, key: key)
    try model.shape.visit(snapshot.root, route, 0, &reading)
    guard let value = reading.digest else { throw Absence(.nilOptional, depth: route.steps.count) }
    setDigest(value, at: snapshot.revision)
    return value
  }
}

/// The paths that the clients of one event loop requested last, so that a repeated one is not resolved again.
///
/// A miss costs about two microseconds. Confined to that loop.
final class StatePathCache {
  /// Indexed by the hash of the path as it was sent. A path replaces an earlier one with the same index.
  private var entries = [ResolvedPath?](repeating: nil, count: StatePathCache.capacity)

  /// Returns the cached path that is equal to the sent one.
  func find(_ path: Range<Int>, in bytes: Span<UInt8>) -> ResolvedPath? {
    guard let entry = entries[Self.index(path, bytes)], entry.bytes.count == path.count else { return nil }
    let known = entry.bytes
    return known.span.isSame(as: bytes.extracting(path)) ? entry : nil
  }

  /// Caches a path unless it is long. It replaces the entry with the same index.
  func insert(_ resolved: ResolvedPath, at path: Range<Int>, in bytes: Span<UInt8>) {
    guard path.count <= Self.longestPath else { return }
    // Moved into a local variable during the change: modifying the property in place would add an exclusivity check to
    // every lookup.
    var entries: [ResolvedPath?] = []
    swap(&entries, &self.entries)
    entries[Self.index(path, bytes)] = resolved
    swap(&entries, &self.entries)
  }

  /// A power of two.
  private static let capacity = 8_192
  /// The number of bytes of the longest path that is cached, so that long paths take no memory.
  private static let longestPath = 256

  /// Returns the index of a path: FNV-1a over eight bytes at a time. A collision costs only another resolution.
  private static func index(_ path: Range<Int>, _ bytes: Span<UInt8>) -> Int {
    // Reading from zero in the rest lets the compiler remove the bounds checks.
    var rest = bytes.extracting(path)
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    while rest.count >= 8 {
      hash = (hash ^ rest.word(at: 0)) &* 0x100_0000_01b3
      hash ^= hash >> 32
      rest = rest.extracting(droppingFirst: 8)
    }
    for index in rest.indices { hash = (hash ^ UInt64(rest[index])) &* 0x100_0000_01b3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 32) & (capacity - 1)
  }
}
