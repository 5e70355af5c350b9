public import BinderyJSON

/// The storage format of structs.
extension StructShape {
  @inlinable
  func store(_ value: Value, into writer: inout StoredWriter) { store(value, into: &writer, replacing: nil, by: []) }

  /// Writes the storage format of a value with another value of one member.
  @inlinable
  func store(
    _ value: Value, into writer: inout StoredWriter, replacing replaced: Int?, by stored: [UInt8]
  ) {
    writer.writer.beginObject()
    for (index, member) in members.enumerated() {
      if member.info.role == .hidden { writer.matchesShown = false }
      if member.info.isComputed || (writer.omitsHidden && member.info.role == .hidden) { continue }
      if index != replaced, member.info.omitsNull, member.omits(value) { continue }
      writer.writer.key(precomputed: member.info.quotedKey)
      if index == replaced { writer.writer.raw(stored) } else { member.store(value, &writer) }
    }
    free?.store(value, into: &writer)
    writer.writer.endObject()
  }

  /// Edits a member with property observers while stored state is restored.
  ///
  /// Its observers ran when it was written, and what they changed then is stored as well. If they change anything now,
  /// the struct is created again from its stored members, because an initializer runs no observers. Reading a revision
  /// is then as slow as decoding the struct.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never) @usableFromInline
  func restoreObserved(
    _ value: inout Value, _ member: Int, _ route: Route, _ index: Int, _ edit: inout Edit
  ) throws(EditError) {
    let before = value
    guard let written = try members[member].edited?(value, route, index, edit) else { return }
    try members[member].restore?(&value, route, index, &edit)
    var stored = StoredWriter()
    members[member].store(value, &stored)
    let areOthersSame = members.indices.allSatisfy { index in
      index == member || members[index].info.isComputed || members[index].areSame(before, value)
    }
    if areOthersSame, free?.areSame(before, value) ?? true, stored.writer.bytes == written { return }
    var whole = StoredWriter()
    store(before, into: &whole, replacing: member, by: written)
    guard let node = try? StoredPatch.parse(whole.writer.bytes) else { preconditionFailure("stored values are JSON") }
    var decoding = Decoding(.stored)
    do throws(ValidationError) { value = try decode(node, &decoding) } catch { throw .invalid(error) }
  }

  /// Returns the JSON of each stored member of an object, by the member's index in the shape.
  ///
  /// - Parameter report: Receives the names that are unknown or duplicate. For a file, computed members are returned,
  ///   too. Nil to ignore members that the type does not store.
  @usableFromInline
  func storedSlots(of node: JSONNode, _ report: ValidationReport? = nil) throws(ValidationError) -> MemberNodes {
    let slots = try names.storedNodes(in: node, isFile: report?.source == .file)
    for (key, index) in slots.others {
      if let index {
        let error = members[index].info.duplicateError
        guard let report else { throw error }
        report.record(error)
      } else if let report, !isFree(key.string ?? ""), !isLargestID(key.string ?? "", in: node, report) {
        report.recordUnknown(key.string ?? "", unknownMember(key))
      }
    }
    return slots
  }

  /// Returns whether a member of a file is the largest id of a collection that this type does not have: one that was
  /// renamed in the file, or whose ids are not generated any more.
  private func isLargestID(_ name: String, in node: JSONNode, _ report: ValidationReport) -> Bool {
    guard case .file = report.source, LargestID.isName(name) else { return false }
    return node.members.contains { $0.key.string == name && $0.value.kind == .number }
  }

  /// Appends the operations that turn one value into another.
  ///
  /// - Returns: false if the value can only be replaced as a whole; nothing has been appended then.
  @inlinable
  func difference(_ old: Value, _ new: Value, _ difference: inout PatchBuilder) -> Bool {
    // A different id means a different entity, which replaces the old one as a whole.
    if let identity, !members[identity].areSame(old, new) { return false }
    switch difference.scope {
    case .shown:
      for member in members where member.info.role != .hidden && mayDiffer(member, old, new) {
        member.difference(old, new, &difference)
      }
    case .history, .stored, .data:
      // Undo could not write a changed `let` member alone.
      guard immutable.allSatisfy({ $0.areSame(old, new) }) else { return false }
      for member in editable {
        if member.info.role != .hidden {
          member.difference(old, new, &difference)
        } else if difference.scope == .stored, !difference.skipsHidden {
          difference.throughHidden { member.difference(old, new, &$0) }
        }
      }
    }
    free?.difference(old, new, &difference)
    return true
  }
}
