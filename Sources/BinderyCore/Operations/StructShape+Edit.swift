public import BinderyJSON

extension StructShape {
  /// Writes to the struct as a whole: one law at every level, `{"k": v}` here is `v` at `/k`.
  @inlinable
  func edit(_ value: inout Value, _ edit: inout Edit) throws(EditError) {
    switch edit.operation {
    case .merge(let node), .replace(let node), .insert(let node): try combine(&value, node, &edit)
    case .remove: throw .invalid(.notRemovable)
    case .append: throw .invalid(.noCollection)
    }
  }

  @inlinable
  func combine(_ value: inout Value, _ node: JSONNode, _ edit: inout Edit) throws(EditError) {
    let slots = try EditError.invalidating { () throws(ValidationError) in try self.slots(of: node) }
    let before = value
    try setStored(&value, slots, &edit)
    try setComputed(&value, slots, before, &edit)
    try compareReadOnly(value, slots, before, &edit)
  }

  @inlinable
  func setStored(_ value: inout Value, _ slots: [JSONNode?], _ edit: inout Edit) throws(EditError) {
    for (index, member) in members.enumerated() where member.info.role == .stored {
      guard let apply = member.apply else { continue }
      guard let slot = slots[index] else {
        if edit.isReplacing {
          throw .invalid(member.info.isMissing.under(member.info.name))
        }
        continue
      }
      try edit.part(slot, .member(index), member.info.name) { part throws(EditError) in
        try apply(&value, .here, 0, &part)
      }
    }
  }

  /// Computed members whose value is not what it was before run their setters; they may not unmake what the same
  /// request says of a stored one.
  @inlinable
  func setComputed(
    _ value: inout Value, _ slots: [JSONNode?], _ before: Value, _ edit: inout Edit
  ) throws(EditError) {
    let stored = value
    var hasRun = false
    for (index, member) in members.enumerated() where member.info.role == .computed {
      guard let slot = slots[index], let set = member.set else { continue }
      let ran = try edit.part(slot, .member(index), member.info.name) { part throws(EditError) in
        try set(&value, before, &part)
      }
      hasRun = hasRun || ran
    }
    guard hasRun else { return }
    try EditError.invalidating { () throws(ValidationError) in try requireKept(slots, of: stored, in: value) }
  }

  /// A read-only member may be sent along if it says what is there before or after.
  @inlinable
  func compareReadOnly(
    _ value: Value, _ slots: [JSONNode?], _ before: Value, _ edit: inout Edit
  ) throws(EditError) {
    for (index, member) in members.enumerated() where !member.info.isWritable {
      guard let slot = slots[index] else { continue }
      let isEcho: Bool
      do throws(ValidationError) {
        isEcho = if try member.equals(before, slot) { true } else { try member.equals(value, slot) }
      } catch { throw .invalid(error.under(member.info.name)) }
      if isEcho { continue }
      guard member.info.role != .identity else {
        throw .invalid(member.info.cannotChange)
      }
      // The model may still settle on it: the finished result decides.
      edit.echoes.append(
        ReadOnlyEcho(steps: edit.trail + [.member(index)], node: slot, names: edit.names + [member.info.name]))
    }
  }
}

extension Route {
  /// No further steps: the value at hand.
  @usableFromInline static let here = Route(
    steps: [], target: TypeInfo(name: "", kind: .sum([])), isWritable: true, isRemovable: false)
}
