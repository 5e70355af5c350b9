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
      return try JSONDocument(parsing: text, maximumDepth: maximumDepth, isTrusted: true).root
    } catch { throw RestoreError("invalid JSON: \(error)", at: "") }
  }

  /// Returns the patch as a JSON Patch (RFC 6902), in canonical JSON.
  ///
  /// - Parameter pointers: the paths of the operations with positions. Nil for paths with ids, with the position of an
  ///   element that is added or moved in `at`.
  package func jsonPatch(_ pointers: [String]?) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for (index, operation) in operations.enumerated() {
      let pointer = pointers.flatMap { index < $0.count ? $0[index] : nil }
      operation.encodeJSONPatch(pointer, into: &writer)
    }
    writer.endArray()
    return writer.bytes
  }

  /// Returns whether the patch may change the value of a place.
  ///
  /// - Parameters:
  ///   - place: the identity of the place's steps.
  ///   - type: the type of the state.
  package func mayChange(_ place: [UInt8], in type: TypeInfo) -> Bool {
    operations.contains { operation in
      guard let route = (try? operation.route(in: type)) ?? nil else { return false }
      let changed = route.steps.identity
      return place.starts(with: changed) || changed.starts(with: place)
    }
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
  /// Whether the pointer contains escapes.
  private let isEscaped: Bool

  /// The segments of the pointer.
  var segments: [String] { Pointer.segments(of: pointer) ?? [] }

  /// Creates an operation from its JSON object.
  init(_ node: JSONNode) throws(RestoreError) {
    guard let pointer = node["path"]?.string, pointer.isEmpty || pointer.utf8.first == UInt8(ascii: "/"),
      case let isEscaped = pointer.utf8.contains(UInt8(ascii: "~")), !isEscaped || Pointer.segments(of: pointer) != nil
    else { throw RestoreError("expected an operation with a “path”, got \(node.excerpt(maximum: 80))", at: "") }
    var index: Int?
    if let at = node["at"] {
      guard case .value(let position) = at.integer(), position >= 0 else {
        throw RestoreError("expected an integer ≥ 0 for “at”, got \(at.excerpt(maximum: 40))", at: pointer)
      }
      index = Int(position)
    }
    (self.pointer, self.isEscaped) = (pointer, isEscaped)
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
    if !isEscaped, let route = root.resolving(plain: pointer.utf8Span.span, form: .stored) { return route }
    let segments = segments
    if let route = root.resolving(segments, form: .stored) { return route }
    for count in segments.indices.reversed() {
      guard let route = root.resolving(Array(segments.prefix(count)), form: .stored) else { continue }
      if route.target.isProduct { return nil }
      break
    }
    throw RestoreError("unknown path: the types of the state do not define it", at: pointer)
  }

  /// Writes the operation as RFC 6902 defines it; with ids, the position of an element is in `at`.
  ///
  /// - Parameter indexed: the path with positions; nil to write the path with ids.
  func encodeJSONPatch(_ indexed: String?, into writer: inout JSONWriter) {
    let (name, index, node): (String, Int?, JSONNode?) =
      switch verb {
      case .replace(let node): ("replace", nil, node)
      case .add(let node, let index): ("add", index, node)
      case .remove: ("remove", nil, nil)
      case .move(let index): ("move", index, nil)
      }
    var path = indexed ?? pointer
    writer.beginObject()
    writer.member("op", name)
    if case .move(let index) = verb {
      writer.member("from", path)
      if indexed != nil { path = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex) + String(index) }
    }
    writer.member("path", path)
    if indexed == nil, let index { writer.member("at", Int64(index)) }
    if let node {
      writer.key("value")
      writer.raw(Array(node.text))
    }
    writer.endObject()
  }
}

extension TypeInfo {
  /// Whether the type is a struct or an optional struct.
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

/// The reason why stored state cannot be read.
package struct RestoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String
  /// The position in the value, as a JSON Pointer (RFC 6901).
  package let pointer: String

  /// Creates an error.
  package init(_ reason: String, at pointer: String) {
    self.reason = reason
    self.pointer = pointer
  }

  package var description: String { pointer.isEmpty ? reason : "\(reason) (at \(pointer))" }
}
