import BinderyDigest
import BinderyJSON

/// An array in JSON, and a leaf in URLs: without ids its elements have no address that would last.
extension Array: Bindable where Element: Bindable {
  public static var shape: Shape<[Element]> { Row(element: Element.shape).shape }
}

private struct Row<Element: Sendable>: Sendable {
  let element: Shape<Element>

  var shape: Shape<[Element]> {
    Shape(
      type: TypeInfo(name: "Array<\(element.type.name)>", kind: .array(element.type)),
      operations: .init(
        encode: { value, writer in
          writer.array({ value[$0...] }) { one, writer in element.encode(one, into: &writer) }
        },
        decode: { node, decoding throws(ValidationError) in
          guard node.kind == .array else { throw .wrongType(node, expected: "an array") }
          var elements: [Element] = []
          elements.reserveCapacity(node.count)
          for (index, one) in node.elements.enumerated() {
            do throws(ValidationError) {
              elements.append(try element.decode(one, &decoding))
            } catch { throw error.under(String(index)) }
          }
          return elements
        },
        areSame: { a, b in a.count == b.count && zip(a, b).allSatisfy(element.areSame) },
        digest: { value, key in
          var sequence = SequenceDigest.empty
          for one in value {
            sequence = sequence.followed(by: SequenceDigest(element.digest(one, key), key: key))
          }
          return key.array(sequence)
        },
        check: { value, base throws(ValidationError) in
          for (index, one) in value.enumerated() {
            let old = base.flatMap { index < $0.count ? $0[index] : nil }
            do throws(ValidationError) { try element.check(one, since: old) } catch { throw error.under(String(index)) }
          }
        },
        visit: { value, route, index, reading throws(Absence) in
          guard case .index(let position) = route.steps[index], position < value.count else {
            throw missing(route.steps[index], index)
          }
          try element.visit(value[position], route, index + 1, &reading)
        },
        edit: { value, edit throws(EditError) in
          switch edit.operation {
          case .merge(let node), .replace(let node), .insert(let node):
            value = try edit.decoding(.complete) { decoding throws(ValidationError) in
              try Row(element: element).shape.decode(node, &decoding)
            }
          case .append, .remove: throw .invalid(ValidationError(.notRemovable, "this place cannot be empty"))
          }
        },
        descend: { value, route, index, edit throws(EditError) in try descend(&value, route, index, &edit) },
        construct: { _, index, _ throws(EditError) in throw .cannotCreate(depth: index) },
        store: { value, writer in
          writer.writer.beginArray()
          for one in value {
            element.store(one, into: &writer)
            writer.elementEnded()
          }
          writer.writer.endArray()
        }))
  }

  private func missing(_ step: Step, _ depth: Int) -> Absence {
    if case .index(let position) = step { return Absence(.noSuchElement(String(position)), depth: depth) }
    return Absence(.noSuchElement("-"), depth: depth)
  }

  private func descend(_ value: inout [Element], _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) {
    let isLast = index == route.steps.count - 1
    let absence = missing(route.steps[index], index)
    switch (route.steps[index], edit.operation) {
    case (.end, .insert) where isLast:
      value.append(try element.decodeNew(&edit))
    case (.index(let position), .insert) where isLast:
      guard position <= value.count else { throw .absent(absence) }
      value.insert(try element.decodeNew(&edit), at: position)
    case (.index(let position), .remove) where isLast:
      guard position < value.count else { throw .absent(absence) }
      value.remove(at: position)
    case (.index(let position), _):
      guard position < value.count else { throw .absent(absence) }
      try element.apply(&value[position], route, index + 1, &edit)
    default: throw .absent(absence)
    }
  }
}
