public import BinderyDigest
public import BinderyJSON

/// An array in JSON. Its elements are addressed by their ids.
extension Identified: Editable where Element: Editable, Element.ID: Editable {
  /// An array. Its elements are addressed by their ids.
  @inlinable public static var shape: EditableShape<Identified<Element>> {
    IdentifiedShape(elementShape: Element.resolveShape()).shape
  }
}

/// Implements the operations of the shape of an ``Identified`` sequence.
@usableFromInline
struct IdentifiedShape<Element: Identifiable & Sendable>: Sendable where Element.ID: PathKey & Editable {
  @usableFromInline let elementShape: EditableShape<Element>

  @inlinable
  init(elementShape: EditableShape<Element>) {
    self.elementShape = elementShape
    _ = identity
  }

  /// The member that is the id of an element. Stops the process if the elements have no declared id.
  @usableFromInline var identity: MemberInfo {
    if let identity = elementShape.type.identity { return identity }
    fatalError(
      """
      \(Element.self) is an element of Identified, but its shape has no id. Declare the property that \
      identifies it: StoredMember("id", id: \\.id).
      """)
  }

  @inlinable var type: TypeInfo {
    TypeInfo(
      name: "Identified<\(elementShape.type.name)>", kind: .elements(elementShape.type, KeyInfo(Element.ID.self)))
  }

  @inlinable var shape: EditableShape<Identified<Element>> {
    EditableShape(
      type: type,
      operations: .init(
        encode: { value, writer in
          writer.array({ value.elements(from: $0) }) { element, writer in elementShape.encode(element, into: &writer) }
        },
        decode: { node, decoding throws(ValidationError) in try decode(node, &decoding) },
        areSame: { a, b in a.isIdentical(to: b) || (a.count == b.count && a.isSame(as: b, elementShape.areSame)) },
        matches: { value, node, comparison in
          guard node.kind == .array, node.count == value.count else { return false }
          return zip(value, node.elements).allSatisfy { element, part in
            comparison.part(.key(TypedKey(element.id))) { elementShape.matches(element, part, &$0) }
          }
        },
        digest: { value, context in
          let sequence = value.digest(context.key) { elementShape.digest($0, &context) }
          return context.key.array(sequence)
        },
        check: elementShape.needsCheck || !Element.ID._textIsAlwaysUsable ? check(_:since:) : nil,
        visit: { value, route, index, reading throws(Absence) in
          let entry = try self.entry(of: value, route.steps[index], index)
          reading.stamp = entry.stamp
          if reading.isUnchanged { return }
          if reading.elements != nil {
            let id = entry.value.id
            reading.elements?.append((index, TypedKey(id), value.index(of: id) ?? 0))
          }
          try elementShape.visit(entry.value, route, index + 1, &reading)
        },
        edit: { value, edit throws(EditError) in try self.edit(&value, &edit) },
        descend: { value, route, index, edit throws(EditError) in
          if edit.insertsOrRemoves, index == route.steps.count - 1,
            try insertOrRemove(&value, route.steps[index], index, &edit)
          {
            return
          }
          try descend(&value, route, index, &edit)
        },
        construct: { route, index, edit throws(EditError) in
          guard case .key(let key) = route.steps[index] else { throw .cannotCreate(depth: index) }
          return Identified(uniquing: [try createElement(key, route, index, &edit)])
        },
        elementCount: \.count, page: { value, page, reading in write(page, of: value, &reading) },
        observe: observe,
        difference: difference,
        store: { value, writer in writer.array(value) { elementShape.store($0, into: &$1) } }))
  }

  /// Notifies the watchers of elements.
  ///
  /// With few watched elements, each is looked up; with many, only the changed elements are visited.
  @inlinable
  func observe(_ old: Identified<Element>?, _ new: Identified<Element>, _ watch: WatchNode) {
    guard let old, watch.childCount > Self.maximumDirectLookups else {
      watch.forEachChild { step, child in
        guard case .key(let key) = step, let id = key.typed(Element.ID.self) else { return }
        if let element = new[id: id] {
          elementShape.observe(old?[id: id], element, child)
        } else {
          child.reportAbsence(watch.absence(of: key.text))
        }
      }
      return
    }
    for step in new.changes(since: old, same: elementShape.areSame) {
      switch step {
      case .insert(let element, _), .replace(let element):
        if let child = watch.child(keyText: element.id.keyText) {
          elementShape.observe(old[id: element.id], element, child)
        }
      case .remove(let id):
        let text = id.keyText
        watch.child(keyText: text)?.reportAbsence(watch.absence(of: text))
      case .move: continue
      }
    }
  }

  /// The number of watched elements up to which each is looked up.
  @inlinable static var maximumDirectLookups: Int { 8 }

  /// Appends the operations that turn `old` into `new`.
  @inlinable
  func difference(
    _ old: Identified<Element>, _ new: Identified<Element>, _ difference: inout PatchBuilder
  ) -> Bool {
    if let replacements = new.replacements(since: old) {
      for (before, after) in replacements { self.difference(from: before, to: after, of: new, &difference) }
      return true
    }
    if difference.writesUndo { return difference.inBothDirections(old, new, self.difference) }
    // Each step refers to the positions after the previous steps.
    var current = old
    for step in new.changes(since: old, same: elementShape.areSame) {
      if difference.isFull { return true }
      switch step {
      case .remove(let id):
        difference.under(element: id, at: current.index(of: id)) { $0.remove() }
        if difference.needsPositions { current.remove(id: id) }
      case .insert(let element, let index):
        difference.add(element, elementShape, id: element.id, at: index)
        if difference.needsPositions { try? current.insert(element, at: index) }
      case .move(let id, let index):
        difference.under(element: id, at: current.index(of: id)) { $0.move(to: index) }
        if difference.needsPositions { current.move(id: id, to: index) }
      case .replace(let after):
        guard let before = old[id: after.id] else { continue }
        self.difference(from: before, to: after, of: new, &difference)
      }
    }
    return true
  }

  /// Appends the operations that turn an element into the one with the same id in `new`.
  @inlinable
  func difference(
    from before: Element, to after: Element, of new: Identified<Element>, _ difference: inout PatchBuilder
  ) {
    difference.under(element: after.id, at: new.index(of: after.id)) {
      elementShape.difference(from: before, to: after, &$0)
    }
  }

  @inlinable @inline(never)
  func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> Identified<Element> {
    guard node.kind == .array else { throw .wrongType(node, expected: "an array") }
    var elements: [Element] = []
    elements.reserveCapacity(node.count)
    var failure: ValidationError?
    for (index, node) in node.elements.enumerated() {
      let report = decoding.report
      let element = try decoding.element(name(of: node, at: index, report), &failure) {
        decoding throws(ValidationError) in
        let element = try elementShape.decode(node, &decoding)
        if decoding.checksConstraints { try checkAddress(of: element) }
        return element
      }
      if let element { elements.append(element) }
    }
    if let failure { throw failure }
    if let sequence = try? Identified(elements) { return sequence }
    throw try duplicateIDs(in: elements, decoding)
  }

  /// Returns the name of an element in an error: its index; in the report on a store its id.
  @usableFromInline
  func name(of node: JSONNode, at index: Int, _ report: ValidationReport?) -> String {
    guard report?.source == .store, case .product(let product) = elementShape.type.kind, let id = product.identity,
      let value = node[product.members[id].name]
    else { return String(index) }
    return value.string ?? String(decoding: value.text, as: UTF8.self)
  }

  /// Finds the elements whose id an earlier one has.
  ///
  /// - Returns: the error to throw if errors are collected.
  @usableFromInline
  func duplicateIDs(in elements: [Element], _ decoding: Decoding) throws(ValidationError) -> ValidationError {
    var sequence = Identified<Element>()
    var failure = ValidationError.recorded
    for (index, element) in elements.enumerated() {
      do throws(DuplicateID) { try sequence.append(element) } catch {
        failure = try decoding.collected(Self.duplicateError(element.id).under(String(index)))
      }
    }
    return failure
  }

  /// Returns the error for an id that another element has.
  @usableFromInline
  static func duplicateError(_ id: Element.ID) -> ValidationError {
    ValidationError(.duplicateID, "an element with the id “\(id.keyText)” already exists")
  }

  /// Throws if the id of a new element cannot be a segment of a URL.
  @inlinable
  func checkAddress(of element: Element) throws(ValidationError) {
    guard Element.ID.hasUsableText(element.id) else { throw .unusableID(element.id.keyText, at: identity.name) }
  }

  /// Checks the constraints of the elements that were added or changed since `base`.
  @inlinable
  func check(_ value: Identified<Element>, since base: Identified<Element>?) throws(ValidationError) {
    guard let base else {
      for element in value { try check(element, nil) }
      return
    }
    if value.isIdentical(to: base) { return }
    if let replacements = value.replacements(since: base) {
      for (before, after) in replacements { try check(after, before) }
      return
    }
    for step in value.changes(since: base, same: elementShape.areSame) {
      switch step {
      case .insert(let element, _): try check(element, nil)
      case .replace(let element): try check(element, base[id: element.id])
      case .move, .remove: continue
      }
    }
  }

  @inlinable
  func check(_ element: Element, _ base: Element?) throws(ValidationError) {
    do throws(ValidationError) {
      if base == nil { try checkAddress(of: element) }
      try elementShape.check(element, since: base)
    } catch {
      // Unchanged elements are not checked. Compared only now, because nearly all are valid and different.
      if let base, elementShape.areSame(base, element) { return }
      throw error.under(element.id.keyText)
    }
  }

  /// Returns the element at a step, with its numbers.
  ///
  /// - Throws: ``Absence`` if there is none.
  @inlinable
  func entry(
    of value: Identified<Element>, _ step: Step, _ depth: Int
  ) throws(Absence) -> Node<Element>.Entry {
    switch step {
    case .key(let key):
      if let key = key as? TypedKey<Element.ID>, let entry = value.entry(of: key) { return entry }
      throw Absence(.noSuchElement(key.text), depth: depth)
    case .index(let index):
      if let entry = value.order.entry(at: index) { return entry }
      throw Absence(.noSuchElement(String(index)), depth: depth)
    default: throw Absence(.noSuchElement("-"), depth: depth)
    }
  }

  /// Replaces the sequence, or appends an element to it.
  @inlinable
  func edit(_ value: inout Identified<Element>, _ edit: inout Edit) throws(EditError) {
    if edit.operation.kind == .append {
      return try add(try elementShape.decodeNew(&edit), to: &value, at: value.count, &edit)
    }
    let node = try edit.newValue()
    let old = value
    value = try edit.replacement(node, of: elementShape.type) { edit throws(EditError) in
      try replacing(old, node, &edit)
    } decoded: { decoding throws(ValidationError) in
      try decode(node, &decoding)
    }
  }

  /// Inserts an element at a position.
  @inlinable
  func add(
    _ element: Element, to value: inout Identified<Element>, at index: Int, _ edit: inout Edit
  ) throws(EditError) {
    if !edit.isRestoring { try EditError.invalidating { () throws(ValidationError) in try checkAddress(of: element) } }
    do throws(InsertionError) {
      try value.insert(element, at: index)
    } catch .duplicateID {
      throw .invalid(Self.duplicateError(element.id).under(identity.name))
    } catch {
      throw .absent(Absence(.noSuchElement(String(index)), depth: edit.stepCount - 1))
    }
    edit.created = true
    edit.newKey = TypedKey(element.id)
  }

  /// Removes or inserts an element at the last step of a route; returns false if the edit replaces an element.
  @inlinable
  func insertOrRemove(
    _ value: inout Identified<Element>, _ step: Step, _ depth: Int, _ edit: inout Edit
  ) throws(EditError) -> Bool {
    switch (edit.operation.kind, step) {
    case (.remove, .key(let key)):
      edit.wasAbsent = key.typed(Element.ID.self).flatMap { value.remove(id: $0) } == nil
    case (.remove, .index(let index)):
      edit.wasAbsent = value.remove(at: index) == nil
    case (.insert, .index(let index)):
      guard index <= value.count else { throw .absent(Absence(.noSuchElement(String(index)), depth: depth)) }
      try add(try elementShape.decodeNew(&edit), to: &value, at: index, &edit)
    case (.insert, .end):
      try add(try elementShape.decodeNew(&edit), to: &value, at: value.count, &edit)
    default: return false
    }
    return true
  }

  /// Continues in the element at a step, or creates it if the edit may create elements.
  @inlinable
  func descend(
    _ value: inout Identified<Element>, _ route: Route, _ index: Int, _ edit: inout Edit
  ) throws(EditError) {
    var found: Void?
    let position = index == route.steps.count - 1 ? edit.position : nil
    if let typedKey = route.steps[index].key as? TypedKey<Element.ID> {
      found = try value.edit(typedKey) { element throws(EditError) in
        try elementShape.apply(&element, route, index + 1, &edit)
      }
      if found == nil, value.label(of: typedKey.hashedKey) == nil, edit.mayCreate(at: index) {
        let element = try createElement(typedKey, route, index, &edit)
        return try add(element, to: &value, at: position ?? value.count, &edit)
      }
      if found != nil, let position, !value.move(id: typedKey.key, to: position) {
        throw .absent(Absence(.noSuchElement(String(position)), depth: index))
      }
    } else if case .index(let position) = route.steps[index] {
      found = try value.edit(at: position) { element throws(EditError) in
        try elementShape.apply(&element, route, index + 1, &edit)
      }
    }
    if found != nil { return }
    do throws(Absence) { _ = try entry(of: value, route.steps[index], index) } catch { throw .absent(error) }
    throw .invalid(.fixedID)
  }

  /// Creates a new element with the id from its address.
  @inlinable
  func createElement(_ key: AnyKey, _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) -> Element {
    edit.impliedKey = key
    let element = try elementShape.construct(route, index + 1, &edit)
    guard let id = key.typed(Element.ID.self), Element.ID._areSame(element.id, id) else {
      throw .invalid(identity.idMismatchError(key))
    }
    return element
  }
}
