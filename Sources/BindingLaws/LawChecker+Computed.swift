import BinderyCore
import BinderyJSON

/// Checks of computed members.
extension LawChecker {
  /// Checks that a setter called with a random value results in an encodable value.
  mutating func checkSetter(_ value: Value, _ target: LawTarget, _ route: Route) {
    for verb in [Verb.put, .patch, .delete] {
      if verb == .delete, !route.canDelete { continue }
      let sent = generator.value(of: target.type)
      guard let result = writtenValue(verb, sent, to: value, route) else { continue }
      expect(
        JSONTree(parsing: bytes(result)) != nil, .computed, target,
        "the value after calling the setter cannot be encoded as JSON", value, sent)
      checkEquality(result, value)
    }
  }

  /// Checks that `from:` is complete: random values in all members that it does not list must not change the computed
  /// member.
  mutating func checkSources(_ value: Value, _ tree: JSONTree, _ target: LawTarget) {
    guard case .product(let product) = target.type.unwrapped.kind, let current = target.tree, !current.isNull else {
      return
    }
    for (index, member) in product.members.enumerated() where member.isComputed {
      guard let sources = product.storedSources(of: index) else { continue }
      let random = generator.value(of: target.type.unwrapped)
      guard case .object(let fields) = current.withoutComputed(target.type.unwrapped) else { continue }
      let sourceNames = Set(sources.map { product.members[$0].name })
      let mixed = JSONTree.object(
        fields.map { field in
          let isSource = sourceNames.contains(field.key)
          return JSONTree.Member(key: field.key, value: isSource ? field.value : random[field.key] ?? .null)
        })
      guard let before = decode(tree.withoutComputed(shape.type)),
        let after = tree.replacing(target.positions, with: mixed).flatMap({ decode($0.withoutComputed(shape.type)) })
      else { continue }
      let (old, new) = (content(of: target, in: before)?[member.name], content(of: target, in: after)?[member.name])
      guard let old, let new else { continue }
      expect(
        old.text == new.text, .computed, target, "“\(member.name)” depends on more members than `from:` lists",
        before, mixed)
    }
  }

  /// Returns the JSON at a target, found by position because the ids on the path may have changed.
  private func content(of target: LawTarget, in value: Value) -> JSONTree? {
    var tree = JSONTree(parsing: bytes(value))
    for position in target.positions {
      if case .array(let elements)? = tree {
        tree = Int(position).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      } else {
        tree = tree?[position]
      }
    }
    return tree
  }
}

extension ProductInfo {
  /// Returns the indices of the stored members that a computed member depends on, also through other computed members;
  /// nil if it may depend on all of them.
  fileprivate func storedSources(of member: Int) -> Set<Int>? {
    var (found, remaining): (Set<Int>, [Int]) = ([], [member])
    while let next = remaining.popLast() {
      guard found.insert(next).inserted, members[next].isComputed else { continue }
      guard let sources = sources(of: next) else { return nil }
      remaining += sources
    }
    return found.filter { !members[$0].isComputed }
  }
}
