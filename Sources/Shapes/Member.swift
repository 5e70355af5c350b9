import Bindings
import Digests
import JSON
public import Trees

/// A stored member of a struct: its name is said once, here.
public struct Member<Root, Value: Bindable>: Sendable {
  let table: MemberTable<Root>
  let decode: @Sendable (JSONNode, inout Decoding) throws(Invalid) -> Value
  let fallback: (@Sendable () -> Value)?
  let fromKey: (@Sendable (AnyKey) -> Value?)?

  /// A member that reads and writes.
  ///
  /// - Parameter fallback: what a new value takes where the member is not given.
  public init(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraints: Constraint<Value>...,
    default fallback: @autoclosure @escaping @Sendable () -> Value
  ) {
    self.init(name, path, constraints, fallback)
  }

  /// A member that reads and writes, and that a new value cannot be without.
  public init(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraints: Constraint<Value>...
  ) {
    self.init(name, path, constraints, nil)
  }

  init(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraints: [Constraint<Value>],
    _ fallback: (@Sendable () -> Value)? = nil
  ) {
    let shape = Value.shape.constrained(by: constraints)
    self.init(
      MemberTable(
        MemberInfo(name, .stored, shape.type, hasDefault: fallback != nil), path, shape, access: .member(path),
        apply: { root, route, index, edit throws(Refusal) in
          try shape.apply(&root[keyPath: path], route, index, &edit)
        }), shape, fallback)
  }

  /// A member that only reads.
  public init(
    _ name: String, readOnly path: any KeyPath<Root, Value> & Sendable,
    default fallback: (@Sendable () -> Value)? = nil
  ) {
    let shape = Value.shape
    self.init(
      MemberTable(
        MemberInfo(name, .readOnly, shape.type, hasDefault: fallback != nil), path, shape,
        restore: MemberTable.restoring(path, shape)),
      shape, fallback)
  }

  /// The member that an element of a sequence is found by: read-only where it stands, plain data in a new value.
  ///
  /// - Parameter new: makes an id for a new value that brings none.
  public init(_ name: String, id path: any KeyPath<Root, Value> & Sendable, new: (@Sendable () -> Value)? = nil)
  where Value: Key {
    let shape = Value.shape
    self.init(
      MemberTable(MemberInfo(name, .identity, shape.type, hasDefault: new != nil), path, shape), shape, new,
      fromKey: { $0.typed(Value.self) })
  }

  /// A member that is kept with the state but has no address and does not show.
  public init(
    hidden name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
    default fallback: @autoclosure @escaping @Sendable () -> Value
  ) {
    let shape = Value.shape
    self.init(
      MemberTable(
        MemberInfo(name, .hidden, shape.type, hasDefault: true), path, shape, access: .member(path),
        restore: MemberTable.restoring(path, shape)),
      shape, fallback)
  }

  private init(
    _ table: MemberTable<Root>, _ shape: Shape<Value>, _ fallback: (@Sendable () -> Value)?,
    fromKey: (@Sendable (AnyKey) -> Value?)? = nil
  ) {
    self.table = table
    self.decode = { node, decoding throws(Invalid) in try shape.decode(node, &decoding) }
    self.fallback = fallback
    self.fromKey = fromKey
  }
}

/// A computed member of a struct.
public struct Computed<Root>: Sendable {
  let table: MemberTable<Root>

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
  public init<Value: Bindable, each Source>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
    from sources: repeat any KeyPath<Root, each Source> & Sendable, filling: Filling = .free
  ) {
    let shape = filling == .editsOnly ? Value.shape.withFixedElements : Value.shape
    let editsOnly = if filling == .editsOnly, case .optional = shape.type.kind { true } else { false }
    let info = MemberInfo(name, .computed, shape.type, sources: Self.paths(repeat each sources))
    table = MemberTable(
      info, path, shape, access: .computed(path),
      apply: { root, route, index, edit throws(Refusal) in
        var value = root[keyPath: path]
        edit.editsOnly = editsOnly
        defer { edit.editsOnly = false }
        try shape.apply(&value, route, index, &edit)
        root[keyPath: path] = value
      },
      set: { root, before, edit throws(Refusal) in
        edit.editsOnly = editsOnly
        defer { edit.editsOnly = false }
        if Self.saysWhatIs(before[keyPath: path], shape, edit) { return false }
        let untouched = root[keyPath: path]
        var wanted = untouched
        try shape.edit(&wanted, &edit)
        root[keyPath: path] = wanted
        let kept = root[keyPath: path]
        if !shape.areSame(kept, wanted) {
          edit.outcome = max(edit.outcome, shape.areSame(kept, untouched) ? .dropped : .adjusted)
        }
        return true
      })
  }

  /// Whether an edit of that value would leave it as it is.
  private static func saysWhatIs<Value>(_ value: Value, _ shape: Shape<Value>, _ edit: Edit) -> Bool {
    var trial = value
    var edit = edit
    let echoes = edit.echoes.count
    guard (try? shape.edit(&trial, &edit)) != nil else { return false }
    return edit.echoes.count == echoes && shape.areSame(trial, value)
  }

  /// A member with a getter alone.
  public init<Value: Bindable, each Source>(
    _ name: String, readOnly path: any KeyPath<Root, Value> & Sendable,
    from sources: repeat any KeyPath<Root, each Source> & Sendable
  ) {
    let shape = Value.shape
    table = MemberTable(
      MemberInfo(name, .computedReadOnly, shape.type, sources: Self.paths(repeat each sources)), path, shape)
  }

  private static func paths<each Source>(_ sources: repeat any KeyPath<Root, each Source> & Sendable)
    -> [AnyKeyPathBox]?
  {
    var paths: [AnyKeyPathBox] = []
    for path in repeat each sources { paths.append(AnyKeyPathBox(path: path)) }
    return paths.isEmpty ? nil : paths
  }
}

extension Shape {
  /// The same, but elements can be neither added nor removed, and an optional cannot be filled.
  var withFixedElements: Shape {
    if case .optional = type.kind { return with(operations, type: type.fixed) }
    guard case .elements = type.kind else { return self }
    var operations = operations
    operations.descend = { [self] value, route, index, edit throws(Refusal) in
      let isLast = index == route.steps.count - 1
      if isLast, case .remove = edit.operation { throw .invalid(Invalid(.notRemovable, "elements stay as they are")) }
      if isLast, case .insert = edit.operation { throw .cannotCreate(depth: index) }
      let mayCreate = edit.mayCreate
      edit.mayCreate = false
      defer { edit.mayCreate = mayCreate }
      do throws(Refusal) {
        try self.operations.descend(&value, route, index, &edit)
      } catch .absent(let absence) where mayCreate && absence.depth == index {
        throw .cannotCreate(depth: index)
      }
    }
    return with(operations, type: type.fixed)
  }
}
