import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// An address of the state, resolved: what all requests for it have in common.
final class ResolvedPath: Sendable {
  private enum Spelling {
    /// The segments behind `/state`.
    case segments([String])
    /// The path itself, of which nothing is to be decoded.
    case plain([UInt8])
  }

  private let spelling: Spelling
  let route: Route
  let allowed: AllowedMethods
  /// How a journal calls the place, where somebody will ask.
  let storedPath: [UInt8]?

  convenience init(segments: [String], route: Route, storedPath: [UInt8]?) {
    self.init(.segments(segments), route, storedPath)
  }

  convenience init(plain path: [UInt8], route: Route, storedPath: [UInt8]?) {
    self.init(.plain(path), route, storedPath)
  }

  private init(_ spelling: Spelling, _ route: Route, _ storedPath: [UInt8]?) {
    self.spelling = spelling
    self.route = route
    self.allowed = AllowedMethods(route)
    self.storedPath = storedPath
  }

  /// The segments behind `/state`, of a plain path taken apart each time: few answers tell them.
  var segments: [String] {
    switch spelling {
    case .segments(let segments): segments
    case .plain(let path):
      path.split(separator: UInt8(ascii: "/")).dropFirst().map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// The path of the URL, made anew each time: few answers tell it.
  var path: String { RequestTarget.path(["state"] + segments) }
}

/// A place that was asked for, with what it was when somebody last looked. Confined to one loop.
final class CachedRoute {
  /// The path as it was sent.
  fileprivate let spelling: [UInt8]
  let address: ResolvedPath
  /// When somebody last looked: the number of a version, since the version itself would be held for nobody.
  private var revision: Int?
  private var digest: Digest?
  private var fields: FieldLines?
  /// The answer with the JSON of what stands here, while that is small, and at which revision it was given.
  private var answer: (revision: Int, content: PreparedContent)?
  /// What is counted of the requests for it.
  private var metrics: RouteMetrics?

  init(_ address: ResolvedPath, spelling: [UInt8] = []) {
    self.spelling = spelling
    self.address = address
  }

  /// What is counted of the requests for it.
  func metrics(in routes: StateRouteMetrics) -> RouteMetrics {
    if let metrics { return metrics }
    let metrics = routes.metrics(of: address.route)
    self.metrics = metrics
    return metrics
  }

  /// The digest of what stands here in a version.
  ///
  /// - Throws: where nothing does.
  func digest<Root: Model>(in version: Snapshot<Root>, _ key: DigestKey) throws(Absence) -> Digest {
    if version.revision == revision, let digest { return digest }
    revision = nil
    fields = nil
    var reading = ReadOperation(.digest, key: key)
    try Root.shape.visit(version.root, address.route, 0, &reading)
    // Another version with the same digest has the same JSON.
    if reading.digest != digest { answer = nil }
    digest = reading.digest
    revision = version.revision
    guard let digest else { throw Absence(.nilOptional, depth: address.route.steps.count) }
    return digest
  }

  /// What an answer says of the place in a version, whatever its content: `ETag`, `State-Revision`, how it was chosen.
  ///
  /// - Throws: where nothing stands here.
  func fields<Root: Model>(in version: Snapshot<Root>, _ key: DigestKey) throws(Absence) -> FieldLines {
    if version.revision == revision, let fields { return fields }
    let digest = try digest(in: version, key)
    let fields = FieldLines { $0.describe(digest, version.revision) }
    self.fields = fields
    return fields
  }

  /// What was answered at a revision to somebody who asked for nothing but the value.
  func answer(at revision: Int) -> PreparedContent? { answer?.revision == revision ? answer?.content : nil }

  /// The answer in a version whose fields have just been asked for, where its JSON is remembered.
  func answer<Root: Model>(in version: Snapshot<Root>, after fields: FieldLines) -> PreparedContent? {
    guard version.revision == revision, let answer else { return nil }
    if answer.revision == revision { return answer.content }
    return remember(answer.content.bytes, in: version, after: fields)
  }

  /// Remembers the JSON of what stands here in a version, while it is small.
  ///
  /// - Returns: the answer.
  @discardableResult
  func remember<Root: Model>(
    _ json: [UInt8], in version: Snapshot<Root>, after fields: FieldLines
  ) -> PreparedContent? {
    guard version.revision == revision, json.count <= Self.rememberedBytes else { return nil }
    let content = PreparedContent(json, type: "application/json", after: fields)
    answer = (version.revision, content)
    return content
  }

  /// A longer text is made anew for each answer, so that it is not held for nobody.
  private static let rememberedBytes = 4_096
}

extension ResponseWriter {
  /// Tells what a place is at a revision, in a form that `Accept` has chosen and that must be asked for again.
  fileprivate mutating func describe(_ digest: Digest, _ revision: Int) {
    field(.etag, digest)
    field(.stateRevision, revision)
    field(.vary, "Accept")
    field(.cacheControl, "no-cache")
  }
}

/// The places that a loop's clients ask for, each resolved once.
final class RouteCache {
  /// At the hash of the path as it was sent; of two at one index the later one is known.
  private var places = [CachedRoute?](repeating: nil, count: RouteCache.most)

  /// The place at a path, if it was asked for before.
  func find(_ path: Range<Int>, in bytes: Span<UInt8>) -> CachedRoute? {
    guard let place = places[Self.index(path, bytes)], place.spelling.count == path.count else { return nil }
    let spelling = place.spelling
    return spelling.span.isSame(as: bytes.extracting(path)) ? place : nil
  }

  /// Remembers a place, in the stead of another one.
  func remember(_ address: ResolvedPath, at path: Range<Int>, in bytes: Span<UInt8>) -> CachedRoute {
    let place = CachedRoute(address, spelling: bytes.slice(path))
    // Taken out meanwhile: were the property changed in place, each look at it would be checked for exclusive access.
    var places: [CachedRoute?] = []
    swap(&places, &self.places)
    places[Self.index(path, bytes)] = place
    swap(&places, &self.places)
    return place
  }

  private static let most = 1_024

  /// FNV-1a, eight bytes at a time: a collision costs only that a place is resolved anew.
  private static func index(_ path: Range<Int>, _ bytes: Span<UInt8>) -> Int {
    var rest = bytes.extracting(path)
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    while rest.count >= 8 {
      hash = (hash ^ rest.word(at: 0)) &* 0x100_0000_01b3
      hash ^= hash >> 32
      rest = rest.extracting(droppingFirst: 8)
    }
    for index in rest.indices { hash = (hash ^ UInt64(rest[index])) &* 0x100_0000_01b3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 32) & (most - 1)
  }
}
