/// A rule that is applied to every finished draft of a model file.
struct ModelRule: Sendable {
  /// The requirement on a reference; nil for a rule about anything else.
  var reference: String?
  /// Adjusts and checks a draft. The second argument is the state before the commit; nil for the first state.
  let apply: @Sendable (inout DynamicValue, DynamicValue?) throws(InvalidState) -> Void
  /// Passes all references that name no element; nil if the rule is not about references.
  var findDangling: (@Sendable (DynamicValue, ModelDefinition<DynamicValue>.DanglingReference) -> Void)?
}

/// A reference in the model: where it is, and the collection that it leads to.
private struct ReferenceRule {
  let declaration: ReferenceDeclaration
  /// The type of the reference.
  let schema: SchemaDeclaration
  let steps: [WalkStep]
  /// The path of the innermost collection that contains the reference, in which a cascade removes elements; nil outside
  /// of collections.
  let container: String?
  /// The place of the reference in the state, for messages.
  let place: String
  /// The collection that the reference leads to; nil until it is known.
  var target: DynamicPart?

  /// The path of the collection, without aliases.
  var targetPath: String { Pointer.text(target?.place ?? []) }

  /// Whether an element, an entry or an item contains the reference.
  var isContained: Bool {
    steps.contains { step in
      switch step {
      case .elements, .entries, .items: true
      case .member, .wrapped, .payload: false
      }
    }
  }
}

extension ModelBuilder {
  /// Returns the rules of the model, in the order in which they are applied.
  mutating func rules(of root: StructDeclaration) -> [ModelRule] {
    var references: [ReferenceRule] = []
    var rules: [ModelRule] = []
    collect(root, [], [], container: nil, &references, &rules)
    for index in references.indices {
      let place = references[index].declaration.target
      references[index].target = part(at: place, in: root, typeName: "", through: [])
    }
    let ordered = sorted(references.filter { $0.target != nil })
    // A remembered payload is the one after references were cleared.
    return ordered.compactMap { rule(for: $0) } + rules
  }

  /// Collects the references and the remembered members in a struct.
  private mutating func collect(
    _ structure: StructDeclaration, _ steps: [WalkStep], _ path: [String], container: String?,
    _ references: inout [ReferenceRule], _ rules: inout [ModelRule]
  ) {
    for collection in numberedCollections(of: structure).values {
      guard case .stored(let schema)? = structure.member(named: collection.member)?.source,
        case .collection(let element, _) = schema.kind
      else { continue }
      rules.append(collection.rule(steps, shape(of: element, named: "")))
    }
    for member in structure.stored {
      guard let slot = structure.slot(of: member.name) else { continue }
      switch member.source {
      case .stored(let schema):
        collect(
          schema, steps + [.member(slot: slot, name: member.name)], path + [member.name], container: container,
          &references, &rules)
      case .remembered(let place):
        guard let remembered = rememberedCase(place, in: structure) else { continue }
        rules.append(rule(for: remembered, slot, steps))
      case .computed, .compiled: continue
      }
    }
  }

  private mutating func collect(
    _ schema: SchemaDeclaration, _ steps: [WalkStep], _ path: [String], container: String?,
    _ references: inout [ReferenceRule], _ rules: inout [ModelRule]
  ) {
    let schema = resolved(schema)
    switch schema.kind {
    case .any, .reference: return
    case .scalar(let scalar):
      guard let reference = scalar.reference else { return }
      references.append(
        ReferenceRule(
          declaration: reference, schema: schema, steps: steps, container: container, place: Pointer.text(path)))
    case .structure(let structure): collect(structure, steps, path, container: container, &references, &rules)
    case .union(let cases):
      for (index, enumCase) in cases.enumerated() {
        guard let payload = enumCase.payload else { continue }
        var (segments, inside) = ([enumCase.name], payload)
        if case .structure(let labels) = payload.kind, let label = labels.singleLabel {
          segments.append(labels.members[0].name)
          inside = label
        }
        collect(
          inside, steps + [.payload(index: index, segments: segments)], path + segments, container: container,
          &references, &rules)
      }
    case .optional(let wrapped):
      let isLayer = resolved(wrapped).isOptional
      collect(
        wrapped, steps + [.wrapped(isLayer: isLayer)], path + (isLayer ? ["some"] : []), container: container,
        &references, &rules)
    case .list(let element, _):
      collect(element, steps + [.items], path + ["*"], container: container, &references, &rules)
    case .set(let element, _):
      if let reference = firstReference(in: element) {
        fail("the elements of a set cannot be references: use an array", at: reference.target.pointer)
      }
    case .collection(let element, _):
      guard containsRules(element) else { return }
      let shape = shape(of: element, named: "")
      collect(
        element, steps + [.elements(shape)], path + ["*"], container: Pointer.text(path), &references, &rules)
    case .dictionary(let value, _, _):
      collect(value, steps + [.entries], path + ["*"], container: Pointer.text(path), &references, &rules)
    }
  }

  private func firstReference(in schema: SchemaDeclaration) -> ReferenceDeclaration? {
    if case .scalar(let scalar) = resolved(schema).kind { scalar.reference } else { nil }
  }

  /// Returns whether a type contains references or remembered members.
  private func containsRules(_ schema: SchemaDeclaration) -> Bool {
    switch resolved(schema).kind {
    case .any, .reference: false
    case .scalar(let scalar): scalar.reference != nil
    case .structure(let structure):
      !numberedCollections(of: structure).isEmpty
        || structure.members.contains { member in
          switch member.source {
          case .stored(let schema): containsRules(schema)
          case .remembered: true
          case .computed, .compiled: false
          }
        }
    case .union(let cases): cases.contains { $0.payload.map(containsRules) ?? false }
    case .optional(let part), .list(let part, _), .set(let part, _), .collection(let part, _),
      .dictionary(let part, _, _):
      containsRules(part)
    }
  }

  /// Returns the rule that keeps the last payload of a case.
  private mutating func rule(
    for remembered: (union: DynamicPart, index: Int, payload: SchemaDeclaration), _ slot: Int, _ steps: [WalkStep]
  ) -> ModelRule {
    let shape = shape(of: remembered.payload, named: "").optional
    let isNested = resolved(remembered.payload).isOptional
    let (get, wanted) = (remembered.union.access.get, remembered.index)
    return ModelRule { root, base throws(InvalidState) in
      var walk = ModelWalk(steps: steps, visitsUnchanged: base == nil) { owner, _, _ throws(InvalidState) in
        guard let payload = get(owner).payload, payload.index == wanted else { return .unchanged }
        let last = isNested ? DynamicValue.layer(payload.value) : payload.value
        if shape.areSame(owner.member(slot), last) { return .unchanged }
        var copy = owner
        copy.editMember(slot) { $0 = last }
        return .replaced(copy)
      }
      try walk.apply(to: &root, since: base)
    }
  }

  /// Returns the rule that maintains a reference; nil after a mistake.
  private mutating func rule(for reference: ReferenceRule) -> ModelRule? {
    let (target, onRemoval) = (reference.declaration.target, reference.declaration.onRemoval)
    guard let part = reference.target else { return nil }
    guard part.access.set != nil else {
      return failure("“\(target.text)” is not an array of objects with ids", at: target.pointer)
    }
    guard let (element, _, id) = elements(of: part, target) else { return nil }
    guard isKey(reference.schema, likeIDs: id) else {
      return failure("the reference does not have the type of the ids in “\(target.text)”", at: target.pointer)
    }
    let canClear =
      switch reference.steps.last {
      case .wrapped?, .items?: true
      default: false
      }
    if onRemoval == .clear, !canClear {
      return failure(
        "a reference with “clear” must be able to be null, or be an element of an array: change its type, or use "
          + "“refuse”", at: target.pointer)
    }
    if onRemoval == .cascade, !reference.isContained {
      return failure("“cascade” removes the element that contains the reference, but none does", at: target.pointer)
    }
    let (get, shape, steps) = (part.access.get, shape(of: element, named: ""), reference.steps)
    let isContained = reference.isContained
    let clearsItem = if case .items? = steps.last { true } else { false }
    let isInContainer = steps.dropLast().contains {
      switch $0 {
      case .elements, .entries, .items: true
      case .member, .wrapped, .payload: false
      }
    }
    let text = "\(reference.place) reference to \(target.text), \(onRemoval.rawValue)"
    return ModelRule(reference: text) { root, base throws(InvalidState) in
      let elements = get(root)
      // A reference that nothing contains is visited in any case.
      let hasRemovals = isContained && (base.map { elements.changes(since: get($0), shape).hasRemovals } ?? true)
      var walk = ModelWalk(
        steps: steps, visitsUnchanged: hasRemovals, removesContainers: onRemoval == .cascade && isInContainer
      ) { id, old, path throws(InvalidState) in
        if id.isNull || elements.element(withID: id) != nil { return .unchanged }
        guard let old, old.isSameKey(as: id) else { throw .dangling(target, id, path) }
        switch onRemoval {
        case .clear: return clearsItem ? .removed : .replaced(.null)
        case .cascade: return .removed
        case .refuse:
          throw InvalidState(
            "the element “\(id.keyText)” of “\(target.text)” cannot be removed while this value refers to it",
            at: Pointer.text(path))
        }
      }
      try walk.apply(to: &root, since: base)
    } findDangling: { [place = reference.place] root, found in
      let elements = get(root)
      withoutActuallyEscaping(found) { found in
        var walk = ModelWalk(steps: steps, visitsUnchanged: true) { id, _, path in
          if !id.isNull, elements.element(withID: id) == nil { found(.dangling(target, id, path), place) }
          return .unchanged
        }
        walk.visit(root)
      }
    }
  }

  /// Returns the references in an order in which cascades are complete before others look at their collections.
  private mutating func sorted(_ references: [ReferenceRule]) -> [ReferenceRule] {
    var remaining = references
    var result: [ReferenceRule] = []
    while !remaining.isEmpty {
      // A reference is ready when no remaining cascade removes elements of its target, or of a collection around it.
      let ready = remaining.indices.filter { index in
        let target = remaining[index].targetPath
        return !remaining.contains { other in
          other.declaration.onRemoval == .cascade && other.container.map { target.isBelow($0) } ?? false
        }
      }
      guard !ready.isEmpty else {
        let first = remaining[0]
        let second = remaining.first { first.targetPath.isBelow($0.container ?? "-") } ?? first
        fail(
          first.place == second.place
            ? "“\(first.place)” refers to the collection that it is in, which “cascade” does not support"
            : "the cascades of “\(first.place)” and “\(second.place)” lead to each other",
          at: first.declaration.target.pointer)
        return []
      }
      result += ready.map { remaining[$0] }
      remaining = remaining.indices.filter { !ready.contains($0) }.map { remaining[$0] }
    }
    return result
  }
}

extension String {
  /// Returns whether a place is another one, or a part of it.
  fileprivate func isBelow(_ place: String) -> Bool { isSame(as: place) || utf8.starts(with: (place + "/").utf8) }
}

extension InvalidState {
  /// The error for a reference that names no element.
  fileprivate static func dangling(_ target: PlaceDeclaration, _ id: DynamicValue, _ path: [String]) -> InvalidState {
    InvalidState("“\(target.text)” has no element with the id “\(id.keyText)”", at: Pointer.text(path))
  }
}
