package import BinderyDigest
package import BinderyJSON

/// The change of a commit: a list of places, each with its old and its new value. Everything else is the same in both
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
  final var next: Change?

  @usableFromInline
  init(at steps: ArraySlice<Step>) { self.steps = steps }

  /// Whether the old and the new value of this place are the same.
  var isSame: Bool { true }

  /// Reads the new value of this place.
  package func read(_ reading: inout ReadOperation) {}

  /// Writes the new value of this place, if it has no collections and its JSON fits into one slice of the writer.
  ///
  /// - Returns: The digest of the value; nil if the value must be read with ``read(_:)``.
  package func write(into writer: inout JSONWriter, _ key: DigestKey) -> Digest? { nil }

  func appendDifference(to difference: inout PatchBuilder) {}

  /// Returns the change without places whose values are the same; nil if nothing has changed.
  package consuming func effective() -> Change? {
    let rest = next?.effective()
    if isSame { return rest }
    next = rest
    return self
  }
}

/// The places that an edit may have changed, by their steps. No place contains another one.
package struct TouchedPlaces: Sendable {
  /// The number of places above which the whole state counts as one place. It bounds the work of ``insert(_:)``.
  private static let maximumCount = 16

  private(set) var places: [ArraySlice<Step>] = []

  package init() {}

  /// Adds the place that an edit along a route may change.
  ///
  /// - Parameter mayReorder: Whether the edit may change the position of the element at the end of the route.
  package mutating func insert(_ route: Route, mayReorder: Bool = false) {
    let depth = mayReorder ? min(route.directDepth, route.steps.count - 1) : route.directDepth
    let steps = route.steps.prefix(depth)
    // Positions change, so the place is the sequence.
    insert(steps.prefix { !$0.isPosition })
  }

  mutating func insert(_ steps: ArraySlice<Step>) {
    if places.contains(where: { steps.starts(with: $0, by: Step.isSame) }) { return }
    places.removeAll { $0.starts(with: steps, by: Step.isSame) }
    places.append(steps)
    if places.count > Self.maximumCount { places = [[]] }
  }
}
