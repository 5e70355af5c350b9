import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// The places that the clients of one event loop watch. Confined to the loop; it shares only published snapshots.
///
/// When the loop is woken, the previous and the newest snapshot are compared along the tree of watched addresses. The
/// paths that commits wrote to are not used: a change counts only if the content of a watched place differs. The
/// subscribers of changed places are marked ready, and each takes the newest content when its socket accepts bytes.
///
/// A new subscriber reads the same snapshot from which the next comparison starts, so it misses no commit.
final class WatchRegistry<Root: Sendable> {
  private let state: StateResource<Root>
  private let context: LoopContext
  /// The watched places by route. Two spellings of an address have the same route and share a place.
  private let tree = WatchNode()
  private(set) var placeCount = 0
  /// The snapshot that subscribers were notified of last; nil if nothing is watched, so that no old snapshot is kept
  /// alive.
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

  /// The number of the newest revision.
  var newestRevision: Int { state.store.revision }

  /// The version that subscribers were notified of last.
  var version: StateVersion {
    StateVersion(revision: snapshot?.revision ?? state.store.revision, history: state.store.history)
  }

  /// Compares the previous snapshot with the newest one.
  ///
  /// - Returns: The subscribers of the places that differ. A subscriber is included once for each such place.
  func catchUp() -> [SubscriberID] {
    guard let previous = snapshot else { return [] }
    let newest = state.store.snapshot
    guard newest !== previous else { return [] }
    state.model.shape.observe(previous.root, newest.root, tree)
    snapshot = newest
    var subscribers: [SubscriberID] = []
    for place in changed { subscribers.append(contentsOf: place.subscribers) }
    changed.removeAll(keepingCapacity: true)
    return subscribers
  }

  /// Adds a subscriber to the places at some routes.
  ///
  /// - Precondition: ``catchUp()`` was called in this turn of the event loop.
  func watch(_ routes: [Route], _ subscriber: SubscriberID) -> [WatchedPlace] {
    // New places are read through a tree of their own, because observing the shared tree without a previous snapshot
    // would report every other place as changed.
    let separateTree = WatchNode()
    let knownCount = placeCount
    let places = routes.map { route in
      let node = tree.node(at: route)
      if let place = node.watcher as? WatchedPlace { return place }
      let place = WatchedPlace(route, key: state.key) { [unowned self] in changed.append($0) }
      node.watcher = place
      separateTree.node(at: route).watcher = place
      placeCount += 1
      return place
    }
    if placeCount > knownCount {
      let snapshot = self.snapshot ?? startObserving()
      state.model.shape.observe(nil, snapshot.root, separateTree)
      changed.removeAll(keepingCapacity: true)
    }
    for place in places { place.subscribers.insert(subscriber) }
    return places
  }

  /// Begins to observe the store and returns its snapshot.
  ///
  /// The order matters: a commit that is published between the two steps wakes the loop.
  private func startObserving() -> Snapshot<Root> {
    let handle = context.handle
    observer = state.store.observe { handle.wake() }
    let first = state.store.snapshot
    snapshot = first
    return first
  }

  /// Removes a subscriber from a place (unsubscribes it).
  ///
  /// With the last place, the registry stops observing the store and releases its snapshot.
  func unsubscribe(_ place: WatchedPlace, _ subscriber: SubscriberID) {
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
