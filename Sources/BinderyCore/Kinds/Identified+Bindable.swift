public import BinderyDigest
public import BinderyJSON

/// An array in JSON, whose elements have addresses by their ids.
extension Identified: Bindable where Element: Bindable, Element.ID: Bindable {
  @inlinable public static var shape: Shape<Identified<Element>> { Elements(element: Element.shape).shape }
}

@usableFromInline
struct Elements<Element: Identifiable & Sendable>: Sendable where Element.ID: Key & Bindable {
  @usableFromInline let element: Shape<Element>

  @inlinable
  init(element: Shape<Element>) { self.element = element }

  @usableFromInline var type: TypeInfo {
    TypeInfo(name: "Identified<\(element.type.name)>", kind: .elements(element.type, KeyInfo(Element.ID.self)))
  }

  @inlinable var shape: Shape<Identified<Element>> {
    Shape(
      type: type,
      operations: .init(
        encode: { value, writer in
          writer.array({ value.elements(from: $0) }) { one, writer in element.encode(one, into: &writer) }
        },
        decode: { node, decoding throws(ValidationError) in try decode(node, &decoding) },
        areSame: { a, b in a.isIdentical(to: b) || (a.count == b.count && a.isSame(as: b, element.areSame)) },
        digest: { value, key in key.array(value.digest(key) { element.digest($0, key) }) },
        check: { value, base throws(ValidationError) in try check(value, since: base) },
        visit: { value, route, index, reading throws(Absence) in
          try element.visit(try self.element(of: value, route.steps[index], index), route, index + 1, &reading)
        },
        edit: { value, edit throws(EditError) in try self.edit(&value, &edit) },
        descend: { value, route, index, edit throws(EditError) in
          if index == route.steps.count - 1, try editList(&value, route.steps[index], index, &edit) { return }
          try descend(&value, route, index, &edit)
        },
        construct: { route, index, edit throws(EditError) in
          guard case .key(let key) = route.steps[index] else { throw .cannotCreate(depth: index) }
          return Identified(uniquing: [try make(key, route, index, &edit)])
        },
        page: { value, page, reading in write(page, of: value, &reading) },
        observe: observe,
        difference: difference,
        store: { value, writer in
          writer.writer.beginArray()
          for one in value {
            element.store(one, into: &writer)
            writer.elementEnded()
          }
          writer.writer.endArray()
        }))
  }

  /// Looks at the changes or at those who watch, whichever are fewer.
  @inlinable
  func observe(_ old: Identified<Element>?, _ new: Identified<Element>, _ watch: WatchNode) {
    guard let old, watch.childCount > Self.fewWatches else {
      watch.forEachChild { step, child in
        guard case .key(let key) = step, let id = key.typed(Element.ID.self) else { return }
        if let one = new[id: id] {
          element.observe(old?[id: id], one, child)
        } else {
          child.lose(watch.absence(of: key.text))
        }
      }
      return
    }
    for step in new.changes(since: old, same: element.areSame).steps {
      switch step {
      case .insert(let one, _), .replace(let one):
        if let child = watch.child(keyText: one.id.keyText) { element.observe(old[id: one.id], one, child) }
      case .remove(let id):
        let text = id.keyText
        watch.child(keyText: text)?.lose(watch.absence(of: text))
      case .move: continue
      }
    }
  }

  @inlinable static var fewWatches: Int { 8 }

  @inlinable
  func difference(
    _ old: Identified<Element>, _ new: Identified<Element>, _ difference: inout PatchBuilder
  ) -> Bool {
    if let replacements = new.replacements(since: old) {
      for (before, one) in replacements {
        element.difference(from: before, to: one, under: one.id.segment, &difference)
      }
      return true
    }
    if difference.isBothWays { return difference.eachWay(old, new, self.difference) }
    for step in new.changes(since: old, same: element.areSame).steps {
      switch step {
      case .remove(let id): difference.under(id.segment) { $0.remove() }
      case .insert(let one, let index):
        difference.add(one, element, id: one.id.keyText, at: index)
      case .move(let id, let index): difference.move(id: id.keyText, to: index)
      case .replace(let one):
        guard let before = old[id: one.id] else { continue }
        element.difference(from: before, to: one, under: one.id.segment, &difference)
      }
    }
    return true
  }

  @inlinable
  func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> Identified<Element> {
    guard node.kind == .array else { throw .wrongType(node, expected: "an array") }
    var elements: [Element] = []
    elements.reserveCapacity(node.count)
    for (index, one) in node.elements.enumerated() {
      do throws(ValidationError) {
        elements.append(try element.decode(one, &decoding))
      } catch { throw error.under(String(index)) }
    }
    if let sequence = try? Identified(elements) { return sequence }
    var seen = Identified<Element>()
    for (index, one) in elements.enumerated() {
      do throws(DuplicateID) { try seen.append(one) } catch { throw Self.duplicate(one.id).under(String(index)) }
    }
    return seen
  }

  @usableFromInline
  static func duplicate(_ id: Element.ID) -> ValidationError {
    ValidationError(.duplicateID, "there is an element “\(id.keyText)” already")
  }

  @inlinable
  func check(_ value: Identified<Element>, since base: Identified<Element>?) throws(ValidationError) {
    guard let base else {
      for one in value { try check(one, nil) }
      return
    }
    if value.isIdentical(to: base) { return }
    for step in value.changes(since: base, same: element.areSame).steps {
      switch step {
      case .insert(let one, _): try check(one, nil)
      case .replace(let one): try check(one, base[id: one.id])
      case .move, .remove: continue
      }
    }
  }

  @inlinable
  func check(_ one: Element, _ base: Element?) throws(ValidationError) {
    do throws(ValidationError) { try element.check(one, since: base) } catch { throw error.under(one.id.keyText) }
  }

  @inlinable
  func element(
    of value: Identified<Element>, _ step: Step, _ depth: Int
  ) throws(Absence) -> Element {
    switch step {
    case .key(let key):
      if let hashed = key.hashed(Element.ID.self), let one = value[hashed] { return one }
      throw Absence(.noSuchElement(key.text), depth: depth)
    case .index(let index):
      if let one = value.element(at: index) { return one }
      throw Absence(.noSuchElement(String(index)), depth: depth)
    default: throw Absence(.noSuchElement("-"), depth: depth)
    }
  }

  @inlinable
  func edit(_ value: inout Identified<Element>, _ edit: inout Edit) throws(EditError) {
    switch edit.operation {
    case .merge(let node), .replace(let node), .insert(let node):
      value = try edit.decoding(.complete) { decoding throws(ValidationError) in try decode(node, &decoding) }
    case .append(let node):
      let one = try element.decode(node, for: &edit, creating: true)
      try add(one, to: &value, at: value.count, &edit)
    case .remove: throw .invalid(.notRemovable)
    }
  }

  @inlinable
  func add(
    _ one: Element, to value: inout Identified<Element>, at index: Int, _ edit: inout Edit
  ) throws(EditError) {
    do throws(InsertionError) {
      try value.insert(one, at: index)
    } catch .duplicateID {
      throw .invalid(Self.duplicate(one.id).under(idName))
    } catch {
      throw .absent(Absence(.noSuchElement(String(index)), depth: edit.trail.count - 1))
    }
    edit.created = true
    edit.newKey = TypedKey(one.id)
  }

  @usableFromInline
  func otherID(than key: AnyKey) -> ValidationError {
    ValidationError(.readOnlyMember, "the address says \(key.text)", at: idName)
  }

  /// The name of the member that holds the id.
  @usableFromInline var idName: String {
    guard case .product(let product) = element.type.kind, let identity = product.identity else { return "id" }
    return product.members[identity].name
  }

  /// Removes or inserts at the last step of a route; false where the step is another kind of write.
  @inlinable
  func editList(
    _ value: inout Identified<Element>, _ step: Step, _ depth: Int, _ edit: inout Edit
  ) throws(EditError) -> Bool {
    switch (edit.operation, step) {
    case (.remove, .key(let key)):
      edit.wasAbsent = key.typed(Element.ID.self).flatMap { value.remove(id: $0) } == nil
    case (.remove, .index(let index)):
      edit.wasAbsent = value.remove(at: index) == nil
    case (.insert(let node), .index(let index)):
      try add(try element.decode(node, for: &edit, creating: true), to: &value, at: index, &edit)
    case (.insert(let node), .end):
      try add(try element.decode(node, for: &edit, creating: true), to: &value, at: value.count, &edit)
    default: return false
    }
    return true
  }

  @inlinable
  func descend(
    _ value: inout Identified<Element>, _ route: Route, _ index: Int, _ edit: inout Edit
  ) throws(EditError) {
    let step = route.steps[index]
    var found: Void?
    switch step {
    case .key(let key):
      guard let hashed = key.hashed(Element.ID.self) else { break }
      found = try value.edit(hashed) { one throws(EditError) in try element.apply(&one, route, index + 1, &edit) }
      if found == nil, value[hashed] == nil, edit.mayCreate, edit.node != nil {
        try add(try make(key, route, index, &edit), to: &value, at: value.count, &edit)
        return
      }
    case .index(let position):
      found = try value.edit(at: position) { one throws(EditError) in try element.apply(&one, route, index + 1, &edit) }
    default: break
    }
    if found != nil { return }
    do throws(Absence) { _ = try self.element(of: value, step, index) } catch { throw .absent(error) }
    throw .invalid(.fixedID)
  }

  /// A new element with the id that the address gives it.
  @inlinable
  func make(_ key: AnyKey, _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) -> Element {
    edit.impliedKey = key
    let one = try element.construct(route, index + 1, &edit)
    guard let id = key.typed(Element.ID.self), Element.ID.areSame(one.id, id) else {
      throw .invalid(otherID(than: key))
    }
    return one
  }

  @inlinable
  func write(_ page: Page, of value: Identified<Element>, _ reading: inout ReadOperation) {
    var start = 0
    if let after = page.after {
      guard let id = after.typed(Element.ID.self), let index = value.index(of: id) else {
        reading.hasLostCursor = true
        return
      }
      start = index + 1
    }
    let end = min(value.count, start + page.limit)
    reading.write { [element, start] writer in
      writer.array(from: start, { value.elements(from: $0).prefix(end - $0) }) { one, writer in
        element.encode(one, into: &writer)
      }
    }
    if end < value.count, end > start { reading.nextAfter = value[end - 1].id.keyText }
  }
}
