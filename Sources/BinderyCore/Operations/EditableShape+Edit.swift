public import BinderyJSON

// Applying an edit: it descends from the root along a route to the place, and replaces or changes the value. The kinds
// of steps (members, elements, cases, optionals) are in the files of their types.

extension EditableShape where Value: Sendable {
  /// Follows the route from the step at `index` and applies the edit to the value at its end.
  ///
  /// - Throws: ``EditError`` if the place is absent, the JSON does not fit, or a missing step cannot be created.
  @inlinable
  package func apply(_ value: inout Value, _ route: Route, _ index: Int = 0, _ edit: inout Edit) throws(EditError) {
    if index < route.steps.count {
      try operations.descend(&value, route, index, &edit)
    } else {
      try edit.recordingResult(&value, self) { value, edit throws(EditError) in try self.edit(&value, &edit) }
    }
  }

  /// Applies an edit to a value whose place does not depend on its id: an entry of a dictionary, the payload of a case,
  /// or an element of a plain array.
  ///
  /// A replacement by a value with another id replaces it as a whole, so the id is not a change of a read-only member.
  /// The result therefore does not depend on the value that was there before.
  @inlinable
  func applyToPart(_ value: inout Value, _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) {
    if index == route.steps.count, !edit.isStored, edit.isReplacing, let node = edit.node,
      operations.hasOtherIdentity(value, node)
    {
      try edit.recordingResult(&value, self) { value, edit throws(EditError) in
        value = try decode(node, for: &edit, creating: false)
      }
    } else {
      try apply(&value, route, index, &edit)
    }
  }

  /// Applies the edit like ``apply(_:_:_:_:)``, but returns the error instead of throwing it.
  @inlinable @inline(never)
  func attempt(_ value: inout Value, _ route: Route, _ index: Int, _ edit: inout Edit) -> EditError? {
    do throws(EditError) { try apply(&value, route, index, &edit) } catch { return error }
    return nil
  }
}

extension MemberTable {
  /// Returns the edit operation of a member's path; nil if the path is read-only.
  ///
  /// - Parameter editsOnly: Whether an optional member may be edited but not filled.
  @inlinable
  static func writing<Value: Sendable>(
    _ path: MemberPath<Root, Value>, _ shape: EditableShape<Value>, editsOnly: Bool = false
  ) -> Write? {
    guard let apply = path.apply else { return nil }
    return { root, route, index, edit throws(EditError) in
      if editsOnly { edit.editsOnly = true }
      defer { if editsOnly { edit.editsOnly = false } }
      try apply(&root, shape, route, index, &edit)
    }
  }

  /// Returns a closure that writes through a key path declared as read-only.
  ///
  /// - Returns: nil if the key path is not a `WritableKeyPath` at run time, as for a `let` property.
  @inlinable
  static func restoring<Value: Sendable>(_ path: KeyPath<Root, Value>, _ shape: EditableShape<Value>) -> Write? {
    guard let writable = path as? WritableKeyPath<Root, Value> else { return nil }
    let box = WritablePath(path: writable)
    return { root, route, index, edit throws(EditError) in
      try shape.apply(&root[keyPath: box.path], route, index, &edit)
    }
  }
}

extension MemberPath {
  /// Returns the edit operation of a stored member, which is edited in place.
  @inlinable @inline(__always)
  static func applying(stored path: @escaping Writable) -> Apply {
    { root, shape, route, index, edit throws(EditError) in
      // A throwing call inside the access would keep the compiler from resolving the key path. So the error is
      // returned and thrown here.
      if let error = shape.attempt(&root[keyPath: path()], route, index, &edit) { throw error }
    }
  }

  /// Calls a function, and returns its error instead of throwing it, so that the compiler resolves the key path.
  @inlinable @inline(never)
  static func attempt(_ body: (inout Value) throws -> Void, on value: inout Value) -> (any Error)? {
    do { try body(&value) } catch { return error }
    return nil
  }

  /// Returns the edit operation of a computed member, whose setter runs once and only if the edit succeeds.
  @inlinable @inline(__always)
  static func applying(computed path: @escaping Writable) -> Apply {
    { root, shape, route, index, edit throws(EditError) in
      var value = try edit.value(at: route, index) { root[keyPath: path()] }
      try shape.apply(&value, route, index, &edit)
      root[keyPath: path()] = value
    }
  }
}

/// A wrapper that makes a writable key path `Sendable`.
@usableFromInline
struct WritablePath<Root, Value>: @unchecked Sendable {
  // Safe for the same reason as in ``MemberLocator``: the key path comes from a literal and is immutable.
  @usableFromInline let path: WritableKeyPath<Root, Value>

  @inlinable
  init(path: WritableKeyPath<Root, Value>) { self.path = path }
}

// MARK: At the place

extension Edit {
  /// Runs `body`, which edits the place, and records the result.
  @inlinable @inline(__always)
  mutating func recordingResult<Value: Sendable>(
    _ value: inout Value, _ shape: EditableShape<Value>, _ body: (inout Value, inout Edit) throws(EditError) -> Void
  ) throws(EditError) {
    let recording = recording
    // The parts of the value are edited by the same functions, but only the place itself is recorded.
    self.recording = .none
    switch recording {
    case .none: try body(&value, &self)
    case .change:
      let before = value
      try body(&value, &self)
      change = TypedChange(at: path[...], from: before, to: value, shape)
    case .intention(let key):
      digestBefore = shape.digest(value, key)
      try body(&value, &self)
      intendedDigest = shape.digest(value, key)
    }
  }
}

extension EditableShape {
  /// Applies the edit to the value itself: replaces it with stored JSON, otherwise edits it.
  @inlinable
  func edit(_ value: inout Value, _ edit: inout Edit) throws(EditError) {
    let isWhole = edit.isStored || (edit.decodedValues != nil && isReplacedWhole(by: edit.operation.kind))
    if isWhole, let node = edit.node {
      value = try decode(node, for: &edit, creating: false)
    } else {
      try operations.edit(&value, &edit)
    }
  }

  /// Returns whether an edit of a value does not depend on the value.
  @inlinable
  func isReplacedWhole(by operation: Edit.Operation.Kind) -> Bool {
    if operation == .append { return false }
    switch type.kind {
    case .scalar, .set: return true
    case .array, .elements: return !type.keepsMembers
    case .dictionary: return operation != .merge && !type.keepsMembers
    case .product, .sum, .optional: return false
    }
  }

  /// Decodes JSON. It takes the JSON as an argument, because a local variable would retain it.
  @inlinable @inline(__always)
  static func decoded(
    _ node: JSONNode, _ decode: (JSONNode) throws(ValidationError) -> Value
  ) throws(EditError) -> Value {
    do throws(ValidationError) { return try decode(node) } catch { throw .invalid(error) }
  }

  /// Applies an edit to a value without parts.
  @inlinable @inline(__always)
  static func replace(
    _ value: inout Value, _ edit: borrowing Edit, _ decode: (JSONNode) throws(ValidationError) -> Value
  ) throws(EditError) {
    value = try decoded(try edit.newValue(), decode)
  }
}

extension Route {
  /// The route without steps, which addresses the current value.
  @usableFromInline static let here = Route(
    steps: [], target: TypeInfo(name: "", kind: .sum([])), isWritable: true, isRemovable: false)
}

// MARK: Creating values

extension EditableShape {
  /// Creates the value for the rest of a route that does not exist yet.
  ///
  /// - Throws: ``EditError/cannotCreate(depth:)`` if a step needs more than the request contains.
  @inlinable
  func construct(_ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) -> Value {
    if index < route.steps.count {
      try operations.construct(route, index, &edit)
    } else {
      try decodeNew(&edit)
    }
  }

  /// Decodes a new value from the JSON of the edit; missing members take their defaults.
  @inlinable
  func decodeNew(_ edit: inout Edit) throws(EditError) -> Value {
    guard let node = edit.node else { throw .cannotCreate(depth: edit.stepCount) }
    return try decode(node, for: &edit, creating: true)
  }

  /// Decodes JSON on behalf of an edit.
  ///
  /// - Parameter creating: whether missing members take their defaults.
  @inlinable
  func decode(_ node: JSONNode, for edit: inout Edit, creating: Bool) throws(EditError) -> Value {
    try edit.decoding(node, creating: creating) { decoding throws(ValidationError) in try decode(node, &decoding) }
  }
}
