package import Bindings
package import Digests
package import JSON

/// What a type is made of, as a table of what can be done with its values.
///
/// Made by ``members(_:_:computed:)`` for structs, ``cases(_:)`` for enums, or ``scalar(…)`` for what has no parts; the
/// shapes of optionals, sequences and dictionaries follow from their elements.
public final class Shape<Value>: Sendable {
  package let type: TypeInfo
  package let operations: Operations

  /// The verbs of a shape, made where the types are concrete.
  package struct Operations: Sendable {
    /// Writes the canonical JSON.
    var encode: @Sendable (Value, inout JSONWriter) -> Void
    /// Makes a value from JSON.
    var decode: @Sendable (JSONNode, inout Decoding) throws(Invalid) -> Value
    /// Whether two values have the same canonical encoding, hidden members included.
    var areSame: @Sendable (Value, Value) -> Bool
    /// The digest that is a function of the canonical encoding alone.
    var digest: @Sendable (Value, DigestKey) -> Digest
    /// Checks the constraints of a value that Swift code made, only where it differs from the base.
    var check: @Sendable (Value, Value?) throws(Invalid) -> Void
    /// Takes the next step of a route and reads on from there.
    var visit: @Sendable (Value, Route, Int, inout Reading) throws(Absence) -> Void
    /// Carries out an edit of the value itself.
    var edit: @Sendable (inout Value, inout Edit) throws(Refusal) -> Void
    /// Takes the next step of a route and edits on from there.
    var descend: @Sendable (inout Value, Route, Int, inout Edit) throws(Refusal) -> Void
    /// Makes a value from what was sent and the rest of a route, for a `PUT` that creates.
    var construct: @Sendable (Route, Int, inout Edit) throws(Refusal) -> Value
    /// Whether JSON describes something with another id.
    var hasOtherIdentity: @Sendable (Value, JSONNode) -> Bool = { _, _ in false }
    /// Writes some elements of a sequence.
    var page: (@Sendable (Value, Page, inout Reading) -> Void)?
    /// Tells those who watch parts of the value what these are now; the value itself differs from the old one.
    var observe: @Sendable (Value?, Value, Watch) -> Void = { _, _, _ in }
    /// Appends what leads from one value to another, and returns false, with nothing appended, where only the whole can
    /// be replaced, as it always is where this is nil.
    var difference: (@Sendable (Value, Value, inout Difference) -> Bool)?
    /// Writes the value as it is kept; nil where that is what is shown.
    var store: (@Sendable (Value, inout StoredWriter) -> Void)?
  }

  /// The members of a struct.
  let members: [MemberTable<Value>]
  /// The cases of an enum.
  let cases: [CaseTable<Value>]

  init(
    type: TypeInfo, operations: Operations, members: [MemberTable<Value>] = [], cases: [CaseTable<Value>] = []
  ) {
    self.type = type
    self.operations = operations
    self.members = members
    self.cases = cases
  }

  /// The same type with other verbs.
  func with(_ operations: Operations, type: TypeInfo) -> Shape {
    Shape(type: type, operations: operations, members: members, cases: cases)
  }

  /// The listed member that a key path leads to.
  func member(at path: AnyKeyPath) -> (Int, MemberTable<Value>)? {
    guard let index = members.firstIndex(where: { $0.path.path == path }) else { return nil }
    return (index, members[index])
  }

  func index(ofCase name: String) -> Int? { cases.firstIndex { $0.info.name.isSame(as: name) } }

  func activeCase(of value: Value) -> String? { cases.first { $0.isActive(value) }?.info.name }
}

extension Shape {
  package func encode(_ value: Value, into writer: inout JSONWriter) { operations.encode(value, &writer) }

  package func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(Invalid) -> Value {
    try operations.decode(node, &decoding)
  }

  /// Whether two values have equal canonical encodings.
  package func areSame(_ a: Value, _ b: Value) -> Bool { operations.areSame(a, b) }

  package func digest(_ value: Value, _ key: DigestKey) -> Digest { operations.digest(value, key) }

  package func check(_ value: Value, since base: Value? = nil) throws(Invalid) { try operations.check(value, base) }

  /// Takes the route from a step on and hands what stands at its end to the reading.
  package func visit(_ value: Value, _ route: Route, _ index: Int = 0, _ reading: inout Reading) throws(Absence) {
    if index < route.steps.count {
      try operations.visit(value, route, index, &reading)
    } else {
      reading.take(value, self)
    }
  }

  /// Takes the route from a step on and carries out the edit at its end.
  package func apply(_ value: inout Value, _ route: Route, _ index: Int = 0, _ edit: inout Edit) throws(Refusal) {
    if index < route.steps.count {
      try operations.descend(&value, route, index, &edit)
    } else {
      try edit.noting(&value, self) { value, edit throws(Refusal) in try self.edit(&value, &edit) }
    }
  }

  /// Edits the value itself.
  func edit(_ value: inout Value, _ edit: inout Edit) throws(Refusal) {
    if edit.isRestoring, let node = edit.node {
      value = try decode(node, for: &edit, creating: false)
    } else {
      try operations.edit(&value, &edit)
    }
  }

  func construct(_ route: Route, _ index: Int, _ edit: inout Edit) throws(Refusal) -> Value {
    if index < route.steps.count {
      try operations.construct(route, index, &edit)
    } else {
      try decodeNew(&edit)
    }
  }

  /// Makes a new value of what was sent.
  func decodeNew(_ edit: inout Edit) throws(Refusal) -> Value {
    guard let node = edit.node else { throw .cannotCreate(depth: edit.trail.count) }
    return try decode(node, for: &edit, creating: true)
  }

  func decode(_ node: JSONNode, for edit: inout Edit, creating: Bool) throws(Refusal) -> Value {
    try edit.decoding(creating ? .creating : .complete) { decoding throws(Invalid) in try decode(node, &decoding) }
  }
}

extension Shape {
  /// The refusal of a step that the type does not have: routes are resolved on the same types, so none is.
  static func lost(_ index: Int) -> Absence { Absence(.noSuchElement(""), depth: index) }
}
