import BinderyCore

/// Laws of computed members.
extension Trial {
  /// Setters take anything, and what comes of it is a value like any other.
  mutating func checkSetter(_ value: Model, _ site: Site, _ route: Route) {
    for verb in [Verb.put, .patch, .delete] {
      if verb == .delete, !route.canDelete { continue }
      let sent = generator.value(of: site.type)
      guard let result = written(verb, sent, to: value, route) else { continue }
      expect(
        JSONTree(parsing: bytes(result)) != nil, .computed, site, "a setter made what cannot be encoded", value, sent)
      checkEquality(result, value)
    }
  }

  /// `from:` is true: with other values in all members that it does not list, the computed member is the same.
  mutating func checkSources(_ value: Model, _ tree: JSONTree, _ site: Site) {
    guard case .product(let product) = site.type.unwrapped.kind, let here = site.tree, !here.isNull else { return }
    for (index, member) in product.members.enumerated() where member.isComputed {
      guard let sources = product.sources(of: index) else { continue }
      let other = generator.value(of: site.type.unwrapped)
      guard case .object(let fields) = here.withoutComputed(site.type.unwrapped) else { continue }
      let kept = Set(sources.map { product.members[$0].name })
      let mixed = JSONTree.object(
        fields.map { field in
          JSONTree.Field(name: field.name, value: kept.contains(field.name) ? field.value : other[field.name] ?? .null)
        })
      let whole = tree.withoutComputed(shape.type)
      guard let before = decode(whole),
        let after = insert(mixed, at: site, in: tree).flatMap({ decode($0.withoutComputed(shape.type)) })
      else { continue }
      let (old, new) = (part(before, site)?[member.name], part(after, site)?[member.name])
      guard let old, let new else { continue }
      expect(
        old.text == new.text, .computed, site, "“\(member.name)” depends on more than it is declared from", before,
        mixed)
    }
  }

  private func insert(_ part: JSONTree, at site: Site, in tree: JSONTree) -> JSONTree? {
    tree.replacing(site.positions, with: part)
  }

  /// The place by its position: another id may stand there now.
  private func part(_ value: Model, _ site: Site) -> JSONTree? {
    var tree = JSONTree(parsing: bytes(value))
    for position in site.positions {
      if case .array(let elements)? = tree {
        tree = Int(position).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      } else {
        tree = tree?[position]
      }
    }
    return tree
  }
}
