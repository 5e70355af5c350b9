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
  private let documents: [String: Document]
  private let ready = Document("text/plain; charset=utf-8", "ready\n", isVolatile: true)
  private let readiness: @Sendable () -> Readiness

  /// - Parameters:
  ///   - documents: what stands at fixed paths (`/openapi.yaml`).
  ///   - history: what can tell of earlier revisions; nil where none are kept.
  ///   - streamLimits: what event streams of one loop may take.
  ///   - readiness: asked for each `/readyz`.
  package init(
    _ state: StateResource<Root>, documents: [String: Document], history: (any History)? = nil,
    streamLimits: StreamLimits = StreamLimits(), readiness: @escaping @Sendable () -> Readiness
  ) {
    self.state = state
    self.history = HistoryResource(state.store, history)
    self.streamLimits = streamLimits
    var all = documents
    for kind in ProblemKind.allCases { all["/problems/" + kind.rawValue] = kind.page }
    all["/problems"] = ProblemKind.index
    all["/livez"] = Document("text/plain; charset=utf-8", "ok\n", isVolatile: true)
    self.documents = all
    self.readiness = readiness
  }

  /// The document at a path outside the state.
  func document(_ target: Target) throws(Problem) -> Document {
    let path = Target.path(target.segments)
    if path == "/readyz" {
      switch readiness() {
      case .ready: return ready
      case .notReady(let reason): throw Problem(.unavailable, reason)
      }
    }
    guard let document = documents[path.isEmpty ? "/" : path] else {
      throw Problem(.unknownPath, "Nothing stands at “\(path)”. The state is at /state.")
    }
    return document
  }
}
