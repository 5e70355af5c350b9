public import BinderyJSON

// A collection that is replaced keeps the hidden members of its elements, and refuses other values of read-only ones,
// as the replacement of a single element does. So what a client has read can be sent back, as a whole or in parts.

extension IdentifiedShape {
  /// Returns a new sequence in which the elements that the old one also has are edited instead of replaced.
  ///
  /// Not inlined: few types have such members, and the code would be repeated for each type of elements.
  ///
  /// - Parameters:
  ///   - new: The elements of `node`, in the same order.
  ///   - node: The array in the request.
  @inline(never) @usableFromInline
  func keepMembers(
    of old: Identified<Element>, in new: Identified<Element>, _ node: JSONNode, _ edit: inout Edit
  ) throws(EditError) -> Identified<Element> {
    guard elementShape.type.keepsMembers else { return new }
    let outer = edit.operation
    edit.operation = .replace(node)
    defer { edit.operation = outer }
    var result = new
    for (index, part) in node.elements.enumerated() {
      guard let id = new.element(at: index)?.id, var element = old[id: id] else { continue }
      try elementShape.edit(&element, part, .key(TypedKey(id)), String(index), &edit)
      result.edit(id: id) { $0 = element }
    }
    return result
  }
}

extension EditableShape {
  /// Edits a part of the current value.
  @inline(never)
  func edit(
    _ value: inout Value, _ node: JSONNode, _ step: Step, _ name: String, _ edit: inout Edit
  ) throws(EditError) {
    try edit.part(node, step, name) { part throws(EditError) in try self.edit(&value, &part) }
  }
}

extension ArrayShape {
  /// Keeps the elements that are the same for a client. Without ids, they are compared with the old elements at the
  /// same distance from the beginning or from the end of the array.
  func keepMembers(of old: [Element], in new: inout [Element], _ node: JSONNode) {
    guard elementShape.type.keepsMembers else { return }
    for (index, part) in node.elements.enumerated() {
      for position in [index, index + old.count - new.count] where old.indices.contains(position) {
        var comparison = Comparison(omitting: .computed)
        guard elementShape.matches(old[position], part, &comparison) else { continue }
        new[index] = old[position]
        break
      }
    }
  }
}
