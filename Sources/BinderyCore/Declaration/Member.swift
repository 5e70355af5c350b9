import BinderyDigest
public import BinderyJSON

/// A stored member of a struct: its name is said once, here.
public struct Member<Root, Value: Bindable>: Sendable {
  @usableFromInline let table: MemberTable<Root>
  @usableFromInline let decode: @Sendable (JSONNode, inout Decoding) throws(ValidationError) -> Value
  @usableFromInline let fallback: (@Sendable () -> Value)?
  @usableFromInline let fromKey: (@Sendable (AnyKey) -> Value?)?

  /// A member that reads and writes.
  ///
  /// - Parameter fallback: what a new value takes where the member is not given.
  @inlinable @inline(__always)
  public init(
    _ name: String, _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Root, Value>,
    _ constraints: Constraint<Value>...,
    default fallback: @autoclosure @escaping @Sendable () -> Value
  ) {
    self.init(name, MemberPath(stored: path), constraints, fallback)
  }

  /// A member that reads and writes, and that a new value cannot be without.
  @inlinable @inline(__always)
  public init(
    _ name: String, _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Root, Value>,
    _ constraints: Constraint<Value>...
  ) {
    self.init(name, MemberPath(stored: path), constraints, nil)
  }

  @inlinable
  init(
    _ name: String, _ path: MemberPath<Root, Value>, _ constraints: [Constraint<Value>],
    _ fallback: (@Sendable () -> Value)? = nil
  ) {
    let shape = Value.shape.constrained(by: constraints)
    self.init(
      MemberTable(
        MemberInfo(name, .stored, shape.type, hasDefault: fallback != nil, isPlain: path.isPlain), path, shape,
        apply: MemberTable.writing(path, shape)), shape, fallback)
  }

  /// A member that only reads.
  @inlinable @inline(__always)
  public init(
    _ name: String, readOnly path: @autoclosure @escaping @Sendable () -> KeyPath<Root, Value>,
    default fallback: (@Sendable () -> Value)? = nil
  ) {
    let shape = Value.shape
    self.init(
      MemberTable(
        MemberInfo(name, .readOnly, shape.type, hasDefault: fallback != nil), MemberPath(readOnly: path, named: name),
        shape, restore: MemberTable.restoring(path(), shape)),
      shape, fallback)
  }

  /// The member that an element of a sequence is found by: read-only where it stands, plain data in a new value.
  ///
  /// - Parameter new: makes an id for a new value that brings none.
  @inlinable @inline(__always)
  public init(
    _ name: String, id path: @autoclosure @escaping @Sendable () -> KeyPath<Root, Value>,
    new: (@Sendable () -> Value)? = nil
  ) where Value: Key {
    let shape = Value.shape
    self.init(
      MemberTable(
        MemberInfo(name, .identity, shape.type, hasDefault: new != nil), MemberPath(readOnly: path, named: name),
        shape),
      shape, new,
      fromKey: { $0.typed(Value.self) })
  }

  /// A member that is kept with the state but has no address and does not show.
  @inlinable @inline(__always)
  public init(
    hidden name: String, _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Root, Value>,
    default fallback: @autoclosure @escaping @Sendable () -> Value
  ) {
    let shape = Value.shape
    let path = MemberPath(stored: path)
    self.init(
      MemberTable(
        MemberInfo(name, .hidden, shape.type, hasDefault: true), path, shape,
        restore: MemberTable.writing(path, shape)),
      shape, fallback)
  }

  @inlinable
  init(
    _ table: MemberTable<Root>, _ shape: Shape<Value>, _ fallback: (@Sendable () -> Value)?,
    fromKey: (@Sendable (AnyKey) -> Value?)? = nil
  ) {
    self.table = table
    self.decode = { node, decoding throws(ValidationError) in try shape.decode(node, &decoding) }
    self.fallback = fallback
    self.fromKey = fromKey
  }
}

/// A computed member of a struct.
public struct Computed<Root>: Sendable {
  @usableFromInline let table: MemberTable<Root>

  /// How an optional, or a sequence, takes a write through this member.
  public enum Filling: Sendable {
    /// As any other.
    case free
    /// What is there can be edited; nothing can be added, given another identity, or (elements) removed.
    case editsOnly
  }

  /// A member with a getter and a setter.
  ///
  /// - Parameter sources: the stored members that the getter looks at; none means that it may look at all of them.
  ///   A member that says so is compared only when one of those differs.
  @inlinable @inline(__always)
  public init<Value: Bindable, each Source>(
    _ name: String, _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Root, Value>,
    from sources: repeat any KeyPath<Root, each Source> & Sendable, filling: Filling = .free
  ) {
    let shape = filling == .editsOnly ? Value.shape.withFixedElements : Value.shape
    let editsOnly = if filling == .editsOnly, case .optional = shape.type.kind { true } else { false }
    let info = MemberInfo(name, .computed, shape.type, sources: Self.paths(repeat each sources))
    let path = MemberPath(computed: path)
    let (get, put) = (path.get, path.set)
    table = MemberTable(
      info, path, shape, apply: MemberTable.writing(path, shape, editsOnly: editsOnly),
      set: { root, before, edit throws(EditError) in
        edit.editsOnly = editsOnly
        defer { edit.editsOnly = false }
        if Self.saysWhatIs(get(before), shape, edit) { return false }
        let untouched = get(root)
        var wanted = untouched
        try shape.edit(&wanted, &edit)
        put?(&root, wanted)
        let kept = get(root)
        if !shape.areSame(kept, wanted) {
          edit.outcome = max(edit.outcome, shape.areSame(kept, untouched) ? .dropped : .adjusted)
        }
        return true
      })
  }

  /// Whether an edit of that value would leave it as it is.
  @inlinable
  static func saysWhatIs<Value>(_ value: Value, _ shape: Shape<Value>, _ edit: Edit) -> Bool {
    var trial = value
    var edit = edit
    let echoes = edit.echoes.count
    guard (try? shape.edit(&trial, &edit)) != nil else { return false }
    return edit.echoes.count == echoes && shape.areSame(trial, value)
  }

  /// A member with a getter alone.
  @inlinable @inline(__always)
  public init<Value: Bindable, each Source>(
    _ name: String, readOnly path: @autoclosure @escaping @Sendable () -> KeyPath<Root, Value>,
    from sources: repeat any KeyPath<Root, each Source> & Sendable
  ) {
    let shape = Value.shape
    table = MemberTable(
      MemberInfo(name, .computedReadOnly, shape.type, sources: Self.paths(repeat each sources)),
      MemberPath(readOnly: path, named: name), shape)
  }

  @inlinable
  static func paths<each Source>(_ sources: repeat any KeyPath<Root, each Source> & Sendable)
    -> [AnyKeyPathBox]?
  {
    var paths: [AnyKeyPathBox] = []
    for path in repeat each sources { paths.append(AnyKeyPathBox(path: path)) }
    return paths.isEmpty ? nil : paths
  }
}

extension Shape {
  /// The same, but elements can be neither added nor removed, and an optional cannot be filled.
  @inlinable var withFixedElements: Shape {
    if case .optional = type.kind { return with(operations, type: type.fixed) }
    guard case .elements = type.kind else { return self }
    var operations = operations
    operations.descend = { [self] value, route, index, edit throws(EditError) in
      let isLast = index == route.steps.count - 1
      if isLast, case .remove = edit.operation {
        throw .invalid(ValidationError(.notRemovable, "elements stay as they are"))
      }
      if isLast, case .insert = edit.operation {
        // By its id it is named where it stands, and by a position where there would be one more.
        guard case .key = route.steps[index] else { throw .cannotCreate(depth: index) }
      }
      let mayCreate = edit.mayCreate
      edit.mayCreate = false
      defer { edit.mayCreate = mayCreate }
      do throws(EditError) {
        try self.operations.descend(&value, route, index, &edit)
      } catch .absent(let absence) where mayCreate && absence.depth == index {
        throw .cannotCreate(depth: index)
      }
    }
    return with(operations, type: type.fixed)
  }
}
