import BinderyDigest
import BinderyJSON

/// An array in JSON. Its elements have no URLs, because without ids their paths would not be stable.
extension Array: Editable where Element: Editable {
  /// An array. Its elements have no URLs.
  public static var shape: EditableShape<[Element]> { ArrayShape(elementShape: Element.resolveShape()).shape }
}

/// Implements the operations of an array's shape.
struct ArrayShape<Element: Sendable>: Sendable {
  let elementShape: EditableShape<Element>

  var shape: EditableShape<[Element]> {
    EditableShape(
      type: TypeInfo(name: "Array<\(elementShape.type.name)>", kind: .array(elementShape.type)),
      operations: .init(
        encode: { value, writer in
          writer.array({ value[$0...] }) { element, writer in elementShape.encode(element, into: &writer) }
        },
        decode: { node, decoding throws(ValidationError) in try decode(node, &decoding) },
        areSame: { a, b in
          // Loops over indices, because sequences of pairs of a generic type are slow.
          if haveSameBits(a, b) { return true }
          guard a.count == b.count else { return false }
          for index in a.indices where !elementShape.areSame(a[index], b[index]) { return false }
          return true
        },
        matches: { value, node, comparison in
          guard node.kind == .array, node.count == value.count else { return false }
          var nodes = node.elements
          for index in value.indices {
            guard let part = nodes.next(),
              comparison.part(.index(index), { elementShape.matches(value[index], part, &$0) })
            else { return false }
          }
          return true
        },
        digest: { value, context in
          var sequence = SequenceDigest.empty
          for element in value {
            sequence = sequence.followed(
              by: SequenceDigest(elementShape.digest(element, &context), key: context.key))
          }
          return context.key.array(sequence)
        },
        check: elementShape.needsCheck ? check : nil,
        visit: { value, route, index, reading throws(Absence) in
          guard case .index(let position) = route.steps[index], position < value.count else {
            throw missing(route.steps[index], index)
          }
          try elementShape.visit(value[position], route, index + 1, &reading)
        },
        edit: { value, edit throws(EditError) in
          let node = try edit.newValue()
          let old = value
          value = try edit.replacement(node, of: elementShape.type) { edit throws(EditError) in
            try replacing(old, node, &edit)
          } decoded: { decoding throws(ValidationError) in
            try decode(node, &decoding)
          }
        },
        descend: { value, route, index, edit throws(EditError) in try descend(&value, route, index, &edit) },
        construct: { _, index, _ throws(EditError) in throw .cannotCreate(depth: index) },
        elementCount: \.count,
        store: { value, writer in writer.array(value) { elementShape.store($0, into: &$1) } }))
  }

  private func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> [Element] {
    guard node.kind == .array else { throw .wrongType(node, expected: "an array") }
    var elements: [Element] = []
    elements.reserveCapacity(node.count)
    var failure: ValidationError?
    let isNested = decoding.isInArray
    decoding.isInArray = true
    defer { decoding.isInArray = isNested }
    for (index, part) in node.elements.enumerated() {
      let element = try decoding.element(String(index), &failure) { decoding throws(ValidationError) in
        try elementShape.decode(part, &decoding)
      }
      if let element { elements.append(element) }
    }
    if let failure { throw failure }
    return elements
  }

  private func check(_ value: [Element], _ base: [Element]?) throws(ValidationError) {
    if let base, haveSameBits(value, base) { return }
    for index in value.indices {
      let old = base.flatMap { index < $0.count ? $0[index] : nil }
      do throws(ValidationError) { try elementShape.check(value[index], since: old) } catch {
        throw error.under(String(index))
      }
    }
  }

  /// Returns the error for a step to an element that does not exist.
  private func missing(_ step: Step, _ depth: Int) -> Absence {
    if case .index(let position) = step { return Absence(.noSuchElement(String(position)), depth: depth) }
    return Absence(.noSuchElement("-"), depth: depth)
  }

  /// Inserts or removes an element at the last step, otherwise continues in the element.
  private func descend(_ value: inout [Element], _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) {
    let isLast = index == route.steps.count - 1
    let absence = missing(route.steps[index], index)
    switch (route.steps[index], edit.operation.kind) {
    case (.end, .insert) where isLast:
      value.append(try elementShape.decodeNew(&edit))
    case (.index(let position), .insert) where isLast:
      guard position <= value.count else { throw .absent(absence) }
      edit.shiftedElements = value.count - position
      value.insert(try elementShape.decodeNew(&edit), at: position)
    case (.index(let position), .remove) where isLast:
      guard position < value.count else { throw .absent(absence) }
      edit.shiftedElements = value.count - position
      value.remove(at: position)
    case (.index(let position), _):
      guard position < value.count else { throw .absent(absence) }
      try elementShape.applyToPart(&value[position], route, index + 1, &edit)
    default: throw .absent(absence)
    }
  }
}
