public import BinderyDigest
public import BinderyJSON

extension EditableShape where Value: Sendable {
  /// Creates the shape of an enum from all its cases, in declaration order.
  ///
  /// For more than a dozen cases, declare those with a payload as properties, as in `static let custom = EnumCase(…)`.
  /// The compiler is slow with one large expression.
  @inlinable @inline(__always)
  public static func cases<each Payload>(_ cases: repeat EnumCase<Value, each Payload>) -> EditableShape<Value> {
    var tables: [CaseTable<Value>] = []
    for declaration in repeat each cases { tables.append(declaration.table) }
    return EnumShape(cases: tables).shape
  }
}

/// Implements the operations of an enum's shape.
@usableFromInline
struct EnumShape<Value: Sendable>: Sendable {
  /// The name of the type in the schema.
  @usableFromInline let name: String
  @usableFromInline let cases: [CaseTable<Value>]
  /// The same as ``cases``, for what each request calls.
  @usableFromInline let chain: Chain<CaseTable<Value>>?
  @usableFromInline let names: CaseNames

  @inlinable
  init(cases: [CaseTable<Value>], named name: String = String(describing: Value.self), isChecked: Bool = true) {
    self.name = name
    self.cases = cases
    chain = .of(cases)
    names = CaseNames(cases.map(\.info))
    if isChecked { requireConsistency() }
  }

  @usableFromInline var type: TypeInfo {
    TypeInfo(name: name, kind: .sum(cases.map(\.info)))
  }

  @inlinable var shape: EditableShape<Value> {
    EditableShape(
      type: type,
      operations: .init(
        encode: { value, writer in
          if chain?.contains(where: { $0.write(value, into: &writer) }) == true { return }
          // A case that the shape does not list is a mistake in the model. `check` rejects it at commit; until then
          // it encodes as null.
          writer.null()
        },
        decode: { node, decoding throws(ValidationError) in
          let (index, payload) = try names.parse(node)
          return try cases[index].decode(payload.map(node.value(at:)), &decoding)
        },
        areSame: { a, b in cases.contains { $0.areSame(a, b) } },
        matches: { value, node, comparison in
          guard let (index, payload) = try? names.parse(node) else { return false }
          return comparison.part(.payload(index)) { cases[index].matches(value, payload.map(node.value(at:)), &$0) }
        },
        digest: { value, context in
          for table in cases {
            if let digest = table.digest(of: value, &context) { return digest }
          }
          return context.key.leaf("null".utf8.span)
        },
        check: { value, base throws(ValidationError) in
          guard let active = active(value) else { throw .unlistedCase(value) }
          try cases[active].check(value, base)
        },
        visit: { value, route, index, reading throws(Absence) in
          guard case .payload(let wanted) = route.steps[index] else { throw EditableShape<Value>.mismatchedStep(index) }
          guard try cases[wanted].visit(value, route, index + 1, &reading) else {
            throw inactive(wanted, value, index)
          }
        },
        edit: { value, edit throws(EditError) in try self.edit(&value, &edit) },
        descend: { value, route, index, edit throws(EditError) in
          guard case .payload(let wanted) = route.steps[index] else {
            throw .absent(EditableShape<Value>.mismatchedStep(index))
          }
          if try cases[wanted].apply(&value, route, index + 1, &edit) { return }
          guard edit.mayCreate(at: index) else { throw .absent(inactive(wanted, value, index)) }
          value = try cases[wanted].construct(route, index + 1, &edit)
          edit.created = true
        },
        construct: { route, index, edit throws(EditError) in
          guard case .payload(let wanted) = route.steps[index] else { throw .cannotCreate(depth: index) }
          return try cases[wanted].construct(route, index + 1, &edit)
        },
        observe: { old, new, watch in
          // While the same case stays active, the watchers of other cases have already been notified.
          let isSwitched = old.map { active($0) != active(new) } ?? true
          watch.forEachChild { step, child in
            guard case .payload(let wanted) = step, !cases[wanted].observe(old, new, child), isSwitched else { return }
            child.reportAbsence(inactive(wanted, new, child.depth - 1))
          }
        },
        difference: { old, new, difference in
          cases.contains { $0.difference(old, new, &difference) }
        },
        store: { value, writer in
          guard let active = active(value) else { return writer.writer.null() }
          cases[active].store(value, &writer)
        }),
      cases: cases)
  }

  /// Returns the index of the active case; nil if the shape does not list it.
  @inlinable
  func active(_ value: Value) -> Int? { cases.firstIndex { $0.isActive(value) } }

  /// Returns the error for a step into a case that is not active.
  @usableFromInline
  func inactive(_ wanted: Int, _ value: Value, _ depth: Int) -> Absence {
    let active = active(value).map { cases[$0].info.name } ?? ""
    return Absence(.inactiveCase(wanted: cases[wanted].info.name, active: active), depth: depth)
  }

  /// Merges into the payload if the JSON names the active case; otherwise decodes and activates the named case.
  @inlinable
  func edit(_ value: inout Value, _ edit: inout Edit) throws(EditError) {
    // Read twice, because a node that is kept during the edit would be retained.
    let (index, payload) = try names.parse(of: try edit.newValue())
    if let payload {
      // Not unwrapped, because a named chain is retained.
      let isMerged = try chain?.at(index) { table throws(EditError) in
        try table.edit(&value, payload, at: index, &edit)
      }
      if isMerged == true { return }
    }
    let node = try edit.newValue()
    value = try edit.decoding(node, creating: edit.isCreating) { decoding throws(ValidationError) in
      try cases[index].decode(payload.map(node.value(at:)), &decoding)
    }
  }
}
