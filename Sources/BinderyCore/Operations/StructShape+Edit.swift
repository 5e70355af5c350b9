public import BinderyJSON

extension StructShape {
  /// Continues an edit at the member that the step at `index` names.
  @inlinable
  func descend(_ value: inout Value, _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) {
    if let free, case .key = route.steps[index] { return try free.descend(&value, route, index, &edit) }
    guard case .member(let member) = route.steps[index] else { throw .readOnly }
    if edit.isRestoring, members[member].isObserved {
      try restoreObserved(&value, member, route, index + 1, &edit)
    } else {
      try members[member].edit(&value, route, index + 1, &edit)
    }
  }

  /// Applies an edit to the whole struct. Writing `{"k": v}` to the struct is equivalent to writing `v` to `/k`.
  @inlinable
  func edit(_ value: inout Value, _ edit: inout Edit) throws(EditError) {
    if edit.isRestoring, edit.isReplacing, members.contains(where: \.isObserved) {
      let node = try edit.newValue()
      value = try edit.decoding(node, creating: false) { decoding throws(ValidationError) in
        try decode(node, &decoding)
      }
      return
    }
    try combine(&value, &edit)
  }

  /// Writes the members of a JSON object: first the stored ones, then the computed ones through their setters.
  @inlinable
  func combine(_ value: inout Value, _ edit: inout Edit) throws(EditError) {
    let slots = try slots(ofEdit: try edit.newValue())
    let before = compared.contains { slots.contains($0) } ? value : nil
    try setStored(&value, slots, &edit)
    if let free {
      let node = try edit.newValue()
      try EditError.invalidating { () throws(ValidationError) in
        let others = try freeParts(of: node)
        if edit.isReplacing { try free.decode(others, into: &value) } else { try free.merge(others, into: &value) }
      }
    }
    guard let before else { return }
    try setComputed(&value, slots, before, &edit)
    try compareReadOnly(value, slots, before, &edit)
  }

  /// Writes the stored members.
  ///
  /// - Parameter slots: The members of the JSON of the edit.
  /// - Throws: ``EditError`` if a replacement omits a member.
  @inlinable
  func setStored(_ value: inout Value, _ slots: borrowing MemberNodes, _ edit: inout Edit) throws(EditError) {
    try memberChain?.visit { member, index throws(EditError) in
      if edit.isReplacing || slots.contains(index) {
        try member.write(slots.index(at: index), into: &value, at: index, &edit)
      }
    }
  }

  /// Runs the setters of the computed members whose value in the request differs from the value before the edit. Other
  /// ones are skipped, so that a client can send back what it has read.
  ///
  /// Not specialized: few requests contain computed members, and the code would be repeated for each struct.
  ///
  /// - Throws: ``EditError`` if a setter changes a stored member that the same request sets to another value, or a
  ///   computed one that had the requested value.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never) @usableFromInline
  func setComputed(
    _ value: inout Value, _ slots: borrowing MemberNodes, _ before: Value, _ edit: inout Edit
  ) throws(EditError) {
    let stored = value
    var hasRun = false
    // The members that have the requested value, unless a later setter changes it.
    var kept: [Int] = []
    for index in computed {
      let member = members[index]
      guard let slot = slots[index], let set = member.set else { continue }
      let didRun = try edit.part(slot, .member(index), member.info.name) { part throws(EditError) in
        try set(&value, before, &part)
      }
      guard didRun else { continue }
      hasRun = true
      if try matches(index, value, slot, edit) { kept.append(index) }
    }
    guard hasRun else { return }
    for index in kept.dropLast() {
      guard let slot = slots[index], try !matches(index, value, slot, edit) else { continue }
      let (old, new) = (try json(of: index, in: before, edit), try json(of: index, in: value, edit))
      // A part that has its value from before is skipped, too.
      if slot.contradicts(new, insteadOf: old) { throw .invalid(members[index].info.conflictError) }
    }
    let isMerging = !edit.isReplacing
    try EditError.invalidating { () throws(ValidationError) in
      try requireUnchanged(slots, of: stored, in: value, isMerging: isMerging)
    }
  }

  /// Returns the JSON of a member.
  private func json(of index: Int, in value: Value, _ edit: Edit) throws(EditError) -> JSONNode? {
    try edit.running(at: edit.path + [.member(index)]) {
      var writer = JSONWriter()
      members[index].encode(value, &writer)
      return try? JSONDocument(parsing: writer.bytes, maximumDepth: StoredPatch.maximumDepth).root
    }
  }

  /// Returns whether a member has the value that a request describes.
  private func matches(_ index: Int, _ value: Value, _ node: JSONNode, _ edit: Edit) throws(EditError) -> Bool {
    try edit.running(at: edit.path + [.member(index)]) {
      var comparison = Comparison(omitting: edit.isReplacing ? .any : .merged)
      return members[index].matches(value, node, &comparison)
    }
  }

  /// Checks the read-only members in the request, which must equal the value before or after the edit.
  ///
  /// A member that equals neither is recorded in ``Edit/echoes`` for a check against the settled result; an id is
  /// rejected.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never) @usableFromInline
  func compareReadOnly(
    _ value: Value, _ slots: borrowing MemberNodes, _ before: Value, _ edit: inout Edit
  ) throws(EditError) {
    for index in compared {
      let member = members[index]
      guard !member.info.isWritable, let slot = slots[index] else { continue }
      let compare = {
        Result { () throws(ValidationError) in
          if try member.equals(before, slot) { true } else { try member.equals(value, slot) }
        }
      }
      let result = member.info.runsGetters ? try edit.running(at: edit.path + [.member(index)], compare) : compare()
      let isEcho: Bool
      do throws(ValidationError) { isEcho = try result.get() } catch { throw .invalid(error.under(member.info.name)) }
      if isEcho { continue }
      guard member.info.role != .identity else {
        throw .invalid(member.info.immutableError)
      }
      // The model may still settle on this value, so the settled result decides.
      edit.echoes.append(
        ReadOnlyEcho(steps: [.member(index)], node: slot, names: [member.info.name]))
    }
  }
}

extension JSONNode {
  /// Returns whether some part of a request differs both from the result and from the value before.
  fileprivate func contradicts(_ new: JSONNode?, insteadOf old: JSONNode?) -> Bool {
    if isNull, new == nil { return false }
    if let new, equals(new) { return false }
    if let old, equals(old) { return false }
    guard let new, kind == .object, new.kind == .object else { return true }
    return members.contains { name, part in
      guard let name = name.string else { return true }
      return part.contradicts(new[name], insteadOf: old?[name])
    }
  }
}
