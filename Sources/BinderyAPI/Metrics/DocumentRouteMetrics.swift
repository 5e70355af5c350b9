import BinderyHTTP

/// Names the routes outside the state: they are few, and all that is unknown is one. Confined to one loop.
final class DocumentRouteMetrics {
  /// By path, as templates.
  private let fixed: [String: String]
  private let loop: LoopMetrics
  private var known: [String: RouteMetrics] = [:]
  private let other: RouteMetrics
  private let revert: RouteMetrics

  /// - Parameter fixed: the paths at which something stands, with the templates of their routes.
  init(_ fixed: [String: String], _ loop: LoopMetrics) {
    self.fixed = fixed
    self.loop = loop
    other = loop.route("other")
    revert = loop.route("/history/{revision}/revert")
  }

  /// What is counted of a request that is not for a place of the state.
  func metrics(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> RouteMetrics {
    let path = head.targetForm == .asterisk ? "*" : head.path.isEmpty ? "/" : bytes.text(head.path)
    if let known = known[path] { return known }
    guard let template = fixed[path] else {
      let isRevert = path.hasPrefix("/history/") && path.hasSuffix("/revert") && path.split(separator: "/").count == 3
      return isRevert ? revert : other
    }
    let metrics = loop.route(template)
    known[path] = metrics
    return metrics
  }
}
