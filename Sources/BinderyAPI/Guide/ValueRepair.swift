import BinderyCore
import BinderyJSON

/// Finds the JSON that a client probably meant with a value that does not fit its type.
struct ValueRepair {
  /// The body of the request.
  let body: JSONNode
  /// The part of the body that does not fit.
  let pointer: [String]
  /// Returns the type of a part of the body.
  let type: (ArraySlice<String>) -> TypeInfo?

  /// Returns the bodies that the client may mean, the most likely first.
  var candidates: [String] {
    var candidates: [String] = []
    if let node = part(pointer[...]), let type = type(pointer[...]) {
      candidates += values(node, type).map { replacing(pointer[...], with: $0) }
    }
    if let name = pointer.last, let parent = type(pointer.dropLast()), let node = part(pointer.dropLast()) {
      candidates += containers(node, parent, name).map { replacing(pointer.dropLast(), with: $0) }
    }
    return candidates
  }

  /// Returns values that fit a type better.
  private func values(_ node: JSONNode, _ type: TypeInfo) -> [String] {
    var values: [String] = []
    switch (node.kind, type.unwrapped.kind) {
    case (.string, .sum(let cases)):
      if let name = Spelling.closest(to: node.string ?? "", among: cases.filter { $0.payload == nil }.map(\.name)) {
        values.append(JSONRepair.string(name))
      }
    case (.string, .scalar):
      // A number, a Boolean or null in quotation marks.
      if let text = node.string, let value = try? JSONDocument(parsing: Array(text.utf8)).root, value.isLeaf {
        values.append(value.compact)
      }
    case (.number, .scalar), (.bool, .scalar): values.append(JSONRepair.string(node.compact))
    case (.array, .product):
      if let element = node.elements.first(where: { _ in node.count == 1 }) { values.append(element.compact) }
    case (_, .product(let product)) where node.kind != .object:
      // The payload of a case with one label is an object.
      let names = product.members.filter { $0.role != .hidden }.map(\.name)
      if names.count == 1 { values.append("{\(JSONRepair.string(names[0])):\(node.compact)}") }
    default: break
    }
    return values
  }

  /// Returns objects in which a name fits better.
  private func containers(_ node: JSONNode, _ type: TypeInfo, _ name: String) -> [String] {
    var values: [String] = []
    // Each layer of a nested optional is an object.
    if case .optional(let wrapped) = type.kind, case .optional = wrapped.kind {
      values.append("{\"some\":\(node.compact)}")
    }
    switch type.unwrapped.kind {
    case .product(let product):
      let names = product.members.filter { $0.role != .hidden }.map(\.name)
      if let closest = Spelling.closest(to: name, among: names) { values.append(renaming(name, to: closest, in: node)) }
    case .sum(let cases):
      if cases.contains(where: { $0.name.isSame(as: name) && $0.payload == nil }) {
        values.append(JSONRepair.string(name))
      } else if let closest = Spelling.closest(to: name, among: cases.map(\.name)) {
        values.append(renaming(name, to: closest, in: node))
      }
    default: break
    }
    return values
  }

  // MARK: Editing JSON

  private func part(_ pointer: ArraySlice<String>) -> JSONNode? {
    pointer.reduce(body) { node, segment in
      guard let node else { return nil }
      return node.kind == .array ? Int(segment).flatMap { Array(node.elements).element(at: $0) } : node[segment]
    }
  }

  private func replacing(_ pointer: ArraySlice<String>, with text: String) -> String {
    var writer = JSONWriter()
    write(body, pointer, text, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func write(
    _ node: JSONNode, _ pointer: ArraySlice<String>, _ text: String, into writer: inout JSONWriter
  ) {
    guard let segment = pointer.first else { return writer.raw(Array(text.utf8)) }
    switch node.kind {
    case .object:
      writer.beginObject()
      for (key, value) in node.members {
        writer.key(key.string ?? "")
        if key.isString(segment) {
          write(value, pointer.dropFirst(), text, into: &writer)
        } else {
          writer.raw(Array(value.compact.utf8))
        }
      }
      writer.endObject()
    case .array:
      writer.beginArray()
      for (index, element) in node.elements.enumerated() {
        if String(index) == segment {
          write(element, pointer.dropFirst(), text, into: &writer)
        } else {
          writer.raw(Array(element.compact.utf8))
        }
      }
      writer.endArray()
    default: writer.raw(Array(node.compact.utf8))
    }
  }

  private func renaming(_ name: String, to other: String, in node: JSONNode) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    for (key, value) in node.members {
      writer.key(key.isString(name) ? other : key.string ?? "")
      writer.raw(Array(value.compact.utf8))
    }
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONNode {
  /// The text without the white space between its tokens.
  var compact: String { JSONTree(self).text }

  /// Whether the value is null, a Boolean or a number.
  fileprivate var isLeaf: Bool {
    switch kind {
    case .null, .bool, .number: true
    case .string, .array, .object: false
    }
  }
}

extension Array {
  fileprivate func element(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
