import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON
import BinderyText

/// A URL path below `/state`, resolved against the types of the state. Confined to one event loop.
final class ResolvedPath {
  /// The path as it was sent; empty if it is not cached.
  fileprivate var bytes: [UInt8] = []
  let route: Route
  let template: RouteTemplate
  /// The request metrics of the template, kept here because every request needs them.
  let metrics: RouteMetrics
  /// The result of the last read. A getter can take long, and clients poll the same path.
  private var known: Known?
  /// The last write that had only a method, a path and a body. It is the same for each such request, so it is created
  /// once.
  private var plainWrite: StateRequest?

  private struct Known {
    /// The last revision at which the value was found. A number and not the snapshot, because a reference to a snapshot
    /// would keep an old state in memory.
    var revision: Int
    /// Identifies the value in other revisions (``ReadOperation/stamp``).
    let stamp: UInt64?
    let digest: Digest
    /// The encoded response to a plain `GET` at this revision.
    var response: PreparedContent?
  }

  init(_ route: Route, _ template: RouteTemplate) {
    self.route = route
    self.template = template
    metrics = template.metrics
  }

  /// Whether a path has the same bytes.
  fileprivate func isSame(as path: Span<UInt8>) -> Bool {
    let bytes = bytes
    return bytes.count == path.count && bytes.span.hasSameBytes(as: path)
  }

  /// Returns the last plain write, if it has a method and a media type.
  func plainWrite(_ method: Method, _ mediaType: MediaType?) -> StateRequest? {
    guard let plainWrite, plainWrite.method == method, plainWrite.mediaType == mediaType else { return nil }
    return plainWrite
  }

  /// Keeps a plain write (``BinderyHTTP/RequestHead/isPlain``) for the next one.
  func keep(plainWrite request: StateRequest) { plainWrite = request }

  /// Returns the digest of the value at a revision, if it is known.
  func digest(at revision: Int) -> Digest? {
    guard let known, known.revision == revision else { return nil }
    return known.digest
  }

  /// Returns the encoded response to a plain `GET` at a revision, if it is known.
  func response(at revision: Int) -> PreparedContent? {
    guard let known, known.revision == revision else { return nil }
    return known.response
  }

  /// The stamp of the value that the encoded response shows; nil if there is no response or no stamp.
  var stampOfResponse: UInt64? { known?.response == nil ? nil : known?.stamp }

  /// Records that the value at a revision is still the known one, and returns the response that shows it.
  func confirm(at revision: Int) -> PreparedContent? {
    // Changed in a local variable, which alone refers to the bytes then. Changing the property in place would also add
    // an exclusivity check to every read.
    guard var confirmed = known else { return nil }
    known = nil
    confirmed.revision = revision
    confirmed.response?.replaceFirstField(.stateRevision, revision)
    known = confirmed
    return confirmed.response
  }

  /// Whether the path was read before.
  var wasRead: Bool { known != nil }

  /// Records what a read at a revision has found.
  func record(_ digest: Digest, _ stamp: UInt64?, at revision: Int, _ response: PreparedContent? = nil) {
    known = Known(revision: revision, stamp: stamp, digest: digest, response: response)
  }

  /// Returns the digest of the value in a snapshot, which is its ETag.
  ///
  /// - Throws: ``Absence`` if there is no value at this path.
  func digest<Root: Sendable>(
    in snapshot: Snapshot<Root>, of model: ModelDefinition<Root>, _ key: DigestKey
  ) throws(Absence) -> Digest {
    if let digest = digest(at: snapshot.revision) { return digest }
    var reading = ReadOperation(.digest, key: key, unless: known?.stamp)
    try model.shape.visit(snapshot.root, route, 0, &reading)
    if reading.isUnchanged, let known {
      _ = confirm(at: snapshot.revision)
      return known.digest
    }
    guard let value = reading.digest else { throw Absence(.nilOptional, depth: route.steps.count) }
    record(value, reading.stamp, at: snapshot.revision)
    return value
  }
}

/// The paths that the clients of one event loop request often, so that a repeated one is not resolved again.
///
/// A path is added when it is requested for the second time: a client that requests each of many places once does not
/// evict those that are requested often. Heads and authorizations are not cached, because the fields of real requests
/// differ. With four paths for each hash, few requests for paths that are read equally often miss.
///
/// Confined to that loop.
final class StatePathCache {
  /// The hash of a path as it was sent. A collision costs only another resolution.
  struct Hash {
    /// FNV-1a over eight bytes at a time.
    fileprivate var bits: UInt64 = 0xcbf2_9ce4_8422_2325

    init(of path: Span<UInt8>) {
      // Reading from zero in the rest lets the compiler remove the bounds checks.
      var rest = path
      while rest.count >= 8 {
        bits = (bits ^ rest.word(at: 0)) &* 0x100_0000_01b3
        bits ^= bits >> 32
        rest = rest.extracting(droppingFirst: 8)
      }
      for index in rest.indices { bits = (bits ^ UInt64(rest[index])) &* 0x100_0000_01b3 }
    }

    fileprivate func set(of count: Int) -> Int { Int(truncatingIfNeeded: bits ^ bits >> 32) & (count - 1) }
    /// Bits that do not determine the set; not 0.
    fileprivate var tag: UInt16 { max(1, UInt16(truncatingIfNeeded: bits >> 48)) }
  }

  /// The tags of the four paths with the same ``Hash/set``; 0 for none. A lookup compares the tags first, because the
  /// bytes of another path are rarely in the caches of the processor.
  private struct Tags {
    static let capacity = 4

    private var word: UInt64 = 0

    /// The lowest position of a tag; ``capacity`` if there is none.
    func position(of tag: UInt16) -> Int {
      let ones: UInt64 = 0x0001_0001_0001_0001
      let difference = word ^ UInt64(tag) &* ones
      // The highest bit of each tag that is equal. A borrow changes only those above the lowest one.
      let equal = (difference &- ones) & ~difference & ones << 15
      return equal.trailingZeroBitCount / 16
    }

    mutating func replace(at position: Int, with tag: UInt16) {
      let shift = UInt64(position * 16)
      word = word & ~(0xffff << shift) | UInt64(tag) << shift
    }
  }

  /// The paths of each set, in the order of its tags.
  private var entries: [ResolvedPath?]
  private var tags: [Tags]
  /// The tag of the path that was missed last, for each set.
  private var missed: [UInt16]
  /// The position that the next path for a full set gets.
  private var next = 0
  private let sets: Int

  /// - Parameter sets: The number of sets of four paths, a power of two.
  init(sets: Int) {
    self.sets = sets
    entries = Array(repeating: nil, count: sets * Tags.capacity)
    tags = Array(repeating: Tags(), count: sets)
    missed = Array(repeating: 0, count: sets)
  }

  /// Returns the cached path that is equal to the sent one.
  func find(_ path: Span<UInt8>, _ hash: Hash) -> ResolvedPath? {
    let set = hash.set(of: sets)
    let position = tags[set].position(of: hash.tag)
    guard position < Tags.capacity, let entry = entries[set * Tags.capacity + position],
      entry.isSame(as: path)
    else { return nil }
    return entry
  }

  /// Creates the resolved path of a sent one that was not found. It is added to its set if it is not long and was the
  /// last one missed there.
  func add(_ path: Span<UInt8>, _ hash: Hash, _ route: Route, _ template: RouteTemplate) -> ResolvedPath {
    let resolved = ResolvedPath(route, template)
    guard path.count <= Self.longestPath else { return resolved }
    let set = hash.set(of: sets)
    guard missed[set] == hash.tag else {
      missed[set] = hash.tag
      return resolved
    }
    resolved.bytes = Array(copying: path)
    // A lookup finds only one path with a tag.
    var position = tags[set].position(of: hash.tag)
    if position == Tags.capacity { position = tags[set].position(of: 0) }
    if position == Tags.capacity { (position, next) = (next, (next + 1) % Tags.capacity) }
    tags[set].replace(at: position, with: hash.tag)
    // Moved into a local variable during the change: modifying the property in place would add an exclusivity check to
    // every lookup.
    var entries: [ResolvedPath?] = []
    swap(&entries, &self.entries)
    entries[set * Tags.capacity + position] = resolved
    swap(&entries, &self.entries)
    return resolved
  }

  /// The number of bytes of the longest path that is cached, so that long paths take no memory.
  private static let longestPath = 256
}
