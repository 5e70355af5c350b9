import BinderyJSON

/// A patch from one version of the state to another in the storage format.
package struct StoredPatch: Sendable {
  let operations: [StoredOperation]

  init(_ operations: [StoredOperation]) { self.operations = operations }

  /// Creates a patch from its JSON text.
  package init(parsing text: [UInt8]) throws(RestoreError) {
    let root = try Self.parse(text)
    guard root.kind == .array else { throw RestoreError("expected a patch, which is a JSON array", at: "") }
    var operations: [StoredOperation] = []
    for node in root.elements { operations.append(try StoredOperation(node)) }
    self.operations = operations
  }

  /// The JSON Pointer of the first element that the patch moves; nil if it moves none.
  ///
  /// The position of that element afterwards depends on all operations on the sequence. To find it, apply the patch.
  package var firstMovedElement: String? {
    operations.first { if case .move = $0.verb { true } else { false } }?.pointer
  }

  /// The maximum nesting depth of stored JSON: more than the limit for requests, because the storage format adds
  /// levels.
  static let maximumDepth = 256

  static func parse(_ text: [UInt8]) throws(RestoreError) -> JSONNode {
    do throws(JSONSyntaxError) {
      return try JSONDocument(parsing: text, maximumDepth: maximumDepth).root
    } catch { throw RestoreError("invalid JSON: \(error)", at: "") }
  }

  /// Indicates whether the patch names positions, which a JSON Patch writes in another form. Any other patch is a JSON
  /// Patch already.
  package var namesPositions: Bool {
    operations.contains { operation in
      switch operation.verb {
      case .add(_, at: nil), .replace, .remove: false
      case .add, .move: true
      }
    }
  }

  /// The patch as a JSON Patch (RFC 6902), in canonical JSON.
  package var shown: [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for operation in operations { operation.encodeJSONPatch(into: &writer) }
    writer.endArray()
    return writer.bytes
  }
}

/// One operation of a ``StoredPatch``.
struct StoredOperation: Sendable {
  enum Verb: Sendable {
    case replace(JSONNode)
    /// Adds an element at an index of a sequence, or an entry of a dictionary if `at` is nil.
    case add(JSONNode, at: Int?)
    case remove
    case move(to: Int)
  }

  let verb: Verb
  /// The JSON Pointer (RFC 6901) of the target.
  let pointer: String
  let segments: [String]

  /// Creates an operation from its JSON object.
  init(_ node: JSONNode) throws(RestoreError) {
    guard let pointer = node["path"]?.string, let segments = Pointer.segments(of: pointer) else {
      throw RestoreError("expected an operation with a “path”, got \(node.excerpt(maximum: 80))", at: "")
    }
    var index: Int?
    if let at = node["at"] {
      guard case .value(let position) = at.integer(), position >= 0 else {
        throw RestoreError("expected an integer ≥ 0 for “at”, got \(at.excerpt(maximum: 40))", at: pointer)
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
    default: throw RestoreError("unknown operation: \(node.excerpt(maximum: 80))", at: pointer)
    }
  }

  /// Resolves the target against the types.
  ///
  /// - Returns: nil if the target is, or lies in, a member that the types no longer have.
  func route(in type: TypeInfo) throws(RestoreError) -> Route? {
    let root = Route.root(type)
    if let route = root.resolving(segments, form: .stored) { return route }
    for count in segments.indices.reversed() {
      guard let route = root.resolving(Array(segments.prefix(count)), form: .stored) else { continue }
      if route.target.isProduct { return nil }
      break
    }
    throw RestoreError("unknown path: the types of the state do not define it", at: pointer)
  }
}

extension StoredOperation {
  /// Writes the operation as RFC 6902 defines it.
  ///
  /// The target of an element that is added or moved is its position there, and not its id as in the storage format.
  func encodeJSONPatch(into writer: inout JSONWriter) {
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
  /// Indicates whether the type is a struct or an optional struct.
  fileprivate var isProduct: Bool {
    switch kind {
    case .product: true
    case .optional(let wrapped): wrapped.isProduct
    case .scalar, .sum, .elements, .array, .set, .dictionary: false
    }
  }
}

extension Route {
  /// Returns the route with the id in its last step replaced by a position.
  func positioned(at position: Step) -> Route {
    Route(steps: steps.dropLast() + [position], target: target, isWritable: isWritable, isRemovable: isRemovable)
  }
}
