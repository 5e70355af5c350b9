/// A collection whose integer ids the server generates.
///
/// A generated id is one more than the largest that was ever used, which a hidden member beside the collection keeps.
/// Patches leave that member out. An id that one JSON Patch adds and removes again can be generated later; no response
/// has contained it.
struct NumberedCollection: Sendable {
  /// The name of the collection in its struct.
  let member: String
  /// The name of the hidden member.
  var name: String { LargestID.name(beside: member) }

  /// The index of the collection in its struct.
  let slot: Int
  /// The index of the hidden member in the struct.
  let lastSlot: Int

  /// Returns the largest id that was ever used.
  private func last(in owner: DynamicValue) -> Int {
    if case .integer(let last) = owner.member(lastSlot), last > 0 { return last }
    // The collection may be older than the hidden member, or another member had its name.
    return largest(owner.member(slot).elements)
  }

  private func largest(_ elements: some Sequence<DynamicValue>) -> Int {
    elements.reduce(0) { max($0, Int($1.member(0)) ?? 0) }
  }

  /// Returns the edit operation of the collection, which gives an id to a new element without one.
  var write: MemberPath<DynamicValue, DynamicValue>.Apply {
    { [self] owner, shape, route, index, edit throws(EditError) in
      let isAdding = edit.addsElement(to: route, index)
      if isAdding {
        let last = last(in: owner)
        if last < .max { edit.impliedKey = TypedKey(last + 1, isSuggested: true) }
      }
      defer { if isAdding { edit.impliedKey = nil } }
      try owner.editMember(slot) { member throws(EditError) in try shape.apply(&member, route, index, &edit) }
      // The element may also be one of a collection below this one.
      guard index >= route.steps.count - 1, let new = edit.newKey?.typed(Int.self) else { return }
      // A later operation of the same request needs another id, and so does a restored state.
      let last = max(last(in: owner), new)
      owner.editMember(lastSlot) { $0 = .integer(last) }
    }
  }

  /// Returns the rule that keeps the largest id up to date.
  ///
  /// - Parameter steps: The steps to the struct of the collection.
  func rule(_ steps: [WalkStep], _ element: EditableShape<DynamicValue>) -> ModelRule {
    ModelRule { [self] root, base throws(InvalidState) in
      var walk = ModelWalk(steps: steps, visitsUnchanged: base == nil) { owner, old, path throws(InvalidState) in
        let elements = owner.member(slot)
        // A request that replaces the object has no value for the hidden member.
        let new =
          old.map { max(last(in: $0), largest(elements.changes(since: $0.member(slot), element).written.map(\.new))) }
          ?? largest(elements.elements)
        guard new < .max else {
          throw InvalidState("the id \(new) leaves none for new elements", at: Pointer.text(path + [member]))
        }
        guard case .integer(let last) = owner.member(lastSlot), new > last else { return .unchanged }
        var copy = owner
        copy.editMember(lastSlot) { $0 = .integer(new) }
        return .replaced(copy)
      }
      try walk.apply(to: &root, since: base)
    }
  }
}

extension ProductInfo {
  /// Returns whether a member is a collection whose integer ids the server generates.
  package func isNumbered(_ member: MemberInfo) -> Bool {
    let name = LargestID.name(beside: member.name)
    return members.contains { $0.role == .hidden && $0.name == name }
  }
}

extension Edit {
  /// Returns whether the edit adds an element to the collection at an index of the route, without naming its id.
  fileprivate func addsElement(to route: Route, _ index: Int) -> Bool {
    switch operation.kind {
    case .append: return index == route.steps.count
    case .insert:
      guard index == route.steps.count - 1 else { return false }
      if case .key = route.steps[index] { return false }
      return true
    case .merge, .replace, .remove: return false
    }
  }
}

extension ModelBuilder {
  /// Returns whether a type is a collection whose integer ids the server generates.
  func isNumbered(_ schema: SchemaDeclaration) -> Bool {
    guard case .collection(let element, _) = schema.kind, case .structure(let structure) = resolved(element).kind,
      let id = structure.identity.flatMap(structure.member), id.isGenerated,
      case .stored(let type) = id.source, case .scalar(let scalar) = resolved(type).kind
    else { return false }
    return scalar.form == .integer
  }

  /// Returns the collections in a struct whose integer ids the server generates, by their names.
  func numberedCollections(of structure: StructDeclaration) -> [String.UTF8View.Bytes: NumberedCollection] {
    var collections: [String.UTF8View.Bytes: NumberedCollection] = [:]
    for member in structure.stored {
      guard case .stored(let schema) = member.source, isNumbered(schema), let slot = structure.slot(of: member.name)
      else { continue }
      collections[String.UTF8View.Bytes(member.name)] = NumberedCollection(
        member: member.name, slot: slot, lastSlot: structure.stored.count + collections.count)
    }
    return collections
  }
}
