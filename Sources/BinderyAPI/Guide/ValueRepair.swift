import BinderyCore
import BinderyJSON

/// Finds the JSON that a client probably meant with a value that does not fit its type.
struct ValueRepair {
  /// The body of the request.
  let body: JSONTree
  /// The part of the body that does not fit.
  let pointer: [String]
  /// Returns the type of a part of the body.
  let type: (ArraySlice<String>) -> TypeInfo?

  /// Returns the bodies that the client may mean, the most likely first.
  var candidates: [String] {
    var candidates: [JSONTree] = []
    if let value = part(pointer[...]), let type = type(pointer[...]) {
      candidates += values(value, type).map { body.replacing(pointer[...], with: $0) }
    }
    if let name = pointer.last, let parent = type(pointer.dropLast()), let value = part(pointer.dropLast()) {
      candidates += containers(value, parent, name).map { body.replacing(pointer.dropLast(), with: $0) }
    }
    return candidates.map(\.text)
  }

  private func part(_ pointer: ArraySlice<String>) -> JSONTree? {
    pointer.reduce(body) { value, segment in
      guard case .array(let elements)? = value else { return value?[segment] }
      return elements.enumerated().first { String($0.offset) == segment }?.element
    }
  }

  /// Returns values that fit a type better.
  private func values(_ value: JSONTree, _ type: TypeInfo) -> [JSONTree] {
    var values: [JSONTree] = []
    switch (value, type.unwrapped.kind) {
    case (.string(let text), .sum(let cases)):
      if let name = Spelling.closest(to: text, among: cases.filter { $0.payload == nil }.map(\.name)) {
        values.append(.string(name))
      }
    case (.string(let text), .scalar):
      // A number, a Boolean or null in quotation marks.
      if let node = try? JSONDocument(parsing: Array(text.utf8)).root, [.null, .bool, .number].contains(node.kind) {
        values.append(JSONTree(node))
      }
    case (.number, .scalar), (.bool, .scalar): values.append(.string(value.text))
    case (.array(let elements), .product): if elements.count == 1 { values.append(elements[0]) }
    case (.object, .product): break
    case (_, .product(let product)):
      // The payload of a case with one label is an object.
      let names = product.members.filter { $0.role != .hidden }.map(\.name)
      if names.count == 1 { values.append(.object([JSONTree.Member(key: names[0], value: value)])) }
    default: break
    }
    return values
  }

  /// Returns objects in which a name fits better.
  private func containers(_ value: JSONTree, _ type: TypeInfo, _ name: String) -> [JSONTree] {
    var values: [JSONTree] = []
    // Each layer of a nested optional is an object.
    if case .optional(let wrapped) = type.kind, case .optional = wrapped.kind {
      values.append(.object([JSONTree.Member(key: "some", value: value)]))
    }
    switch type.unwrapped.kind {
    case .product(let product):
      let names = product.members.filter { $0.role != .hidden }.map(\.name)
      if let closest = Spelling.closest(to: name, among: names) { values.append(value.renaming(name, to: closest)) }
    case .sum(let cases):
      if cases.contains(where: { $0.name.isSame(as: name) && $0.payload == nil }) {
        values.append(.string(name))
      } else if let closest = Spelling.closest(to: name, among: cases.map(\.name)) {
        values.append(value.renaming(name, to: closest))
      }
    default: break
    }
    return values
  }
}

extension JSONTree {
  /// Returns the value with another one at a pointer.
  fileprivate func replacing(_ pointer: ArraySlice<String>, with value: JSONTree) -> JSONTree {
    guard let segment = pointer.first else { return value }
    let rest = pointer.dropFirst()
    switch self {
    case .object(let members):
      return .object(
        members.map {
          $0.key.isSame(as: segment) ? Member(key: $0.key, value: $0.value.replacing(rest, with: value)) : $0
        })
    case .array(let elements):
      return .array(elements.enumerated().map { String($0) == segment ? $1.replacing(rest, with: value) : $1 })
    default: return self
    }
  }

  /// Returns an object with another name of a member.
  fileprivate func renaming(_ name: String, to other: String) -> JSONTree {
    .object(members.map { Member(key: $0.key.isSame(as: name) ? other : $0.key, value: $0.value) })
  }
}
