import BinderyDigest
public import BinderyJSON

/// The declaration of a stored member of a struct.
public struct StoredMember<Root, Value: Editable>: Sendable {
  /// The operations of the member, with its type erased.
  @usableFromInline let table: MemberTable<Root>
  /// Decodes the member of a new struct from the JSON of all members and the index of this one; see
  /// ``MemberReader/value(in:_:_:)``.
  @usableFromInline
  let read: @Sendable (borrowing MemberNodes, Int, inout Decoding, AnyKey?) throws(ValidationError) -> Value

  /// Creates a writable member with a default.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in paths.
  ///   - path: The key path of the property.
  ///   - constraints: The conditions on the value.
  ///   - fallback: The value in a new struct if the JSON omits the member.
  @inlinable @inline(__always)
  public init(
    _ name: String, _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Root, Value>,
    _ constraints: Constraint<Value>...,
    default fallback: @autoclosure @escaping @Sendable () -> Value
  ) {
    self.init(name, MemberPath(stored: path), Self.resolvedShape.constrained(by: constraints), fallback)
  }

  /// The shape of the value. A struct cannot store itself, so the types are equal only for a declaration of one value.
  @usableFromInline static var resolvedShape: EditableShape<Value> {
    Value.resolveShape(for: Root.self == Value.self ? nil : Root.self)
  }

  /// Creates a writable member that a new struct requires.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in paths.
  ///   - path: The key path of the property.
  ///   - constraints: The conditions on the value.
  @inlinable @inline(__always)
  public init(
    _ name: String, _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Root, Value>,
    _ constraints: Constraint<Value>...
  ) {
    self.init(name, MemberPath(stored: path), Self.resolvedShape.constrained(by: constraints))
  }

  @inlinable
  init(
    _ name: String, _ path: MemberPath<Root, Value>, _ shape: EditableShape<Value>,
    _ fallback: (@Sendable () -> Value)? = nil
  ) {
    self.init(
      MemberTable(
        MemberInfo(
          name, .stored, shape.type, hasDefault: fallback != nil, isDirectlyStored: path.isDirectlyStored,
          defaultJSON: shape.json(of: fallback)),
        path, shape, apply: MemberTable.writing(path, shape)), shape, fallback)
  }

  /// Creates a writable member that JSON leaves out while it is nil.
  ///
  /// At its own path it is `null`.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in paths.
  ///   - path: The key path of the property.
  ///   - constraints: The conditions on the value.
  @inlinable @inline(__always)
  public init<Wrapped: Editable>(
    _ name: String, omittedWhenNil path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Root, Wrapped?>,
    _ constraints: Constraint<Value>...
  ) where Value == Wrapped? {
    let shape = Self.resolvedShape.constrained(by: constraints)
    let path = MemberPath(stored: path)
    self.init(
      MemberTable(
        MemberInfo(
          name, .stored, shape.type, hasDefault: true, isDirectlyStored: path.isDirectlyStored, omitsNull: true),
        path, shape, isOmitted: { [get = path.get] in get($0) == nil }, apply: MemberTable.writing(path, shape)),
      shape, { nil })
  }

  /// Creates a required member that is read-only after its struct is created.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in paths.
  ///   - path: The key path of the property.
  @inlinable @inline(__always)
  public init(_ name: String, readOnly path: @autoclosure @escaping @Sendable () -> KeyPath<Root, Value>) {
    self.init(name, readOnly: path(), fallback: nil)
  }

  /// Creates a member that is read-only after its struct is created.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in paths.
  ///   - path: The key path of the property.
  ///   - fallback: The value in a new struct if the JSON omits the member. Evaluated for each.
  @inlinable @inline(__always)
  public init(
    _ name: String, readOnly path: @autoclosure @escaping @Sendable () -> KeyPath<Root, Value>,
    default fallback: @autoclosure @escaping @Sendable () -> Value
  ) {
    self.init(name, readOnly: path(), fallback: fallback)
  }

  @inlinable @inline(__always)
  init(
    _ name: String, readOnly path: @autoclosure @escaping @Sendable () -> KeyPath<Root, Value>,
    fallback: (@Sendable () -> Value)?
  ) {
    let shape = Self.resolvedShape
    self.init(
      MemberTable(
        MemberInfo(name, .readOnly, shape.type, hasDefault: fallback != nil, defaultJSON: shape.json(of: fallback)),
        MemberPath(readOnly: path, named: name),
        shape, restore: MemberTable.restoring(path(), shape)),
      shape, fallback)
  }

  /// Creates the member that is the id of an element; it is read-only after the element is created.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in paths.
  ///   - path: The key path of the property.
  ///   - new: Creates the id of a new element if neither the JSON nor the URL contains one.
  @inlinable @inline(__always)
  public init(
    _ name: String, id path: @autoclosure @escaping @Sendable () -> KeyPath<Root, Value>,
    new: (@Sendable () -> Value)? = nil
  ) where Value: PathKey {
    let shape = Self.resolvedShape
    self.init(
      MemberTable(
        MemberInfo(name, .identity, shape.type, hasDefault: new != nil), MemberPath(readOnly: path, named: name),
        shape),
      shape, new,
      fromKey: { $0.typed(Value.self) })
  }

  /// Creates a member that is stored with the state, but has no URL and does not appear in JSON.
  ///
  /// - Parameters:
  ///   - name: The name in the storage format.
  ///   - path: The key path of the property.
  ///   - fallback: The value in a struct that is created from JSON.
  @inlinable @inline(__always)
  public init(
    hidden name: String, _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Root, Value>,
    default fallback: @autoclosure @escaping @Sendable () -> Value
  ) {
    let shape = Self.resolvedShape
    let path = MemberPath(stored: path)
    self.init(
      MemberTable(
        MemberInfo(name, .hidden, shape.type, hasDefault: true), path, shape,
        restore: MemberTable.writing(path, shape)),
      shape, fallback)
  }

  @inlinable
  init(
    _ table: MemberTable<Root>, _ shape: EditableShape<Value>, _ fallback: (@Sendable () -> Value)?,
    fromKey: (@Sendable (AnyKey) -> Value?)? = nil
  ) {
    self.table = table
    if let fallback { shape.requireValid(fallback, of: table.info, in: Root.self) }
    let reader = MemberReader(table.info, shape, fallback, fromKey: fromKey)
    self.read = { slots, index, decoding, key throws(ValidationError) in
      try reader.value(in: slots[index], &decoding, key)
    }
  }
}

/// The declaration of a computed member of a struct.
public struct ComputedMember<Root>: Sendable {
  /// The operations of the member, with its type erased.
  @usableFromInline let table: MemberTable<Root>

  /// The writes that an optional or a collection accepts through a computed member.
  public enum Filling: Sendable {
    /// All writes.
    case free
    /// Only edits of existing values. Requests cannot add values or change their id, and cannot remove elements. A
    /// write of the whole collection is up to the setter, and so is every write from Swift.
    case editsOnly
  }

  /// Creates a member with a getter and a setter.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in paths.
  ///   - path: The key path of the property.
  ///   - sources: The stored members that the getter reads; none means that it may read all of them. With sources, the
  ///     member is compared only if one of them differs.
  ///   - filling: The writes that an optional or a collection accepts.
  @inlinable @inline(__always)
  public init<Value: Editable, each Source>(
    _ name: String, _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Root, Value>,
    from sources: repeat any KeyPath<Root, each Source> & Sendable, filling: Filling = .free
  ) {
    let original = Value.resolveShape(for: Root.self)
    let shape = filling == .editsOnly ? original.withFixedElements : original
    table = MemberTable(
      computed: MemberInfo(name, .computed, shape.type, sources: Self.paths(repeat each sources)),
      MemberPath(computed: path), shape, filling)
  }

  /// Creates a member with a getter alone.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in paths.
  ///   - path: The key path of the property.
  ///   - sources: The stored members that the getter reads; none means that it may read all of them.
  @inlinable @inline(__always)
  public init<Value: Editable, each Source>(
    _ name: String, readOnly path: @autoclosure @escaping @Sendable () -> KeyPath<Root, Value>,
    from sources: repeat any KeyPath<Root, each Source> & Sendable
  ) {
    let shape = Value.resolveShape(for: Root.self)
    table = MemberTable(
      MemberInfo(name, .computedReadOnly, shape.type, sources: Self.paths(repeat each sources)),
      MemberPath(readOnly: path, named: name), shape)
  }

  @inlinable
  static func paths<each Source>(_ sources: repeat any KeyPath<Root, each Source> & Sendable)
    -> [MemberLocator]?
  {
    var paths: [MemberLocator] = []
    for path in repeat each sources { paths.append(.keyPath(path)) }
    return paths.isEmpty ? nil : paths
  }
}

extension EditableShape {
  /// This shape, except that elements can be neither added nor removed and an optional cannot be filled.
  @inlinable var withFixedElements: EditableShape {
    if type.isOptional { return with(operations, type: type.with(isFixed: true)) }
    guard case .elements = type.kind else { return self }
    var operations = operations
    operations.descend = { [self] value, route, index, edit throws(EditError) in
      let isLast = index == route.steps.count - 1
      if isLast, edit.operation.kind == .remove {
        throw .invalid(ValidationError(.notRemovable, "elements of this computed member cannot be removed"))
      }
      if isLast, edit.operation.kind == .insert {
        // JSON Patch `add`: with an id it replaces an existing element; with a position it would insert a new one.
        guard case .key = route.steps[index] else { throw .cannotCreate(depth: index) }
      }
      let (mayCreate, requiredSteps) = (edit.mayCreate(at: index), edit.requiredSteps)
      edit.requiredSteps = .max
      defer { edit.requiredSteps = requiredSteps }
      do throws(EditError) {
        try self.operations.descend(&value, route, index, &edit)
      } catch .absent(let absence) where mayCreate && absence.depth == index {
        throw .cannotCreate(depth: index)
      }
    }
    return with(operations, type: type.with(isFixed: true))
  }
}
