package import BinderyCore
package import BinderyTelemetry

/// Everything that the service answers: the state, and what stands around it.
package final class StateAPI<Root: Model>: Sendable {
  /// Whether the service can do its work; the reason where it cannot.
  package enum Readiness: Sendable {
    case ready
    case notReady(String)
  }

  let state: StateResource<Root>
  let history: HistoryResource<Root>
  let streamLimits: StreamLimits
  /// What the loops count.
  package let metrics: APIMetrics
  /// Where each request is written down, if it is.
  let accessLog: Logger?
  let accessControl: AccessControl
  private let documents: [String: StaticDocument]
  /// The paths of the documents that everybody may read.
  private let forAll: [[UInt8]]
  private let ready = StaticDocument(
    "text/plain; charset=utf-8", "ready\njournal: ok\nserver: ok\n", isVolatile: true)
  private let readiness: @Sendable () -> Readiness
  private let renderMetrics: (@Sendable () -> [UInt8])?

  /// - Parameters:
  ///   - documents: what stands at fixed paths (`/openapi.yaml`).
  ///   - history: what can tell of earlier revisions; nil where none are kept.
  ///   - streamLimits: what event streams of one loop may take.
  ///   - admission: who may ask; everybody by default.
  ///   - figures: where the loops count.
  ///   - metrics: makes what `/renderMetrics` shows; nil where nothing stands there.
  ///   - accessLog: where each request is written down.
  ///   - readiness: asked for each `/readyz`.
  package init(
    _ state: StateResource<Root>, documents: [String: StaticDocument], history: (any History)? = nil,
    streamLimits: StreamLimits = StreamLimits(), accessControl: AccessControl = AccessControl(),
    metrics: APIMetrics = APIMetrics(), renderMetrics: (@Sendable () -> [UInt8])? = nil, accessLog: Logger? = nil,
    readiness: @escaping @Sendable () -> Readiness
  ) {
    self.state = state
    self.history = HistoryResource(state.store, history)
    self.streamLimits = streamLimits
    self.metrics = metrics
    self.renderMetrics = renderMetrics
    self.accessLog = accessLog
    self.accessControl = accessControl
    var all = documents
    for kind in ProblemKind.allCases { all["/problems/" + kind.rawValue] = kind.page }
    all["/problems"] = ProblemKind.index
    all["/livez"] = StaticDocument("text/plain; charset=utf-8", "ok\n", isVolatile: true)
    self.documents = all
    forAll = [FixedPath.readyz] + all.filter(\.value.isForAll).keys.map { Array($0.utf8) }
    self.readiness = readiness
  }

  /// Whether a path, as it was sent, is that of a document for everybody.
  func isForAll(_ path: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    // In the absolute form nothing at all is the root.
    path.isEmpty ? documents["/"]?.isForAll ?? false : forAll.contains { bytes.holds($0, at: path) }
  }

  /// The document at a path outside the state.
  ///
  /// - Parameters:
  ///   - isTrusted: the caller may know why the service is not ready.
  ///   - isStopping: the service will not be ready again.
  func document(_ target: RequestTarget, isTrusted: Bool, isStopping: Bool) throws(Problem) -> StaticDocument {
    let path = RequestTarget.path(target.segments)
    if path == "/readyz" {
      var troubles = isStopping ? ["server: stopping"] : []
      if case .notReady(let reason) = readiness() {
        troubles.append("journal: " + (isTrusted ? reason : "writes cannot be kept just now"))
      }
      guard troubles.isEmpty else { throw Problem(.unavailable, troubles.joined(separator: "; ")) }
      return ready
    }
    if path == "/metrics", let renderMetrics {
      return StaticDocument(Exposition.mediaType, isVolatile: true, renderMetrics)
    }
    guard let document = documents[path.isEmpty ? "/" : path] else {
      throw Problem(.unknownPath, "Nothing stands at “\(path)”. The state is at /state.")
    }
    return document
  }

  /// The paths outside the state at which something stands, with what their routes are called.
  var fixedPaths: [String: String] {
    var paths = ["/readyz", "/metrics", "/events", "/session", "/history", "*"]
    paths += documents.keys
    let routes = paths.map { ($0, $0.hasPrefix("/problems/") ? "/problems/{type}" : $0) }
    return Dictionary(routes) { first, _ in first }
  }
}
