public import BinderyJSON

// A collection that is replaced keeps the hidden members of its elements, and refuses other values of read-only ones,
// as the replacement of a single element does. So what a client has read can be sent back, as a whole or in parts. An
// element that is kept is edited and not decoded: as a new value, it would have other hidden members.

extension IdentifiedShape {
  /// Returns the elements of an array in the request. Those that the old sequence also has are edited.
  ///
  /// Not specialized: few types have such members, and the code would be repeated for each type of elements.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never) @usableFromInline
  func replacing(
    _ old: Identified<Element>, _ node: JSONNode, _ edit: inout Edit
  ) throws(EditError) -> Identified<Element> {
    guard node.kind == .array else { throw .invalid(.wrongType(node, expected: "an array")) }
    let (idShape, idName) = (Element.ID.resolveShape(), identity.name)
    return try edit.replacing(node, of: elementShape.type) { edit throws(EditError) in
      var elements: [Element] = []
      elements.reserveCapacity(node.count)
      for (index, part) in node.elements.enumerated() {
        var decoding = Decoding(.complete)
        if let id = try? part[idName].map({ try idShape.decode($0, &decoding) }), var element = old[id: id] {
          try edit.part(part, .key(TypedKey(id)), String(index)) { edit throws(EditError) in
            try elementShape.edit(&element, &edit)
          }
          elements.append(element)
        } else {
          elements.append(try elementShape.decode(part, at: index, for: &edit, check: checkAddress))
        }
      }
      if let sequence = try? Identified(elements) { return sequence }
      return try EditError.invalidating { () throws(ValidationError) in
        throw try duplicateIDs(in: elements, Decoding(.complete))
      }
    }
  }
}

extension ArrayShape {
  /// Returns the elements of an array in the request, and keeps those that are the same for a client. Without ids, they
  /// are compared with the old elements at the same distance from the beginning or from the end of the array.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  func replacing(_ old: [Element], _ node: JSONNode, _ edit: inout Edit) throws(EditError) -> [Element] {
    guard node.kind == .array else { throw .invalid(.wrongType(node, expected: "an array")) }
    let isNested = edit.isInArray
    edit.isInArray = isNested || !old.isEmpty
    defer { edit.isInArray = isNested }
    return try edit.replacing(node, of: elementShape.type) { edit throws(EditError) in
      var elements: [Element] = []
      elements.reserveCapacity(node.count)
      for (index, part) in node.elements.enumerated() {
        let position = [index, index + old.count - node.count].first { position in
          old.indices.contains(position) && elementShape.isEcho(part, of: old[position])
        }
        if let position {
          elements.append(old[position])
        } else {
          elements.append(try elementShape.decode(part, at: index, for: &edit))
        }
      }
      return elements
    }
  }
}

extension DictionaryShape {
  /// Replaces the entries by those in the request. Those that remain are edited.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  func replace(_ entries: inout [K: Value], _ node: JSONNode, _ edit: inout Edit) throws(EditError) {
    let sent = try EditError.invalidating { () throws(ValidationError) in try parts(of: node) }
    let names = Set(sent.map { Array($0.1.keyText.utf8) })
    entries = entries.filter { names.contains(Array($0.key.keyText.utf8)) }
    try edit.replacing(node, of: valueShape.type) { edit throws(EditError) in
      for (text, key, part) in sent { try set(part, in: &entries, key, text, &edit) }
    }
  }
}

extension EditableShape where Value: Sendable {
  /// Decodes an element that the old collection does not have.
  func decode(
    _ node: JSONNode, at index: Int, for edit: inout Edit, check: (Value) throws(ValidationError) -> Void = { _ in }
  ) throws(EditError) -> Value {
    do throws(EditError) {
      let element = try decode(node, for: &edit, creating: false)
      try EditError.invalidating { () throws(ValidationError) in try check(element) }
      return element
    } catch { throw error.under(String(index)) }
  }
}

extension Edit {
  /// Returns the collection that the request describes.
  ///
  /// - Parameters:
  ///   - element: The type of the parts. If they have members that a replacement keeps, they are edited.
  ///   - edited: Returns the collection with edited parts.
  ///   - decoded: Returns the collection with new parts.
  @inlinable
  mutating func replacement<Value>(
    _ node: JSONNode, of element: TypeInfo, edited: (inout Edit) throws(EditError) -> Value,
    decoded: (inout Decoding) throws(ValidationError) -> Value
  ) throws(EditError) -> Value {
    element.keepsMembers ? try edited(&self) : try decoding(node, creating: false, decoded)
  }

  /// Runs `body`, in which each part of the request replaces a part of the current value, also in a merge.
  ///
  /// - Parameters:
  ///   - node: The JSON of the collection.
  ///   - element: The type of the parts. Their getters are charged as one.
  mutating func replacing<R>(
    _ node: JSONNode, of element: TypeInfo, _ body: (inout Edit) throws(EditError) -> R
  ) throws(EditError) -> R {
    let outer = operation
    operation = .replace(node)
    defer { operation = outer }
    guard element.hasGetters, let getters else { return try body(&self) }
    let result = getters.run(at: path) { Result { () throws(EditError) in try body(&self) } }
    guard let result else { throw .absent(.interrupted(stepCount)) }
    return try result.get()
  }
}
