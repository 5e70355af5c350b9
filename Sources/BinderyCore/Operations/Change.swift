/// What a commit has changed: places, each with its old and its new value. Everything else is the same in both
/// versions.
///
/// The edit of a stored place records its own change. Where a setter, a property observer or the model's `settle` may
/// have changed more, the place is the value that contains all of it, and a comparison of its two values finds out what
/// differs. No place contains another one. The places form a list, so that the usual change is one object.
@usableFromInline
package class Change: @unchecked Sendable {
  // Immutable: `next` is set before the change is shared, and the only subclass adds constants.
  /// The steps from the root to the place, in both versions.
  let steps: ArraySlice<Step>
  /// The rest of the list.
  fileprivate final var next: Change?

  @usableFromInline
  init(at steps: ArraySlice<Step>) { self.steps = steps }

  /// Indicates whether the old and the new value of this place are the same.
  fileprivate var isSame: Bool { true }

  /// Reads the new value of this place.
  package func read(_ reading: inout ReadOperation) {}

  fileprivate func appendDifference(to difference: inout PatchBuilder) {}

  /// Returns the change without places whose values are the same; nil if nothing has changed.
  package final var effective: Change? {
    let rest = next?.effective
    if isSame { return rest }
    next = rest
    return self
  }
}

/// A changed place of a type.
@usableFromInline
final class TypedChange<Value: Sendable>: Change, @unchecked Sendable {
  let old: Value
  let new: Value
  let shape: EditableShape<Value>

  @usableFromInline
  init(at steps: ArraySlice<Step>, from old: Value, to new: Value, _ shape: EditableShape<Value>) {
    self.old = old
    self.new = new
    self.shape = shape
    super.init(at: steps)
  }

  fileprivate override var isSame: Bool { shape.areSame(old, new) }

  override func read(_ reading: inout ReadOperation) { reading.read(new, shape) }

  fileprivate override func appendDifference(to difference: inout PatchBuilder) {
    shape.difference(from: old, to: new, &difference)
  }
}

extension Change {
  /// Returns the change of the whole state, of which no part is known to be the same.
  package static func whole<Root: Sendable>(from old: Root, to new: Root, _ shape: EditableShape<Root>) -> Change {
    TypedChange(at: [], from: old, to: new, shape)
  }

  /// Returns the change of some places, none of which contains another one.
  ///
  /// If a place does not exist in one of the versions, its change is that of the value that contains it.
  package static func of<Root: Sendable>(
    _ touched: TouchedPlaces, from old: Root, to new: Root, _ shape: EditableShape<Root>
  ) -> Change? {
    var existing = TouchedPlaces()
    for steps in touched.places {
      let depth = min(shape.existingDepth(of: steps, in: old), shape.existingDepth(of: steps, in: new))
      existing.insert(steps.prefix(depth))
    }
    var first: Change?
    for steps in existing.places.reversed() {
      var reading = ReadOperation(.change(steps), key: .unused)
      let route = Route(steps: Array(steps), target: shape.type, isWritable: true, isRemovable: false)
      try? shape.visit(old, route, 0, &reading)
      try? shape.visit(new, route, 0, &reading)
      guard let change = reading.change else { return whole(from: old, to: new, shape) }
      change.next = first
      first = change
    }
    return first
  }
}

extension ReadOperation {
  /// Records the old value of a place in the first call, and the new one in the second.
  mutating func record<Value: Sendable>(_ value: Value, _ shape: EditableShape<Value>, at steps: ArraySlice<Step>) {
    guard let change else {
      change = TypedChange(at: steps, from: value, to: value, shape)
      return
    }
    self.change = (change as? TypedChange<Value>).map { TypedChange(at: steps, from: $0.old, to: value, shape) }
  }
}

extension EditableShape where Value: Sendable {
  /// Returns the number of the first steps that lead to an existing value.
  fileprivate func existingDepth(of steps: ArraySlice<Step>, in value: Value) -> Int {
    var reading = ReadOperation(.presence, key: .unused)
    let route = Route(steps: Array(steps), target: type, isWritable: true, isRemovable: false)
    do throws(Absence) { try visit(value, route, 0, &reading) } catch { return min(error.depth, steps.count) }
    return steps.count
  }
}

extension Change {
  /// Builds the patch and the undo patch.
  ///
  /// - Parameter root: the version after the change.
  func difference<Root: Sendable>(
    _ scope: PatchBuilder.Scope, in root: Root, _ shape: EditableShape<Root>
  ) -> PatchBuilder {
    var difference = PatchBuilder(scope, withUndo: true)
    var place: Change? = self
    while let current = place {
      let stored = shape.type.storedSegments(along: current.steps)
      difference.path = stored.segments
      difference.positions = []
      if !stored.elements.isEmpty {
        let positions = shape.positions(ofElementsAlong: current.steps, in: root)
        for (depth, index) in zip(stored.elements, positions) { difference.positions.append((depth, index)) }
      }
      current.appendDifference(to: &difference)
      place = current.next
    }
    return difference
  }
}

extension EditableShape where Value: Sendable {
  /// Returns the positions of the elements of sequences on the way to a place. The same before and after a change of
  /// the place, because the sequences are not places of that change.
  fileprivate func positions(ofElementsAlong steps: ArraySlice<Step>, in value: Value) -> [Int] {
    var reading = ReadOperation(.presence, key: .unused)
    reading.positions = []
    let route = Route(steps: Array(steps), target: type, isWritable: true, isRemovable: false)
    try? visit(value, route, 0, &reading)
    return reading.positions ?? []
  }
}

/// The places that an edit may have changed, by their steps. No place contains another one.
package struct TouchedPlaces: Sendable {
  /// The number of places above which the whole state counts as one place. It bounds the work of ``insert(_:)``.
  private static let maximumCount = 16

  fileprivate private(set) var places: [ArraySlice<Step>] = []

  package init() {}

  /// Adds the place that an edit along a route may change.
  package mutating func insert(_ route: Route) {
    let steps = route.steps.prefix(route.directDepth)
    // Positions change, so the place is the sequence.
    insert(steps.prefix { !$0.isPosition })
  }

  fileprivate mutating func insert(_ steps: ArraySlice<Step>) {
    if places.contains(where: { steps.starts(with: $0, by: Step.isSame) }) { return }
    places.removeAll { $0.starts(with: steps, by: Step.isSame) }
    places.append(steps)
    if places.count > Self.maximumCount { places = [[]] }
  }
}
