import BinderyHTTP

/// Names the routes outside the state: they are few, and all that is unknown is one. Confined to one loop.
final class SiteRoutes {
  /// By path, as templates.
  private let fixed: [String: String]
  private let loop: LoopFigures
  private var known: [String: RouteFigures] = [:]
  private let other: RouteFigures
  private let revert: RouteFigures

  /// - Parameter fixed: the paths at which something stands, with the templates of their routes.
  init(_ fixed: [String: String], _ loop: LoopFigures) {
    self.fixed = fixed
    self.loop = loop
    other = loop.route("other")
    revert = loop.route("/history/{revision}/revert")
  }

  /// What is counted of a request that is not for a place of the state.
  func figures(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> RouteFigures {
    let path = head.targetForm == .asterisk ? "*" : head.path.isEmpty ? "/" : bytes.text(head.path)
    if let known = known[path] { return known }
    guard let template = fixed[path] else {
      let isRevert = path.hasPrefix("/history/") && path.hasSuffix("/revert") && path.split(separator: "/").count == 3
      return isRevert ? revert : other
    }
    let figures = loop.route(template)
    known[path] = figures
    return figures
  }
}
