import BinderyCore

/// The route metrics of requests for the state. Confined to one event loop.
///
/// A tree over the steps of a route finds the metrics without building the route template. All elements of a
/// collection share a node, so the size of the tree depends on the types only.
final class StateRouteMetrics {
  private struct Node {
    var metrics: RouteMetrics?
    /// The indices of the nodes of the next steps.
    var children: [(step: Int, node: Int)] = []
  }

  private let loop: LoopMetrics
  private let root: TypeInfo
  /// The nodes of the tree, the root first.
  private var nodes = [Node()]

  /// - Parameters:
  ///   - loop: The metrics of the event loop.
  ///   - root: The type of the state.
  init(_ loop: LoopMetrics, below root: TypeInfo) {
    self.loop = loop
    self.root = root
  }

  /// Returns the metrics of the route template that a route belongs to.
  ///
  /// - Complexity: O(number of steps).
  func metrics(of route: Route) -> RouteMetrics {
    var node = 0
    for index in route.steps.indices {
      let step = Self.identifier(of: route.steps[index])
      node = nodes[node].children.first { $0.step == step }?.node ?? add(step, to: node)
    }
    if let metrics = nodes[node].metrics { return metrics }
    let metrics = loop.route(route.template(from: root))
    nodes[node].metrics = metrics
    return metrics
  }

  private func add(_ step: Int, to parent: Int) -> Int {
    nodes[parent].children.append((step, nodes.count))
    nodes.append(Node())
    return nodes.count - 1
  }

  /// Returns a number that distinguishes the steps of one type. All elements of a collection have the same number.
  private static func identifier(of step: Step) -> Int {
    switch step {
    case .member(let index): index << 2
    case .payload(let index): index << 2 | 1
    case .wrapped: 2
    case .key, .index, .end: 3
    }
  }
}

extension Route {
  /// Returns the URL path with placeholders for ids and keys, such as `/state/dishes/{id}/name`.
  ///
  /// The number of templates is bounded by the types, so they are safe as metric labels.
  ///
  /// - Parameter root: The type at which the route begins.
  func template(from root: TypeInfo) -> String {
    var template = "/state"
    var type = root
    for step in steps {
      switch (type.kind, step) {
      case (.product(let product), .member(let index)): template += "/" + product.members[index].name
      case (.sum(let cases), .payload(let index)): template += "/" + cases[index].name
      case (.optional(let wrapped), .wrapped):
        // Only nested optionals have segments in a path.
        if case .optional = wrapped.kind { template += "/some" }
      case (.dictionary, _), (.product, .key): template += "/{key}"
      default: template += "/{id}"
      }
      type = type.following([step]) ?? type
    }
    return template
  }
}
