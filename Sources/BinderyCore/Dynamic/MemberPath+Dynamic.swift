/// Reads and replaces a part of a struct.
struct DynamicAccess: Sendable {
  let get: @Sendable (DynamicValue) -> DynamicValue
  /// Replaces the part; nil if it is read-only.
  let set: (@Sendable (inout DynamicValue, DynamicValue) -> Void)?

  /// Creates the access to a stored member.
  static func slot(_ slot: Int) -> DynamicAccess {
    DynamicAccess(get: { $0.member(slot) }, set: { root, value in root.editMember(slot) { $0 = value } })
  }

  /// Returns an access to a part of this part.
  func appending(_ next: DynamicAccess) -> DynamicAccess {
    let first = self
    guard let set = first.set, let setNext = next.set else {
      return DynamicAccess(get: { next.get(first.get($0)) }, set: nil)
    }
    return DynamicAccess(
      get: { next.get(first.get($0)) },
      set: { root, value in
        var part = first.get(root)
        setNext(&part, value)
        set(&root, part)
      })
  }
}

extension MemberPath where Root == DynamicValue, Value == DynamicValue {
  /// Creates the path of a stored member.
  ///
  /// - Parameters:
  ///   - index: The index of the member in the shape.
  ///   - slot: The index of the member in the struct.
  ///   - readOnly: The name of the member if it is read-only, for errors.
  ///   - apply: Edits the member; nil for an edit in place.
  init(index: Int, slot: Int, readOnly name: String? = nil, apply write: Apply? = nil) {
    get = { $0.member(slot) }
    areSame = { a, b, shape in shape.areSame(a.member(slot), b.member(slot)) }
    visit = { root, shape, route, index, reading throws(Absence) in
      try shape.visit(root.member(slot), route, index, &reading)
    }
    let read: @Sendable (Root) throws(Absence) -> Value = { root throws(Absence) in root.member(slot) }
    if let name {
      apply = nil
      set = nil
      access = Access(read: read, modify: { _, _ in throw ValidationError.readOnly(name) })
    } else {
      apply = write ?? Self.write(slot)
      set = { root, value in root.editMember(slot) { $0 = value } }
      access = Access(
        read: read,
        modify: { root, body in
          var member = root.member(slot)
          try body(&member)
          root.editMember(slot) { $0 = member }
        })
    }
    locator = .index(index)
  }

  /// Creates the path of a computed member.
  init(index: Int, computed part: DynamicAccess, named name: String) {
    let (getPart, setPart) = (part.get, part.set)
    get = getPart
    areSame = { a, b, shape in shape.areSame(getPart(a), getPart(b)) }
    visit = { root, shape, route, index, reading throws(Absence) in
      try shape.visit(getPart(root), route, index, &reading)
    }
    if let setPart {
      apply = { root, shape, route, index, edit throws(EditError) in
        var value = try edit.value(at: route, index) { getPart(root) }
        try shape.apply(&value, route, index, &edit)
        setPart(&root, value)
      }
    } else {
      apply = nil
    }
    set = setPart
    access = Access(
      read: { root throws(Absence) in getPart(root) },
      modify: { root, body in
        guard let setPart else { throw ValidationError.readOnly(name) }
        var value = getPart(root)
        try body(&value)
        setPart(&root, value)
      })
    locator = .index(index)
  }

  /// Returns the edit operation of a stored member, which is edited in place.
  static func write(_ slot: Int) -> Apply {
    { root, shape, route, index, edit throws(EditError) in
      try root.editMember(slot) { member throws(EditError) in try shape.apply(&member, route, index, &edit) }
    }
  }
}
