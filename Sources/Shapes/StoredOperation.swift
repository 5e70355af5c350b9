import JSON

/// One operation of a patch of the stored scope.
struct StoredOperation {
  enum Verb {
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

  /// How deep what is kept may be nested: what came over the network, and a few levels around it.
  static let maximumDepth = 256

  init(_ node: JSONNode) throws(Unreadable) {
    guard let pointer = node["path"]?.string, let segments = Pointer.segments(of: pointer) else {
      throw Unreadable("an operation without a path: \(node.excerpt(maximum: 80))", at: "")
    }
    var index: Int?
    if let at = node["at"] {
      guard case .value(let position) = at.integer(), position >= 0 else {
        throw Unreadable("\(at.excerpt(maximum: 40)) is no position", at: pointer)
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
    default: throw Unreadable("\(node.excerpt(maximum: 80)) is no operation", at: pointer)
    }
  }

  /// The place, resolved against the types; nil where it lies in a member that the types have no more.
  func route(in type: TypeInfo) throws(Unreadable) -> Route? {
    let root = Route.root(type)
    if let route = root.resolving(segments, form: .stored) { return route }
    for count in segments.indices.reversed() {
      guard let route = root.resolving(Array(segments.prefix(count)), form: .stored) else { continue }
      if route.target.isProduct { return nil }
      break
    }
    throw Unreadable("the types of the state have no such place", at: pointer)
  }
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
