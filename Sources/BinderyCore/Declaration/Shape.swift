public import BinderyDigest
public import BinderyJSON

/// What a type is made of, as a table of what can be done with its values.
///
/// Made by ``members(_:_:computed:)`` for structs, ``cases(_:)`` for enums, or ``scalar(…)`` for what has no parts; the
/// shapes of optionals, sequences and dictionaries follow from their elements.
public final class Shape<Value>: Sendable {
  @usableFromInline package let type: TypeInfo
  @usableFromInline package let operations: Operations
  /// The members of a struct.
  @usableFromInline let members: [MemberTable<Value>]
  /// The cases of an enum.
  @usableFromInline let cases: [CaseTable<Value>]

  @inlinable
  init(
    type: TypeInfo, operations: Operations, members: [MemberTable<Value>] = [], cases: [CaseTable<Value>] = []
  ) {
    self.type = type
    self.operations = operations
    self.members = members
    self.cases = cases
  }

  /// The same type with other verbs.
  @inlinable
  func with(_ operations: Operations, type: TypeInfo) -> Shape {
    Shape(type: type, operations: operations, members: members, cases: cases)
  }

  /// The listed member that a key path leads to.
  @usableFromInline
  func member(at path: AnyKeyPath) -> (Int, MemberTable<Value>)? {
    guard let index = members.firstIndex(where: { $0.path.path == path }) else { return nil }
    return (index, members[index])
  }

  @usableFromInline
  func index(ofCase name: String) -> Int? { cases.firstIndex { $0.info.name.isSame(as: name) } }

  @usableFromInline
  func activeCase(of value: Value) -> String? { cases.first { $0.isActive(value) }?.info.name }
}

extension Shape {
  @inlinable
  package func encode(_ value: Value, into writer: inout JSONWriter) { operations.encode(value, &writer) }

  @inlinable
  package func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> Value {
    try operations.decode(node, &decoding)
  }

  /// Whether two values have equal canonical encodings.
  @inlinable
  package func areSame(_ a: Value, _ b: Value) -> Bool { operations.areSame(a, b) }

  @inlinable
  package func digest(_ value: Value, _ key: DigestKey) -> Digest { operations.digest(value, key) }

  @inlinable
  package func check(_ value: Value, since base: Value? = nil) throws(ValidationError) {
    try operations.check(value, base)
  }

  /// Takes the route from a step on and carries out the edit at its end.
  @inlinable
  package func apply(_ value: inout Value, _ route: Route, _ index: Int = 0, _ edit: inout Edit) throws(EditError) {
    if index < route.steps.count {
      try operations.descend(&value, route, index, &edit)
    } else {
      try edit.noting(&value, self) { value, edit throws(EditError) in try self.edit(&value, &edit) }
    }
  }

  /// The same, with what was refused as a result.
  @inlinable @inline(never)
  func attempt(_ value: inout Value, _ route: Route, _ index: Int, _ edit: inout Edit) -> EditError? {
    do throws(EditError) { try apply(&value, route, index, &edit) } catch { return error }
    return nil
  }

  /// Edits the value itself.
  @inlinable
  func edit(_ value: inout Value, _ edit: inout Edit) throws(EditError) {
    if edit.isRestoring, let node = edit.node {
      value = try decode(node, for: &edit, creating: false)
    } else {
      try operations.edit(&value, &edit)
    }
  }

  @inlinable
  func construct(_ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) -> Value {
    if index < route.steps.count {
      try operations.construct(route, index, &edit)
    } else {
      try decodeNew(&edit)
    }
  }

  /// Makes a new value of what was sent.
  @inlinable
  func decodeNew(_ edit: inout Edit) throws(EditError) -> Value {
    guard let node = edit.node else { throw .cannotCreate(depth: edit.trail.count) }
    return try decode(node, for: &edit, creating: true)
  }

  @inlinable
  func decode(_ node: JSONNode, for edit: inout Edit, creating: Bool) throws(EditError) -> Value {
    try edit.decoding(creating ? .creating : .complete) { decoding throws(ValidationError) in
      try decode(node, &decoding)
    }
  }
}

extension Shape where Value: Sendable {
  /// Takes the route from a step on and hands what stands at its end to the reading.
  @inlinable
  package func visit(_ value: Value, _ route: Route, _ index: Int = 0, _ reading: inout ReadOperation) throws(Absence) {
    if index < route.steps.count {
      try operations.visit(value, route, index, &reading)
    } else {
      reading.take(value, self)
    }
  }
}

extension Shape {
  /// The refusal of a step that the type does not have: routes are resolved on the same types, so none is.
  @inlinable
  static func lost(_ index: Int) -> Absence { Absence(.noSuchElement(""), depth: index) }
}
