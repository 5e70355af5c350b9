public import BinderyJSON

// A collection that is replaced keeps the hidden members of its elements, and refuses other values of read-only ones,
// as the replacement of a single element does. So what a client has read can be sent back, as a whole or in parts.

extension IdentifiedShape {
  /// Returns a new sequence in which the elements that the old one also has are edited instead of replaced.
  ///
  /// - Parameters:
  ///   - new: The elements of `node`, in the same order.
  ///   - node: The array in the request.
  @inlinable
  func keepMembers(
    of old: Identified<Element>, in new: Identified<Element>, _ node: JSONNode, _ edit: inout Edit
  ) throws(EditError) -> Identified<Element> {
    guard elementShape.type.keepsMembers, !edit.isRestoring else { return new }
    var result = new
    try edit.replacing(node) { edit throws(EditError) in
      for (index, part) in node.elements.enumerated() {
        guard let id = new.element(at: index)?.id, var element = old[id: id] else { continue }
        try edit.part(part, .key(TypedKey(id)), String(index)) { part throws(EditError) in
          try elementShape.edit(&element, &part)
        }
        result.edit(id: id) { $0 = element }
      }
    }
    return result
  }
}

extension DictionaryShape {
  /// Edits the entries that were there before instead of replacing them.
  ///
  /// - Parameters:
  ///   - old: The entries before.
  ///   - entries: The entries of `node`.
  ///   - node: The object in the request.
  func keepMembers(
    of old: [K: Value], in entries: inout [K: Value], _ node: JSONNode, _ edit: inout Edit
  ) throws(EditError) {
    guard valueShape.type.keepsMembers, !edit.isRestoring else { return }
    let parts = try EditError.invalidating { () throws(ValidationError) in try self.parts(of: node) }
    try edit.replacing(node) { edit throws(EditError) in
      for (text, key, part) in parts {
        guard let before = old.index(ofSame: key), let entry = entries.index(ofSame: key) else { continue }
        var value = old[before].value
        try edit.part(part, .key(TypedKey(key)), text) { part throws(EditError) in try valueShape.edit(&value, &part) }
        entries.values[entry] = value
      }
    }
  }
}

extension ArrayShape {
  /// Keeps the elements that are the same for a client. Without ids, they are compared with the old elements at the
  /// same distance from the beginning or from the end of the array.
  func keepMembers(of old: [Element], in new: inout [Element], _ node: JSONNode, _ edit: Edit) {
    guard elementShape.type.keepsMembers, !edit.isRestoring else { return }
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

extension Edit {
  /// Runs `body` while this edit is a replacement of the current value, also if it is a merge.
  @inlinable
  mutating func replacing(
    _ node: JSONNode, _ body: (inout Edit) throws(EditError) -> Void
  ) throws(EditError) {
    let outer = operation
    operation = .replace(node)
    defer { operation = outer }
    try body(&self)
  }
}
