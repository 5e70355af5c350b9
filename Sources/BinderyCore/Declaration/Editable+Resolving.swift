/// The types whose shapes the current thread is evaluating.
private let evaluating = TaskLocal<[ObjectIdentifier]>(wrappedValue: [])

extension Editable {
  /// Returns the shape, which is evaluated on its first use.
  ///
  /// If the type contains itself, its shape would need itself: the process would wait forever. It is stopped with a
  /// message instead.
  ///
  /// - Parameter owner: The type whose declaration needs the shape.
  @usableFromInline
  package static func resolveShape(for owner: Any.Type? = nil) -> EditableShape<Self> {
    var types = evaluating.get()
    if let owner { types.append(ObjectIdentifier(owner)) }
    guard !types.contains(ObjectIdentifier(Self.self)) else {
      fatalError(
        """
        The type \(Self.self) contains itself, but a shape cannot contain itself. Store the elements in one \
        collection, and refer to an element by its id.
        """)
    }
    types.append(ObjectIdentifier(Self.self))
    return evaluating.withValue(types) { shape }
  }
}
