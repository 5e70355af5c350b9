import BinderyCore

/// Finds what is counted of the requests for a route of the state, in a few steps, whatever the names along it.
/// Confined to one loop.
final class StateRouteMetrics {
  private final class Node {
    var metrics: RouteMetrics?
    var children: [(step: Int, node: Node)] = []

    /// The node behind a step, made where it is missing.
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

  /// - Parameter root: the type of the state.
  init(_ loop: LoopMetrics, below root: TypeInfo) {
    self.loop = loop
    self.root = root
  }

  /// What is counted of the requests for all places of a route.
  func metrics(of route: Route) -> RouteMetrics {
    var node = tree
    for step in route.steps { node = node.child(Self.number(of: step)) }
    if let metrics = node.metrics { return metrics }
    let metrics = loop.route(route.template(from: root))
    node.metrics = metrics
    return metrics
  }

  /// Tells the steps of one type apart; all elements of a sequence are one.
  private static func number(of step: Step) -> Int {
    switch step {
    case .member(let index): index << 2
    case .payload(let index): index << 2 | 1
    case .wrapped: 2
    case .key, .index, .end: 3
    }
  }
}
