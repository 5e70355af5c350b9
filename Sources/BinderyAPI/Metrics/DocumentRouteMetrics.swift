import BinderyHTTP

/// The route metrics of requests outside the state, by path. Confined to one event loop.
///
/// Only known paths have a route of their own; all others share the route `other`, so that requests for random paths
/// cannot create new metrics.
final class DocumentRouteMetrics {
  /// The route template of each known path.
  private let templates: [String: String]
  private let basePath: BasePath
  private let loop: LoopMetrics
  private let other: RouteMetrics
  private let revert: RouteMetrics
  /// The metrics of all files of the folder that is served beside the state.
  private(set) lazy var files = loop.route("/{file}")

  /// - Parameters:
  ///   - templates: The known paths, with the templates of their routes.
  ///   - basePath: The base path of the service, which the templates do not contain.
  init(_ templates: [String: String], below basePath: BasePath, _ loop: LoopMetrics) {
    self.templates = templates
    self.basePath = basePath
    self.loop = loop
    other = loop.route("other")
    revert = loop.route("/history/{revision}/revert")
  }

  /// Returns the metrics of the route that a request outside the state belongs to.
  func metrics(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> RouteMetrics {
    let range = basePath.remainder(of: head.path, in: bytes) ?? head.path
    let path = head.targetForm == .asterisk ? "*" : range.isEmpty ? "/" : bytes.text(range)
    guard let template = templates[path] else {
      let isRevert = path.hasPrefix("/history/") && path.hasSuffix("/revert") && path.split(separator: "/").count == 3
      return isRevert ? revert : other
    }
    return loop.route(template)
  }
}
