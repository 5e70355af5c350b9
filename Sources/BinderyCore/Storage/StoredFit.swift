import BinderyJSON

/// The comparison of stored state, which another version of a model may have written, with the types of a model.
///
/// Decoding ends at the first mistake. This comparison finds all of them, because it creates no values.
package struct StoredFit: Sendable {
  /// A place in the types, with the values there.
  package struct Place: Sendable, Equatable {
    /// The path, with `*` for all elements and entries.
    package let path: String
    /// The first mistake, and what to do; empty for a member that the types do not have.
    package let reason: String
    /// The number of values.
    package var count: Int
  }

  /// The places that do not fit, in the order of the state.
  package private(set) var mistakes: [Place] = []
  /// The members that the types do not have. Their values are dropped.
  package private(set) var dropped: [Place] = []
  private var mistakeIndices: [String: Int] = [:]
  private var droppedIndices: [String: Int] = [:]
  private let type: TypeInfo

  /// Creates a comparison with a type.
  package init(with type: TypeInfo) { self.type = type }

  /// Compares a state in the storage format.
  package mutating func add(state text: [UInt8]) throws(RestoreError) {
    compare(try StoredPatch.parse(text), type, [])
  }

  /// Compares the values of a patch in the storage format.
  package mutating func add(_ patch: StoredPatch) {
    for operation in patch.operations {
      do throws(RestoreError) {
        guard let route = try operation.route(in: type) else { continue }
        switch operation.verb {
        case .replace(let node), .add(let node, _): compare(node, route.target, pattern(of: route))
        case .remove, .move: break
        }
      } catch { addMistake("\(error.reason); \(Self.adviceOnType)", at: [operation.pointer]) }
    }
  }

  /// Returns the path of a place with `*` for elements and entries.
  private func pattern(of route: Route) -> [String] {
    var path: [String] = []
    for (index, step) in route.steps.enumerated() {
      let owner = type.following(route.steps.prefix(index))
      switch (owner?.kind, step) {
      case (.product(let product)?, .member(let member)): path.append(product.members[member].name)
      case (.sum(let cases)?, .payload(let payload)): path.append(cases[payload].name)
      case (.optional(let wrapped)?, _): if case .optional = wrapped.kind { path.append("some") }
      default: path.append("*")
      }
    }
    return path
  }

  private mutating func compare(_ node: JSONNode, _ type: TypeInfo, _ path: [String]) {
    // The check of a set decodes its elements, which are compared one by one below.
    let checks = if case .set = type.kind { type.storedChecks.dropFirst() } else { type.storedChecks[...] }
    for check in checks {
      do throws(ValidationError) { try check(node) } catch {
        return addMistake("\(error.detail); \(Self.adviceOnType)", at: path)
      }
    }
    switch type.kind {
    case .scalar: break
    case .product(let product): compare(node, product, path)
    case .sum(let cases): compare(node, cases, path)
    case .optional(let wrapped): compare(node, optional: wrapped, path)
    case .elements(let element, _), .array(let element), .set(let element):
      guard node.kind == .array else { return addMistake(node, "an array", at: path) }
      for part in node.elements { compare(part, element, path + ["*"]) }
    case .dictionary(let value, let key):
      guard node.kind == .object else { return addMistake(node, "an object", at: path) }
      for (name, part) in node.members {
        let name = name.string ?? ""
        if key.parse(name.utf8.span) == nil {
          addMistake("the key “\(name)” is not a key of type \(key.type.name); \(Self.adviceOnType)", at: path)
        }
        compare(part, value, path + ["*"])
      }
    }
  }

  private mutating func compare(_ node: JSONNode, _ product: ProductInfo, _ path: [String]) {
    guard node.kind == .object else { return addMistake(node, "an object", at: path) }
    var isPresent = [Bool](repeating: false, count: product.members.count)
    for (key, part) in node.members {
      let index = product.members.firstIndex { key.isString($0.name) }
      guard let index, !product.members[index].isComputed else {
        addDropped(path + [key.string ?? ""])
        continue
      }
      isPresent[index] = true
      compare(part, product.members[index].type, path + [product.members[index].name])
    }
    for (member, isPresent) in zip(product.members, isPresent) {
      if isPresent || member.isComputed || member.hasDefault || member.type.acceptsNull { continue }
      addMistake("the member is new and has no default; declare one in the model", at: path + [member.name])
    }
  }

  private mutating func compare(_ node: JSONNode, _ cases: [CaseInfo], _ path: [String]) {
    var name = node.string
    var payload: JSONNode?
    if node.kind == .object {
      var members = node.members
      if let member = members.next(), members.next() == nil { (name, payload) = (member.key.string, member.value) }
    }
    guard let name else { return addMistake(node, "a case", at: path) }
    guard let found = cases.first(where: { $0.name.isSame(as: name) }), (found.payload == nil) == (payload == nil)
    else {
      return addMistake("the stored case “\(name)” is not a case of the model; \(Self.adviceOnType)", at: path)
    }
    if let type = found.payload, let payload { compare(payload, type, path + [name]) }
  }

  private mutating func compare(_ node: JSONNode, optional wrapped: TypeInfo, _ path: [String]) {
    if node.kind == .null { return }
    guard case .optional = wrapped.kind else { return compare(node, wrapped, path) }
    guard let inner = node["some"], node.count == 1 else {
      return addMistake(node, "null or an object with the member “some”", at: path)
    }
    compare(inner, wrapped, path + ["some"])
  }

  private mutating func addMistake(_ node: JSONNode, _ expected: String, at path: [String]) {
    addMistake("\(node.excerpt(maximum: 40)) is not \(expected); \(Self.adviceOnType)", at: path)
  }

  private mutating func addMistake(_ reason: String, at path: [String]) {
    Self.add(Place(path: Pointer.text(path), reason: reason, count: 1), to: &mistakes, &mistakeIndices)
  }

  private mutating func addDropped(_ path: [String]) {
    Self.add(Place(path: Pointer.text(path), reason: "", count: 1), to: &dropped, &droppedIndices)
  }

  private static func add(_ place: Place, to places: inout [Place], _ indices: inout [String: Int]) {
    if let index = indices[place.path] {
      places[index].count += 1
    } else {
      indices[place.path] = places.count
      places.append(place)
    }
  }

  private static var adviceOnType: String {
    "change the value with the previous model first, or let the model accept it"
  }
}

extension StoredFit {
  /// The maximum number of places in ``mistakeLines``.
  package static let maximumLines = 20

  /// One line for each of the first mistakes, and a line with the number of the others.
  package var mistakeLines: [String] {
    var lines = mistakes.prefix(Self.maximumLines).map { place in
      "\(place.path.isEmpty ? "the whole state" : place.path): \(place.reason)"
        + (place.count == 1 ? "" : " (\(place.count) values)")
    }
    let others = mistakes.count - lines.count
    if others > 0 { lines.append("and \(others) other place\(others == 1 ? "" : "s")") }
    return lines
  }

  /// One line for each member whose values are dropped.
  package var droppedLines: [String] {
    dropped.map { "\($0.path) (\($0.count) value\($0.count == 1 ? "" : "s") dropped)" }
  }
}

extension TypeInfo {
  /// Whether a stored value may be null: the value of a new member without a default.
  fileprivate var acceptsNull: Bool {
    if case .optional = kind { return true }
    return isScalar && storedChecks.allSatisfy { check in (try? check(.nullNode)) != nil }
  }
}
