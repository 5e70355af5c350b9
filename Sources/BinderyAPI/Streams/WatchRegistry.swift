import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// What one event loop's clients watch. Confined to the loop; it shares nothing with others but the published versions.
///
/// On each wake the previous version and the newest are walked together along the tree of watched addresses: the path
/// that somebody wrote is never asked for. Places that differ mark their listeners, and each listener takes the newest
/// content when its socket takes bytes. Registration looks at the same version that the next walk begins with, so no
/// commit falls between.
final class WatchRegistry<Root: Model> {
  private let state: StateResource<Root>
  private let context: LoopContext
  /// Each place stands at the node of its route: two spellings of an address are one place.
  private let tree = WatchNode()
  private(set) var placeCount = 0
  /// What listeners have been told of; nil while there are none, so that no old version is kept for nobody.
  private(set) var snapshot: Snapshot<Root>?
  private var changed: [WatchedPlace] = []
  private var observer: ObserverID?

  init(_ state: StateResource<Root>, context: LoopContext) {
    self.state = state
    self.context = context
  }

  deinit {
    if let observer { state.store.removeObserver(observer) }
  }

  /// The revision that listeners have been told of.
  var revision: Int { snapshot?.revision ?? state.store.revision }

  /// Walks to the newest version and marks the listeners of what differs.
  ///
  /// - Returns: the listeners.
  func catchUp() -> [SubscriberID] {
    guard let told = snapshot else { return [] }
    let newest = state.store.snapshot
    guard newest !== told else { return [] }
    Root.shape.observe(told.root, newest.root, tree)
    snapshot = newest
    var subscribers: [SubscriberID] = []
    for place in changed { subscribers.append(contentsOf: place.subscribers) }
    changed.removeAll(keepingCapacity: true)
    return subscribers
  }

  /// The place at a route, watched from now on by a listener; ``catchUp()`` must have been called in this turn.
  func watch(_ route: Route, _ subscriber: SubscriberID) -> WatchedPlace {
    let node = tree.node(at: route)
    let place = node.watcher as? WatchedPlace ?? begin(route, at: node)
    place.subscribers.insert(subscriber)
    return place
  }

  private func begin(_ route: Route, at node: WatchNode) -> WatchedPlace {
    let snapshot = self.snapshot ?? start()
    let place = WatchedPlace(route, key: state.key) { [unowned self] in changed.append($0) }
    node.watcher = place
    placeCount += 1
    // The first look: everything is news to a place that has just begun, and to nobody else.
    let own = WatchNode()
    own.node(at: route).watcher = place
    Root.shape.observe(nil, snapshot.root, own)
    changed.removeAll { $0 === place }
    return place
  }

  /// Observes the store first and looks at it then: what is published between rings the bell.
  private func start() -> Snapshot<Root> {
    let handle = context.handle
    observer = state.store.observe { handle.wake() }
    let first = state.store.snapshot
    snapshot = first
    return first
  }

  /// A listener has gone; it may have named a place twice.
  func unwatch(_ place: WatchedPlace, _ subscriber: SubscriberID) {
    guard place.subscribers.remove(subscriber), place.subscribers.isEmpty else { return }
    tree.removeWatcher(at: place.route)
    placeCount -= 1
    if placeCount == 0, let observer {
      state.store.removeObserver(observer)
      self.observer = nil
      snapshot = nil
    }
  }
}
