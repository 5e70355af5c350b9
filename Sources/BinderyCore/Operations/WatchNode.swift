/// A subscriber to the value at an address, notified on each publication that may have changed the value.
@usableFromInline
package protocol Watcher: AnyObject {
  /// Called with the current value. The value may be equal to the previous one.
  func found<Value>(_ value: Value, _ shape: EditableShape<Value>)
  /// Called if the place does not exist.
  func lost(_ absence: Absence)
}

/// A node in the tree of watched addresses.
///
/// The tree mirrors the structure of the types. A publication traverses only the parts of the state that are watched.
@usableFromInline
package final class WatchNode {
  @usableFromInline package var watcher: (any Watcher)?
  private(set) var children: [Branch: (step: Step, watch: WatchNode)] = [:]
  @usableFromInline let depth: Int

  /// A step as a dictionary key. Positions cannot be watched, because an element's position changes.
  enum Branch: Hashable {
    case member(Int)
    case payload(Int)
    case wrapped
    case key(String.UTF8View.Bytes)

    init?(_ step: Step) {
      switch step {
      case .member(let index): self = .member(index)
      case .payload(let index): self = .payload(index)
      case .wrapped: self = .wrapped
      case .key(let key): self = .key(String.UTF8View.Bytes(key.text))
      case .index, .end: return nil
      }
    }
  }

  /// Creates the root node of an empty tree.
  @usableFromInline
  package convenience init() { self.init(depth: 0) }

  private init(depth: Int) { self.depth = depth }

  /// Returns the node at a route, creating missing nodes.
  package func node(at route: Route) -> WatchNode {
    var node = self
    for step in route.steps {
      guard let branch = Branch(step) else { continue }
      if let child = node.children[branch] {
        node = child.watch
      } else {
        let child = WatchNode(depth: node.depth + 1)
        node.children[branch] = (step, child)
        node = child
      }
    }
    return node
  }

  /// Removes the watcher at a route, and the nodes that are no longer needed.
  package func removeWatcher(at route: Route) { remove(route.steps[...]) }

  private func remove(_ steps: ArraySlice<Step>) {
    guard let step = steps.first else {
      watcher = nil
      return
    }
    guard let branch = Branch(step), let child = children[branch]?.watch else { return }
    child.remove(steps.dropFirst())
    if child.watcher == nil, child.children.isEmpty { children[branch] = nil }
  }

  /// Calls `body` for each child.
  @usableFromInline
  func forEachChild(_ body: (Step, WatchNode) -> Void) {
    for child in children.values { body(child.step, child.watch) }
  }

  @usableFromInline var childCount: Int { children.count }

  /// Notifies the watchers of this node and of all its descendants that the place does not exist.
  @usableFromInline
  func reportAbsence(_ absence: Absence) {
    watcher?.lost(absence)
    for child in children.values { child.watch.reportAbsence(absence) }
  }

  /// Notifies the watchers of all descendants that the path ends at this node.
  @usableFromInline
  func reportAbsenceToChildren(_ reason: Absence.Reason) {
    let absence = Absence(reason, depth: depth)
    for child in children.values { child.watch.reportAbsence(absence) }
  }

  /// Returns the absence of an element of this node's value.
  @usableFromInline
  func absence(of key: String) -> Absence { Absence(.noSuchElement(key), depth: depth) }

  /// Returns the child for the element with a key.
  @usableFromInline
  func child(keyText: String) -> WatchNode? { children[.key(String.UTF8View.Bytes(keyText))]?.watch }
}

extension String.UTF8View {
  /// A string that is compared by its UTF-8 bytes. `String ==` would treat canonically equivalent keys as equal.
  struct Bytes: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: Bytes, b: Bytes) -> Bool { a.text.isSame(as: b.text) }
    func hash(into hasher: inout Hasher) {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }
}

extension EditableShape {
  /// Notifies the watchers of this value and of its parts.
  ///
  /// - Parameters:
  ///   - old: the value of the last notification, so that unchanged parts are skipped; nil to notify all watchers.
  ///   - new: the current value.
  ///   - watch: the node for this value.
  @usableFromInline
  package func observe(_ old: Value?, _ new: Value, _ watch: WatchNode) {
    if let old, areSame(old, new) { return }
    watch.watcher?.found(new, self)
    if !watch.children.isEmpty { operations.observe(old, new, watch) }
  }
}

extension StructShape {
  /// Notifies the watchers of members that may have changed.
  @inlinable
  func observe(_ old: Value?, _ new: Value, _ watch: WatchNode) {
    watch.forEachChild { step, child in
      guard case .member(let index) = step else { return }
      if let old, !mayDiffer(members[index], old, new) { return }
      members[index].observe(old, new, child)
    }
    free?.observe(old, new, watch)
  }

  /// Returns false if the member is computed and none of its sources differs.
  @inlinable
  func mayDiffer(_ member: MemberTable<Value>, _ old: Value, _ new: Value) -> Bool {
    guard let sources = member.info.sources else { return true }
    return members.contains { sources.contains($0.locator) && !$0.areSame(old, new) }
  }
}
