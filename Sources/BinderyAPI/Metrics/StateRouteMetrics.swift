import BinderyCore

/// The route metrics of requests for the state. Confined to one event loop.
///
/// A tree over the steps of a route finds the metrics without building the route template. All elements of a
/// collection share a node, so the size of the tree depends on the types only.
final class StateRouteMetrics {
  private final class Node {
    var metrics: RouteMetrics?
    var children: [(step: Int, node: Node)] = []

    /// Returns the child for a step, creating it if needed.
    func child(_ step: Int) -> Node {
      for child in children where child.step == step { return child.node }
      let node = Node()
      children.append((step, node))
      return node
    }
  }

  private let loop: LoopMetrics
  private let root: TypeInfo
  private let tree = Node()

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
    var node = tree
    for step in route.steps { node = node.child(Self.identifier(of: step)) }
    if let metrics = node.metrics { return metrics }
    let metrics = loop.route(route.template(from: root))
    node.metrics = metrics
    return metrics
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
