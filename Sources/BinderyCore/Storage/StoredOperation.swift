import BinderyJSON

/// One operation of a patch of the stored scope.
struct StoredOperation: Sendable {
  enum Verb: Sendable {
    case replace(JSONNode)
    /// `at` an index of a sequence, or under a key of a dictionary.
    case add(JSONNode, at: Int?)
    case remove
    case move(to: Int)
  }

  let verb: Verb
  /// Where, as a JSON Pointer (RFC 6901).
  let pointer: String
  private let segments: [String]

  init(_ node: JSONNode) throws(RestoreError) {
    guard let pointer = node["path"]?.string, let segments = Pointer.segments(of: pointer) else {
      throw RestoreError("an operation without a path: \(node.excerpt(maximum: 80))", at: "")
    }
    var index: Int?
    if let at = node["at"] {
      guard case .value(let position) = at.integer(), position >= 0 else {
        throw RestoreError("\(at.excerpt(maximum: 40)) is no position", at: pointer)
      }
      index = Int(position)
    }
    self.pointer = pointer
    self.segments = segments
    switch (node["op"]?.string, node["value"], index) {
    case ("replace"?, let value?, nil): verb = .replace(value)
    case ("add"?, let value?, _): verb = .add(value, at: index)
    case ("remove"?, nil, nil): verb = .remove
    case ("move"?, nil, let index?): verb = .move(to: index)
    default: throw RestoreError("\(node.excerpt(maximum: 80)) is no operation", at: pointer)
    }
  }

  /// The place, resolved against the types; nil where it lies in a member that the types have no more.
  func route(in type: TypeInfo) throws(RestoreError) -> Route? {
    let root = Route.root(type)
    if let route = root.resolving(segments, form: .stored) { return route }
    for count in segments.indices.reversed() {
      guard let route = root.resolving(Array(segments.prefix(count)), form: .stored) else { continue }
      if route.target.isProduct { return nil }
      break
    }
    throw RestoreError("the types of the state have no such place", at: pointer)
  }
}

extension StoredOperation {
  /// Writes it as RFC 6902 has it: what is added to a sequence, or moved there, is named by its position.
  func encodeShown(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("op")
    switch verb {
    case .replace(let node): write("replace", pointer, node, to: &writer)
    case .add(let node, nil): write("add", pointer, node, to: &writer)
    case .add(let node, let index?): write("add", position(index), node, to: &writer)
    case .remove: write("remove", pointer, nil, to: &writer)
    case .move(let index):
      writer.string("move")
      writer.key("from")
      writer.string(pointer)
      writer.key("path")
      writer.string(position(index))
    }
    writer.endObject()
  }

  private func write(_ name: String, _ pointer: String, _ node: JSONNode?, to writer: inout JSONWriter) {
    writer.string(name)
    writer.key("path")
    writer.string(pointer)
    guard let node else { return }
    writer.key("value")
    writer.raw(Array(node.text))
  }

  private func position(_ index: Int) -> String { Pointer.text(segments.dropLast() + [String(index)]) }
}

extension TypeInfo {
  /// A struct, or an optional one.
  fileprivate var isProduct: Bool {
    switch kind {
    case .product: true
    case .optional(let wrapped): wrapped.isProduct
    case .scalar, .sum, .elements, .array, .dictionary: false
    }
  }
}

extension Route {
  /// The same with its last step, an element, told by where it stands.
  func positioned(at index: Int) -> Route {
    Route(
      steps: steps.dropLast() + [.index(index)], target: target, isWritable: isWritable, isRemovable: isRemovable)
  }
}
