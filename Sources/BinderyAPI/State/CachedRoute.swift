import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// A resolved path with the response data that was computed for it last. Confined to one event loop.
///
/// Everything cached here belongs to one revision and is used only if that is still the current one.
final class CachedRoute {
  /// The path as it was sent.
  let rawPath: [UInt8]
  let resolvedPath: ResolvedPath
  /// The revision of `digest` and `fields`. A number, because a reference to the snapshot would keep an old state in
  /// memory.
  private var revision: Int?
  private var digest: Digest?
  private var fields: FieldLines?
  /// The response with the value's JSON, if that is short, and the revision at which it was current.
  private var response: (revision: Int, content: PreparedContent)?
  /// The request metrics of the route.
  private var metrics: RouteMetrics?

  init(_ resolvedPath: ResolvedPath, rawPath: [UInt8] = []) {
    self.rawPath = rawPath
    self.resolvedPath = resolvedPath
  }

  /// Returns the request metrics of the route.
  func metrics(in routes: StateRouteMetrics) -> RouteMetrics {
    if let metrics { return metrics }
    let metrics = routes.metrics(of: resolvedPath.route)
    self.metrics = metrics
    return metrics
  }

  /// Returns the digest of the value in a snapshot, which is its ETag.
  ///
  /// - Throws: ``Absence`` if there is no value at this path.
  func digest<Root: Sendable>(
    in snapshot: Snapshot<Root>, of model: ModelDefinition<Root>, _ key: DigestKey
  ) throws(Absence) -> Digest {
    if snapshot.revision == revision, let digest { return digest }
    revision = nil
    fields = nil
    digest = nil
    var reading = ReadOperation(
      response == nil ? .digest : .digestAndJSON, key: key, writer: JSONWriter(stoppingAt: Self.maximumCachedBytes + 1))
    try model.shape.visit(snapshot.root, resolvedPath.route, 0, &reading)
    // The response is kept across revisions that do not change this value. Its bytes decide that, because different
    // values can have the same digest.
    if let content = response?.content, !content.holds(reading.writer.bytes) { response = nil }
    digest = reading.digest
    revision = snapshot.revision
    guard let digest else { throw Absence(.nilOptional, depth: resolvedPath.route.steps.count) }
    return digest
  }

  /// Returns the header fields that every response about the value has: `ETag`, `State-Revision`, `Vary` and
  /// `Cache-Control`.
  ///
  /// - Throws: ``Absence`` if there is no value at this path.
  func fields<Root: Sendable>(
    in snapshot: Snapshot<Root>, of model: ModelDefinition<Root>, _ key: DigestKey
  ) throws(Absence) -> FieldLines {
    if snapshot.revision == revision, let fields { return fields }
    let digest = try digest(in: snapshot, of: model, key)
    let fields = FieldLines { $0.stateFields(digest, snapshot.revision) }
    self.fields = fields
    return fields
  }

  /// Returns the cached response to a plain `GET` at a revision, if it is still current.
  func cachedResponse(at revision: Int) -> PreparedContent? {
    response?.revision == revision ? response?.content : nil
  }

  /// Returns the cached response for a snapshot. If only the revision has changed, the response is rebuilt with the
  /// cached JSON.
  ///
  /// - Parameter fields: The result of ``fields(in:of:_:)`` for the same snapshot.
  func cachedResponse<Root: Sendable>(in snapshot: Snapshot<Root>, after fields: FieldLines) -> PreparedContent? {
    guard snapshot.revision == revision, let response else { return nil }
    if response.revision == revision { return response.content }
    return cache(response.content.line, in: snapshot, after: fields)
  }

  /// Caches the value's JSON, if it is short.
  ///
  /// - Parameter fields: The result of ``fields(in:of:_:)`` for the same snapshot.
  /// - Returns: The response, or nil if it was not cached.
  @discardableResult
  func cache<Root: Sendable>(_ json: [UInt8], in snapshot: Snapshot<Root>, after fields: FieldLines)
    -> PreparedContent?
  {
    guard snapshot.revision == revision, json.count <= Self.maximumCachedBytes else { return nil }
    let content = PreparedContent(line: json, type: "application/json", after: fields)
    response = (snapshot.revision, content)
    return content
  }

  /// The longest JSON that is cached, in bytes. It bounds a loop's cache to 4 MiB of JSON.
  private static let maximumCachedBytes = 4_096
}

extension ResponseWriter {
  /// Writes the fields about a value at a revision. They include `Vary`, because the representation depends on
  /// `Accept`, and `no-cache`, because a cache must revalidate it.
  fileprivate mutating func stateFields(_ digest: Digest, _ revision: Int) {
    field(.etag, digest)
    field(.stateRevision, revision)
    field(.vary, "Accept")
    field(.cacheControl, "no-cache")
  }
}
