import BinderyCore
import BinderyJSON

/// A place in a value at which laws are checked, with its current content.
struct LawTarget {
  /// The path segments, in which elements of keyed collections are named by id.
  var segments: [String]
  var type: TypeInfo
  /// The JSON at the place; nil if the place is absent.
  var tree: JSONTree?
  /// The path segments of the same place in the JSON text, in which elements are named by position.
  var positions: [String]
  /// Whether the path goes through a computed member.
  var isComputed = false
  /// Whether the path names an array element by position, which only JSON Pointers can do.
  var isPositional = false

  var path: String { Pointer.text(segments) }

  /// Returns whether the place is a part of another one. Segments are compared by bytes.
  func isBelow(_ other: LawTarget) -> Bool {
    segments.count > other.segments.count
      && zip(segments, other.segments).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }

  /// Returns the target one segment below this one.
  fileprivate func child(
    _ segment: String, _ type: TypeInfo, _ tree: JSONTree?, at position: String? = nil
  ) -> LawTarget {
    var target = self
    target.segments.append(segment)
    target.positions.append(position ?? segment)
    target.type = type
    target.tree = tree
    return target
  }
}

/// The list of all places in a value, plus some absent ones next to them.
struct LawTargetList<Random: RandomNumberGenerator> {
  private(set) var targets: [LawTarget] = []
  var generator: Generator<Random>

  /// Lists the targets of a value.
  init(of type: TypeInfo, tree: JSONTree, generator: Generator<Random>) {
    self.generator = generator
    add(LawTarget(segments: [], type: type, tree: tree, positions: []), 0)
  }

  /// Adds a target and everything below it.
  ///
  /// - Parameter absentDepth: The number of absent places above this one. It limits how deep absent places are listed:
  ///   a recursive type would have infinitely many.
  private mutating func add(_ target: LawTarget, _ absentDepth: Int) {
    targets.append(target)
    addChildren(of: target, target.type, target.tree, target.tree == nil ? absentDepth + 1 : 0)
  }

  private mutating func addChildren(of target: LawTarget, _ type: TypeInfo, _ tree: JSONTree?, _ absentDepth: Int) {
    guard absentDepth < 4 else { return }
    switch type.kind {
    case .scalar, .set: return
    case .product(let product):
      for member in product.members where member.role != .hidden {
        // A member that the JSON of its struct leaves out is null at its own path.
        let content = tree.flatMap { $0[member.name] ?? (member.omitsNull ? .null : nil) }
        var child = target.child(member.name, member.type, content)
        child.isComputed = target.isComputed || member.isComputed
        add(child, absentDepth)
      }
    case .sum(let cases):
      for enumCase in cases {
        guard let payload = enumCase.payload else { continue }
        add(target.child(enumCase.name, payload, tree?[enumCase.name]), absentDepth)
      }
    case .optional(let wrapped):
      let inside = tree.flatMap { $0.isNull ? nil : $0 }
      guard case .optional = wrapped.kind else {
        return addChildren(of: target, wrapped, inside, inside == nil ? absentDepth + 1 : 0)
      }
      add(target.child("some", wrapped, inside?["some"]), absentDepth)
    case .elements(let element, let key): addElements(of: target, element, key, tree, absentDepth)
    case .dictionary(let value, let key):
      let fields = tree?.members ?? []
      for field in fields { add(target.child(field.key, value, field.value), absentDepth) }
      addAbsent(to: target, fields.map(\.key), value, key, absentDepth)
    case .array(let element):
      // In a JSON Pointer, `-` denotes the position after the last element (RFC 6901 §4), never an id.
      guard case .array(let elements)? = tree, !target.segments.contains("-") else { return }
      for (index, content) in elements.enumerated() {
        var child = target.child(String(index), element, content)
        child.isPositional = true
        add(child, absentDepth)
      }
    }
  }

  private mutating func addElements(
    of target: LawTarget, _ element: TypeInfo, _ key: KeyInfo, _ tree: JSONTree?, _ absentDepth: Int
  ) {
    var ids: [String] = []
    for (index, content) in (tree?.elements ?? []).enumerated() {
      // In a JSON Pointer, `-` denotes the position after the last element, also for an element with this id.
      guard let id = content.id(as: element, key), id != "-" || !target.isPositional else { continue }
      ids.append(id)
      add(target.child(id, element, content, at: String(index)), absentDepth)
    }
    addAbsent(to: target, ids, element, key, absentDepth)
  }

  /// Adds a child with a random id that does not occur in the collection.
  private mutating func addAbsent(
    to target: LawTarget, _ present: [String], _ element: TypeInfo, _ key: KeyInfo, _ absentDepth: Int
  ) {
    let absentKey = generator.key(key)
    // Ids may have several spellings, such as upper-case UUIDs. A present id in another spelling is not absent.
    guard !present.contains(where: { $0.lowercased() == absentKey.lowercased() }) else { return }
    add(target.child(absentKey, element, nil), absentDepth)
  }
}
