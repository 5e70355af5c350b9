/// One who wants to know what stands at an address, told on each publication that may have changed it.
@usableFromInline
package protocol Watcher: AnyObject {
  /// The place is there; what stands there may be what stood there before.
  func found<Value>(_ value: Value, _ shape: Shape<Value>)
  /// The place is not there.
  func lost(_ absence: Absence)
}

/// A node of the tree of watched addresses, which mirrors the types: a publication is walked along it.
@usableFromInline
package final class WatchNode {
  @usableFromInline package var watcher: (any Watcher)?
  private(set) var children: [Branch: (step: Step, watch: WatchNode)] = [:]
  @usableFromInline let depth: Int

  /// A step as the key of a child.
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

  package convenience init() { self.init(depth: 0) }

  private init(depth: Int) { self.depth = depth }

  /// The node at a route, made where it is missing.
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

  /// Takes the watcher at a route away, and the nodes that only led there.
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

  /// What is watched below.
  @usableFromInline
  func forEachChild(_ body: (Step, WatchNode) -> Void) {
    for child in children.values { body(child.step, child.watch) }
  }

  @usableFromInline var childCount: Int { children.count }

  /// Tells everyone from here down that the place is not there.
  @usableFromInline
  func lose(_ absence: Absence) {
    watcher?.lost(absence)
    for child in children.values { child.watch.lose(absence) }
  }

  /// Tells everyone below that their way ends here.
  @usableFromInline
  func loseChildren(_ reason: Absence.Reason) {
    let absence = Absence(reason, depth: depth)
    for child in children.values { child.watch.lose(absence) }
  }

  @usableFromInline
  func absence(of key: String) -> Absence { Absence(.noSuchElement(key), depth: depth) }
  @usableFromInline
  func child(keyText: String) -> WatchNode? { children[.key(String.UTF8View.Bytes(keyText))]?.watch }
}

extension String.UTF8View {
  /// A text that is compared by its bytes.
  struct Bytes: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: Bytes, b: Bytes) -> Bool { a.text.isSame(as: b.text) }
    func hash(into hasher: inout Hasher) {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }
}

extension Shape {
  /// Tells those who watch this value or its parts what it is now.
  ///
  /// - Parameter old: what they were told last, for passing over what both share; nil where nothing can be passed over.
  @usableFromInline
  package func observe(_ old: Value?, _ new: Value, _ watch: WatchNode) {
    if let old, areSame(old, new) { return }
    watch.watcher?.found(new, self)
    if !watch.children.isEmpty { operations.observe(old, new, watch) }
  }
}
