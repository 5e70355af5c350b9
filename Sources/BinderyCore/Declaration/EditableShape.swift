public import BinderyDigest
public import BinderyJSON

/// The description of a ``Editable`` type: its members or cases, and the operations on its values.
///
/// Create a shape with ``members(_:_:computed:)`` for a struct, ``cases(_:)`` for an enum, ``rawValues(_:)`` for an
/// enum with raw values, or ``scalar(_:as:_:format:pattern:examples:expected:encode:decode:)`` for another type without
/// parts. The shapes of optionals, sequences, sets and dictionaries are derived from their elements.
public final class EditableShape<Value>: Sendable {
  /// The description of the type without its values.
  @usableFromInline package let type: TypeInfo
  /// The operations on values of the type.
  @usableFromInline package let operations: Operations
  /// The members of a struct; empty for other types.
  @usableFromInline let members: [MemberTable<Value>]
  /// The cases of an enum; empty for other types.
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

  /// Returns this shape with other operations and another type description.
  @inlinable
  func with(_ operations: Operations, type: TypeInfo) -> EditableShape {
    EditableShape(type: type, operations: operations, members: members, cases: cases)
  }

  /// Returns the listed member at a key path, with its index; nil if the shape does not list it.
  ///
  /// - Complexity: O(*n*) in the number of members.
  @usableFromInline
  func member(at path: AnyKeyPath) -> (Int, MemberTable<Value>)? {
    guard let index = members.firstIndex(where: { $0.locator == .keyPath(path) }) else { return nil }
    return (index, members[index])
  }

  /// Returns the index of the case with a name; nil if the shape does not list it.
  @usableFromInline
  func index(ofCase name: String) -> Int? { cases.firstIndex { $0.info.name.isSame(as: name) } }

  /// Returns the name of the active case; nil if the shape does not list it.
  @usableFromInline
  func activeCase(of value: Value) -> String? { cases.first { $0.isActive(value) }?.info.name }
}

extension EditableShape {
  /// Writes a value as canonical JSON.
  @inlinable
  package func encode(_ value: Value, into writer: inout JSONWriter) { operations.encode(value, &writer) }

  /// Decodes a value from JSON.
  ///
  /// - Throws: ``ValidationError`` if the JSON does not fit the type or a constraint.
  @inlinable
  package func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> Value {
    try operations.decode(node, &decoding)
  }

  /// Returns the number of elements of a value; nil for types other than collections.
  package func elementCount(of value: Value) -> Int? { operations.elementCount?(value) }

  /// Returns whether two values have equal canonical encodings, hidden members included.
  @inlinable
  package func areSame(_ a: Value, _ b: Value) -> Bool { operations.areSame(a, b) }

  /// Returns the digest of a value, from which its ETag is made. It depends on the canonical encoding alone.
  @inlinable
  package func digest(_ value: Value, _ key: DigestKey) -> Digest {
    var context = DigestContext(key)
    return operations.digest(value, &context)
  }

  /// Returns the digest of a value that is part of another one.
  @inlinable
  func digest(_ value: Value, _ context: inout DigestContext) -> Digest { operations.digest(value, &context) }

  /// Checks the constraints of a value that Swift code created, only where it differs from `base`.
  ///
  /// - Throws: ``ValidationError`` for the first constraint that does not hold.
  @inlinable
  package func check(_ value: Value, since base: Value? = nil) throws(ValidationError) {
    try operations.check(value, base)
  }
}

extension EditableShape where Value: Sendable {
  /// Follows the route from the step at `index` and passes the value at its end to the read operation.
  ///
  /// - Throws: ``Absence`` if a step of the route does not exist in `value`.
  @inlinable
  package func visit(_ value: Value, _ route: Route, _ index: Int = 0, _ reading: inout ReadOperation) throws(Absence) {
    if index < route.steps.count {
      try operations.visit(value, route, index, &reading)
    } else {
      reading.read(value, self)
    }
  }
}

extension EditableShape {
  /// Returns the error for a step that does not fit the type.
  ///
  /// Routes are resolved against the same types, so this never happens for a resolved route.
  @inlinable
  static func mismatchedStep(_ index: Int) -> Absence { Absence(.noSuchElement(""), depth: index) }
}
