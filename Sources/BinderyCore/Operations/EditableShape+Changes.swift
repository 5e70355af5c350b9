import BinderyDigest
import BinderyJSON

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

  override var isSame: Bool { shape.areSame(old, new) }

  override func read(_ reading: inout ReadOperation) { reading.read(new, shape) }

  override func write(into writer: inout JSONWriter, _ key: DigestKey) -> Digest? {
    if shape.type.hasCollections { return nil }
    writer.reserveShortText()
    shape.encode(new, into: &writer)
    return writer.hasStopped ? nil : key.leaf(writer.bytes.span)
  }

  override func appendDifference(to difference: inout PatchBuilder) {
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

  /// Builds the patch and the undo patch.
  ///
  /// - Parameter root: the version after the change.
  func difference<Root: Sendable>(
    _ scope: PatchBuilder.Scope, in root: Root, _ shape: EditableShape<Root>
  ) -> PatchBuilder {
    var difference = PatchBuilder(scope, withUndo: true)
    var place: Change? = self
    while let current = place {
      difference.go(to: current.steps, in: shape.type) { shape.positions(ofElementsAlong: current.steps, in: root) }
      current.appendDifference(to: &difference)
      place = current.next
    }
    return difference
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

  /// Returns the positions of the elements of sequences on the route to a changed place. They are equal in both
  /// versions, because a change of a sequence itself has the sequence as its place.
  fileprivate func positions(ofElementsAlong steps: ArraySlice<Step>, in value: Value) -> [Int] {
    elements(along: Array(steps), in: value).map(\.position)
  }

  /// Returns steps that name the elements of sequences by their ids, also where they were named by positions.
  ///
  /// - Parameter getters: The values of getters that were evaluated before; nil to evaluate each getter again.
  package func namingElements(_ steps: [Step], in value: Value, _ getters: GetterCache?) -> [Step] {
    var steps = steps
    for element in elements(along: steps, in: value, getters) { steps[element.step] = .key(element.key) }
    return steps
  }

  /// Returns the elements of sequences on the way to a place.
  private func elements(
    along steps: [Step], in value: Value, _ getters: GetterCache? = nil
  ) -> [(step: Int, key: AnyKey, position: Int)] {
    var reading = ReadOperation(.presence, key: .unused, getters: getters)
    reading.elements = []
    try? visit(value, Route(steps: steps, target: type, isWritable: true, isRemovable: false), 0, &reading)
    return reading.elements ?? []
  }
}
