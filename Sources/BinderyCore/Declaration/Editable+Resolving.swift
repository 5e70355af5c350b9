extension Editable {
  /// Returns the shape, which is evaluated on its first use.
  ///
  /// Inlinable, so that the shape of a generic type, such as `Identified<Dish>`, is specialized in the model's module.
  ///
  /// - Parameter owner: The type whose declaration needs the shape.
  @inlinable
  package static func resolveShape(for owner: Any.Type? = nil) -> EditableShape<Self> {
    ShapeEvaluation.run(Self.self, for: owner) { shape }
  }
}

/// The evaluation of shapes.
@usableFromInline
enum ShapeEvaluation {
  /// The types whose shapes the current task is evaluating.
  private static let types = TaskLocal<[ObjectIdentifier]>(wrappedValue: [])

  /// Evaluates the shape of a type.
  ///
  /// If the type contains itself, its shape would need itself: the process would wait forever. It is stopped with a
  /// message instead.
  @usableFromInline
  static func run<Shape>(_ type: Any.Type, for owner: Any.Type?, _ evaluate: () -> Shape) -> Shape {
    var open = types.get()
    if let owner { open.append(ObjectIdentifier(owner)) }
    guard !open.contains(ObjectIdentifier(type)) else {
      fatalError(
        """
        The type \(type) contains itself, but a shape cannot contain itself. Store the elements in one \
        collection, and refer to an element by its id.
        """)
    }
    // Drafts would share the object with the state.
    if type is AnyObject.Type {
      fatalError("The type \(type) is a class, but a state consists of values. Declare it as a struct or an enum.")
    }
    open.append(ObjectIdentifier(type))
    return types.withValue(open, operation: evaluate)
  }
}

extension KeyInfo {
  /// Inlinable, so that the type of the key is concrete in the closure and no type metadata is looked up per request.
  @inlinable
  init<K: PathKey & Editable>(_: K.Type) {
    self.parse = { text in
      guard let key = K(_keyText: text) else { return nil }
      return TypedKey(key)
    }
    let shape = K.resolveShape()
    self.textOfJSON = { node in
      var decoding = Decoding(.complete)
      return (try? shape.decode(node, &decoding))?.keyText
    }
    self.couldBeIndex = K._couldBeIndex
    self.type = shape.type
  }
}
