package import BinderyCore
import BinderyHTTP
package import BinderyTelemetry

/// The resources of the service: the state, its history, and the documents at fixed paths.
package final class StateAPI<Root: Sendable>: Sendable {
  /// The status of the journal in a readiness check.
  package enum JournalStatus: Sendable {
    /// The service has no journal: its state is only in memory.
    case none
    case ok
    /// The reason is reported to trusted clients only.
    case failing(JournalFailure)
  }

  let state: StateResource<Root>
  let history: HistoryResource<Root>
  let streamLimits: StreamLimits
  /// Counts the bytes of writes that wait for the journal.
  let writeBudget: Budget
  /// Counts the places of all streams.
  let watchBudget: Budget
  /// The metrics of all event loops.
  package let metrics: APIMetrics
  /// The access log, if there is one.
  let accessLog: Logger?
  let accessControl: AccessControl
  var basePath: BasePath { state.basePath }
  private let documents: [String: StaticDocument]
  /// The files of the folder that is served beside the state, if there is one.
  let files: (any FileSource)?
  /// Counts the bytes of long files that are being sent.
  let fileBudget: Budget
  /// The endpoints of the program.
  private let endpoints: ProgramEndpoints
  /// The middleware of the program, in the order in which requests pass it.
  let middleware: [ProgramMiddleware]
  /// The paths of the web pages that need a token, as bytes.
  private let protectedPagePaths: [[UInt8]]
  private let journalStatus: @Sendable () -> JournalStatus
  private let renderMetrics: (@Sendable () -> [UInt8])?

  /// Creates the resources of a service.
  ///
  /// - Parameters:
  ///   - state: The resource tree below `/state`.
  ///   - documents: The documents at fixed paths, such as `/openapi.yaml`.
  ///   - files: The files of a folder, at the paths that belong neither to the service nor to a document.
  ///   - endpoints: The endpoints of the program.
  ///   - middleware: The middleware of the program, in the order in which requests pass it.
  ///   - history: The stored revisions, or nil if none are stored.
  ///   - streamLimits: The limits on event streams, per event loop.
  ///   - accessControl: The rules of authentication and authorization.
  ///   - metrics: Receives the metrics of all event loops.
  ///   - renderMetrics: Returns the content of `/metrics`, or nil if that path does not exist.
  ///   - accessLog: Receives one line per request.
  ///   - journalStatus: Returns whether writes can be stored. Called for each request to `/readyz`, on any thread.
  package init(
    _ state: StateResource<Root>, documents: [String: StaticDocument],
    files: (any FileSource)? = nil, endpoints: [ProgramEndpoint] = [], middleware: [ProgramMiddleware] = [],
    history: (any History)? = nil, streamLimits: StreamLimits = StreamLimits(),
    accessControl: AccessControl,
    metrics: APIMetrics = APIMetrics(), renderMetrics: (@Sendable () -> [UInt8])? = nil, accessLog: Logger? = nil,
    journalStatus: @escaping @Sendable () -> JournalStatus
  ) {
    self.state = state
    writeBudget = Budget(limit: streamLimits.pendingWriteBytes)
    watchBudget = Budget(limit: streamLimits.maximumWatchedPlaces)
    self.history = HistoryResource(
      state, history, responses: Budget(limit: streamLimits.historyBytes), writes: writeBudget)
    self.streamLimits = streamLimits
    self.metrics = metrics
    self.renderMetrics = renderMetrics
    self.accessLog = accessLog
    self.accessControl = accessControl
    var all = documents
    for kind in ProblemKind.allCases { all["/problems/" + kind.rawValue] = kind.page }
    all["/problems"] = ProblemKind.index
    all["/livez"] = StaticDocument("ok\n")
    self.documents = all
    self.files = files
    self.endpoints = ProgramEndpoints(endpoints)
    self.middleware = middleware
    fileBudget = Budget(limit: streamLimits.fileBytes)
    protectedPagePaths = all.filter(\.value.isProtectedPage).keys.map { Array($0.utf8) }
    self.journalStatus = journalStatus
  }

  /// Returns whether a request needs no credential: it reads a public document, or its endpoint is public.
  ///
  /// - Parameter path: The range of the path as it was sent.
  func isPublic(_ method: Method, _ path: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    guard let target = try? RequestTarget(path: bytes.slice(path)[...]) else {
      // The name of a file is no JSON Pointer.
      return method.isSafe && fileTarget(path, bytes) != nil
    }
    let found = endpoints(at: target)
    if let endpoint = found.responding(to: method) { return endpoint.isPublic }
    guard method.isSafe else { return false }
    // The response to OPTIONS, or 405, names the methods and nothing else.
    if !found.isEmpty { return found.contains(where: \.isPublic) }
    return target.documentPath == "/readyz" || documents[target.documentPath]?.isPublic == true
      || fileTarget(path, bytes) != nil
  }

  var hasEndpoints: Bool { !endpoints.isEmpty }

  /// Returns the endpoints at a path, one for each method.
  ///
  /// A placeholder never matches a path of the service or of a document.
  func endpoints(at target: RequestTarget) -> [ProgramEndpoint] {
    guard !endpoints.isEmpty, !target.isFolder, let first = target.segments.first,
      !ServicePath.firstSegments.contains(first)
    else { return [] }
    let found = endpoints.find(target.segments)
    return documents[target.documentPath] == nil ? found : found.filter { $0.segments.allSatisfy(\.isLiteral) }
  }

  /// Returns the target of a request for a file of the folder that is served beside the state.
  ///
  /// Paths of the service and of documents take precedence, except a redirection from the root.
  ///
  /// - Parameter path: The range of the path as it was sent.
  /// - Returns: nil if the path belongs to the service or to a document, or is malformed, or if there is no folder.
  func fileTarget(_ path: Range<Int>, _ bytes: Span<UInt8>) -> RequestTarget? {
    guard files != nil, let target = try? RequestTarget(path: bytes.slice(path)[...], isPointer: false) else {
      return nil
    }
    if let first = target.segments.first, ServicePath.firstSegments.contains(first) { return nil }
    return documents[target.documentPath]?.isRedirection ?? true ? target : nil
  }

  /// Returns whether a path is the path of a web page that needs a token.
  func isProtectedPage(_ path: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    protectedPagePaths.contains { bytes.holds($0, at: path) }
  }

  /// Returns the document at a path outside the state.
  ///
  /// - Parameters:
  ///   - target: The request target.
  ///   - excludesJournal: Whether `/readyz` leaves out whether writes can be stored.
  ///   - isTrusted: Whether the client may see why the service is not ready.
  ///   - isStopping: Whether the server is stopping, and therefore not ready.
  /// - Throws: `unknown-path`, or `unavailable` for `/readyz` if the service is not ready.
  func document(
    _ target: RequestTarget, excludingJournal excludesJournal: Bool = false, isTrusted: Bool, isStopping: Bool
  ) throws(Problem) -> StaticDocument {
    let path = target.documentPath
    if path == "/readyz" {
      var reasons = isStopping ? ["server: stopping"] : []
      let journal = journalStatus()
      if case .failing(let failure) = journal, !excludesJournal || failure.isOutdated {
        reasons.append("journal: " + (isTrusted ? failure.reason : "writes cannot be stored at the moment"))
      }
      guard reasons.isEmpty else { throw Problem(.unavailable, reasons.joined(separator: "; ")) }
      let details =
        switch journal {
        case .none: "server: ok"
        case .ok: "journal: ok\nserver: ok"
        case .failing: "journal: excluded\nserver: ok"
        }
      return StaticDocument("ready\n\(details)\n")
    }
    if path == "/metrics", let renderMetrics {
      return StaticDocument(Exposition.mediaType, isVolatile: true, renderMetrics)
    }
    guard let document = documents[path] else {
      if target.isFolder { throw .emptySegment }
      let base = state.basePath.text
      throw Problem(.unknownPath, "There is no path “\(base)\(path)”. The state is at \(base)/state.")
    }
    return document
  }

  /// Returns whether `GET` of a path outside the state succeeds, without a query and header fields.
  func isReadable(_ path: String) -> Bool {
    documents[path] != nil || path == "/history" || path == "/metrics" && renderMetrics != nil
  }

  /// The paths outside the state.
  var paths: [String] { documents.keys + ["/readyz", "/metrics", "/events", "/session", "/history"] }

  /// The paths outside the state, and the route template of each for metrics.
  var fixedRouteTemplates: [String: String] {
    var templates: [String: String] = [:]
    for path in paths + ["*"] {
      templates[path] =
        path.hasPrefix("/problems/") ? "/problems/{type}" : path.hasPrefix("/client-") ? "/client-{hash}.js" : path
    }
    return templates
  }
}
