import Bindings
package import Shapes
package import State

/// Everything that the service answers: the state, and what stands around it.
package final class Site<Root: Model>: Sendable {
  /// Whether the service can do its work; the reason where it cannot.
  package enum Readiness: Sendable {
    case ready
    case notReady(String)
  }

  let state: StateResource<Root>
  let history: HistoryResource<Root>
  let streamLimits: StreamLimits
  let admission: Admission
  private let documents: [String: Document]
  /// The paths of the documents that everybody may read.
  private let forAll: [[UInt8]]
  private let ready = Document("text/plain; charset=utf-8", "ready\n", isVolatile: true)
  private let readiness: @Sendable () -> Readiness

  /// - Parameters:
  ///   - documents: what stands at fixed paths (`/openapi.yaml`).
  ///   - history: what can tell of earlier revisions; nil where none are kept.
  ///   - streamLimits: what event streams of one loop may take.
  ///   - admission: who may ask; everybody by default.
  ///   - readiness: asked for each `/readyz`.
  package init(
    _ state: StateResource<Root>, documents: [String: Document], history: (any History)? = nil,
    streamLimits: StreamLimits = StreamLimits(), admission: Admission = Admission(),
    readiness: @escaping @Sendable () -> Readiness
  ) {
    self.state = state
    self.history = HistoryResource(state.store, history)
    self.streamLimits = streamLimits
    self.admission = admission
    var all = documents
    for kind in ProblemKind.allCases { all["/problems/" + kind.rawValue] = kind.page }
    all["/problems"] = ProblemKind.index
    all["/livez"] = Document("text/plain; charset=utf-8", "ok\n", isVolatile: true)
    self.documents = all
    forAll = [SitePath.readyz] + all.filter(\.value.isForAll).keys.map { Array($0.utf8) }
    self.readiness = readiness
  }

  /// Whether a path, as it was sent, is that of a document for everybody.
  func isForAll(_ path: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    // In the absolute form nothing at all is the root.
    path.isEmpty ? documents["/"]?.isForAll ?? false : forAll.contains { bytes.holds($0, at: path) }
  }

  /// The document at a path outside the state.
  ///
  /// - Parameter isTrusted: the caller may know why the service is not ready.
  func document(_ target: Target, isTrusted: Bool) throws(Problem) -> Document {
    let path = Target.path(target.segments)
    if path == "/readyz" {
      switch readiness() {
      case .ready: return ready
      case .notReady(let reason): throw Problem(.unavailable, isTrusted ? reason : "Writes cannot be kept just now.")
      }
    }
    guard let document = documents[path.isEmpty ? "/" : path] else {
      throw Problem(.unknownPath, "Nothing stands at “\(path)”. The state is at /state.")
    }
    return document
  }
}
