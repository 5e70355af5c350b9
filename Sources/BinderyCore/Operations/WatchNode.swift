package import BinderyDigest
package import BinderyJSON

/// A subscriber to the value at an address, notified on each publication that may have changed the value.
@usableFromInline
package protocol Watcher: AnyObject {
  /// Called with the current value. The value may be equal to the previous one.
  func found(_ value: WatchedValue)
  /// Called if the place does not exist.
  func lost(_ absence: Absence)
}

/// The value of a watched place, with its type erased.
@usableFromInline
package class WatchedValue {
  /// The number of elements; nil if the value is not a collection.
  package var elementCount: Int? { nil }

  /// Returns the digest of the value.
  package func digest(_ key: DigestKey) -> Digest { preconditionFailure("a value without a type") }

  /// Writes the value as canonical JSON.
  package func encode(into writer: inout JSONWriter) {}

  /// Returns the patch from another value of this place; nil if it would be too long, or if the type differs.
  package func patch(
    from old: WatchedValue, _ addressing: PatchBuilder.Addressing, atMost bytes: Int
  ) -> [UInt8]? { nil }
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
