public import BinderyJSON

// How an edit reaches its place: from the root along the members of structs to the value, which it replaces or changes.
// The other kinds of steps (elements, cases, optionals) are in the files of their types.

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
}

extension StructShape {
  /// Continues an edit at the member that the step at `index` names.
  @inlinable
  func descend(_ value: inout Value, _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) {
    if let free, case .key = route.steps[index] { return try free.descend(&value, route, index, &edit) }
    guard case .member(let member) = route.steps[index],
      let apply = edit.isRestoring ? members[member].restore : members[member].apply
    else { throw .readOnly }
    try apply(&value, route, index + 1, &edit)
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

extension EditableShape where Value: Sendable {
  /// Applies the edit like ``apply(_:_:_:_:)``, but returns the error instead of throwing it.
  @inlinable @inline(never)
  func attempt(_ value: inout Value, _ route: Route, _ index: Int, _ edit: inout Edit) -> EditError? {
    do throws(EditError) { try apply(&value, route, index, &edit) } catch { return error }
    return nil
  }
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
  /// Applies the edit to the value itself: replaces it during a restore, otherwise edits it.
  @inlinable
  func edit(_ value: inout Value, _ edit: inout Edit) throws(EditError) {
    let isWhole = edit.isRestoring || (edit.decodedValues != nil && isReplacedWhole(by: edit.operation))
    if isWhole, let node = edit.node {
      value = try decode(node, for: &edit, creating: false)
    } else {
      try operations.edit(&value, &edit)
    }
  }

  /// Returns whether an edit of a value does not depend on the value.
  @inlinable
  func isReplacedWhole(by operation: Edit.Operation) -> Bool {
    if case .append = operation { return false }
    switch type.kind {
    case .scalar, .array, .elements, .set: return true
    case .dictionary: if case .merge = operation { return false } else { return true }
    case .product, .sum, .optional: return false
    }
  }

  /// Applies an edit to a value without parts.
  @inlinable @inline(__always)
  static func replace(
    _ value: inout Value, _ operation: Edit.Operation, _ decode: (JSONNode) throws(ValidationError) -> Value
  ) throws(EditError) {
    switch operation {
    case .merge(let node), .replace(let node), .insert(let node):
      do throws(ValidationError) { value = try decode(node) } catch { throw .invalid(error) }
    case .append: throw .invalid(.noCollection)
    case .remove: throw .invalid(.notRemovable)
    }
  }
}

// MARK: Structs

extension StructShape {
  /// Applies an edit to the whole struct. Writing `{"k": v}` to the struct is equivalent to writing `v` to `/k`.
  @inlinable
  func edit(_ value: inout Value, _ edit: inout Edit) throws(EditError) {
    switch edit.operation {
    case .merge(let node), .replace(let node), .insert(let node): try combine(&value, node, &edit)
    case .remove: throw .invalid(.notRemovable)
    case .append: throw .invalid(.noCollection)
    }
  }

  /// Writes the members of a JSON object: first the stored ones, then the computed ones through their setters.
  @inlinable
  func combine(_ value: inout Value, _ node: JSONNode, _ edit: inout Edit) throws(EditError) {
    let slots = try EditError.invalidating { () throws(ValidationError) in try self.slots(of: node) }
    let before = value
    try setStored(&value, slots, &edit)
    try EditError.invalidating { () throws(ValidationError) in
      let others = try freeParts(of: node)
      if edit.isReplacing { try free?.decode(others, into: &value) } else { try free?.merge(others, into: &value) }
    }
    try setComputed(&value, slots, before, &edit)
    try compareReadOnly(value, slots, before, &edit)
  }

  /// Writes the stored members.
  ///
  /// - Throws: ``EditError`` if a replacement omits a member.
  @inlinable
  func setStored(_ value: inout Value, _ slots: [JSONNode?], _ edit: inout Edit) throws(EditError) {
    for (index, member) in members.enumerated() where member.info.role == .stored {
      guard let apply = member.apply else { continue }
      guard let slot = slots[index] ?? (edit.isReplacing && member.info.omitsNull ? .nullNode : nil) else {
        if edit.isReplacing {
          throw .invalid(member.info.missingError.under(member.info.name))
        }
        continue
      }
      try edit.part(slot, .member(index), member.info.name) { part throws(EditError) in
        try apply(&value, .here, 0, &part)
      }
    }
  }

  /// Runs the setters of the computed members whose value in the request differs from the value before the edit.
  ///
  /// - Throws: ``EditError`` if a setter changes a stored member that the same request sets to another value.
  @inlinable
  func setComputed(
    _ value: inout Value, _ slots: [JSONNode?], _ before: Value, _ edit: inout Edit
  ) throws(EditError) {
    let stored = value
    var hasRun = false
    for (index, member) in members.enumerated() where member.info.role == .computed {
      guard let slot = slots[index], let set = member.set else { continue }
      let didRun = try edit.part(slot, .member(index), member.info.name) { part throws(EditError) in
        try set(&value, before, &part)
      }
      hasRun = hasRun || didRun
    }
    guard hasRun else { return }
    try EditError.invalidating { () throws(ValidationError) in try requireUnchanged(slots, of: stored, in: value) }
  }

  /// Checks the read-only members in the request, which must equal the value before or after the edit.
  ///
  /// A member that equals neither is recorded in ``Edit/echoes`` for a check against the settled result; an id is
  /// rejected.
  @inlinable
  func compareReadOnly(
    _ value: Value, _ slots: [JSONNode?], _ before: Value, _ edit: inout Edit
  ) throws(EditError) {
    for (index, member) in members.enumerated() where !member.info.isWritable {
      guard let slot = slots[index] else { continue }
      let result = try edit.running(at: edit.path + [.member(index)]) {
        Result { () throws(ValidationError) in
          if try member.equals(before, slot) { true } else { try member.equals(value, slot) }
        }
      }
      let isEcho: Bool
      do throws(ValidationError) { isEcho = try result.get() } catch { throw .invalid(error.under(member.info.name)) }
      if isEcho { continue }
      guard member.info.role != .identity else {
        throw .invalid(member.info.immutableError)
      }
      // The model may still settle on this value, so the settled result decides.
      edit.echoes.append(
        ReadOnlyEcho(steps: edit.path + [.member(index)], node: slot, names: edit.names + [member.info.name]))
    }
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
    guard let node = edit.node else { throw .cannotCreate(depth: edit.path.count) }
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
