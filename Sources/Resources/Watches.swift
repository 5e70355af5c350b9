import Bindings
import HTTP
import Shapes
import State

/// What one event loop's clients watch. Confined to the loop; it shares nothing with others but the published versions.
///
/// On each wake the previous version and the newest are walked together along the tree of watched addresses: the path
/// that somebody wrote is never asked for. Places that differ mark their listeners, and each listener takes the newest
/// content when its socket takes bytes. Registration looks at the same version that the next walk begins with, so no
/// commit falls between.
final class Watches<Root: Model> {
  private let state: StateResource<Root>
  private let context: LoopContext
  private let tree = Watch()
  private var places: [String: WatchedPlace] = [:]
  /// What listeners have been told of.
  private(set) var snapshot: Snapshot<Root>
  private var changed: [WatchedPlace] = []
  private var observer: ObserverID?

  init(_ state: StateResource<Root>, context: LoopContext) {
    self.state = state
    self.context = context
    self.snapshot = state.store.snapshot
  }

  deinit {
    if let observer { state.store.removeObserver(observer) }
  }

  /// Walks to the newest version and marks the listeners of what differs.
  ///
  /// - Returns: the listeners.
  func catchUp() -> [ListenerID] {
    let newest = state.store.snapshot
    guard newest !== snapshot else { return [] }
    if !places.isEmpty { Root.shape.observe(snapshot.root, newest.root, tree) }
    snapshot = newest
    var listeners: [ListenerID] = []
    for place in changed { listeners.append(contentsOf: place.listeners) }
    changed.removeAll(keepingCapacity: true)
    return listeners
  }

  /// The place at a route, watched from now on by a listener; ``catchUp()`` must have been called in this turn.
  func watch(_ route: Route, path: String, _ listener: ListenerID) -> WatchedPlace {
    let place = places[path] ?? begin(route, path)
    place.listeners.insert(listener)
    return place
  }

  private func begin(_ route: Route, _ path: String) -> WatchedPlace {
    if observer == nil {
      let handle = context.handle
      observer = state.store.observe { handle.wake() }
      // What was published before the observer was there has rung no bell.
      if state.store.revision != snapshot.revision { handle.wake() }
    }
    let place = WatchedPlace(route, path: path, key: state.key) { [unowned self] in changed.append($0) }
    tree.node(at: route).watcher = place
    places[path] = place
    // The first look: everything is news to a place that has just begun, and to nobody else.
    let own = Watch()
    own.node(at: route).watcher = place
    Root.shape.observe(nil, snapshot.root, own)
    changed.removeAll { $0 === place }
    return place
  }

  /// A listener has gone.
  func unwatch(_ place: WatchedPlace, _ listener: ListenerID) {
    place.listeners.remove(listener)
    guard place.listeners.isEmpty else { return }
    places[place.path] = nil
    tree.removeWatcher(at: place.route)
    if places.isEmpty, let observer {
      state.store.removeObserver(observer)
      self.observer = nil
    }
  }
}
