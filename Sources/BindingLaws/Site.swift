import BinderyCore

/// A place of one value, present or absent, with what stands there.
struct Site {
  var segments: [String]
  var type: TypeInfo
  /// nil where the place is absent.
  var tree: JSONTree?
  /// The same place in the JSON, where elements have positions.
  var positions: [String]
  /// A step goes through a computed member.
  var isComputed = false
  /// An element is named by its position, as in JSON Patch.
  var isPositional = false

  var path: String { Pointer.text(segments) }

  fileprivate func step(
    _ segment: String, _ type: TypeInfo, _ tree: JSONTree?, at position: String? = nil
  ) -> Site {
    var site = self
    site.segments.append(segment)
    site.positions.append(position ?? segment)
    site.type = type
    site.tree = tree
    return site
  }
}

/// Lists the places of a value, and some absent ones next to them.
struct SiteList<Random: RandomNumberGenerator> {
  private(set) var sites: [Site] = []
  var generator: Generator<Random>

  init(of type: TypeInfo, tree: JSONTree, generator: Generator<Random>) {
    self.generator = generator
    add(Site(segments: [], type: type, tree: tree, positions: []), 0)
  }

  /// - Parameter absent: how many steps before this one are absent: what is not there is not searched to its bottom.
  private mutating func add(_ site: Site, _ absent: Int) {
    sites.append(site)
    addParts(of: site, site.type, site.tree, site.tree == nil ? absent + 1 : 0)
  }

  private mutating func addParts(of site: Site, _ type: TypeInfo, _ tree: JSONTree?, _ absent: Int) {
    guard absent < 4 else { return }
    switch type.kind {
    case .scalar: return
    case .product(let product):
      for member in product.members where member.role != .hidden {
        var part = site.step(member.name, member.type, tree?[member.name])
        part.isComputed = site.isComputed || member.isComputed
        add(part, absent)
      }
    case .sum(let cases):
      for one in cases {
        guard let payload = one.payload else { continue }
        add(site.step(one.name, payload, tree?[one.name]), absent)
      }
    case .optional(let wrapped):
      let inside = tree.flatMap { $0.isNull ? nil : $0 }
      guard case .optional = wrapped.kind else {
        return addParts(of: site, wrapped, inside, inside == nil ? absent + 1 : 0)
      }
      add(site.step("some", wrapped, inside?["some"]), absent)
    case .elements(let element, let key): addElements(of: site, element, key, tree, absent)
    case .dictionary(let value, let key):
      if case .object(let fields)? = tree {
        for field in fields { add(site.step(field.name, value, field.value), absent) }
      }
      var keys: [String] = []
      if case .object(let fields)? = tree { keys = fields.map(\.name) }
      addAbsent(to: site, keys, value, key, absent)
    case .array(let element):
      // In a pointer `-` is no id, but the place behind the last element.
      guard case .array(let elements)? = tree, !site.segments.contains("-") else { return }
      for (index, one) in elements.enumerated() {
        var part = site.step(String(index), element, one)
        part.isPositional = true
        add(part, absent)
      }
    }
  }

  private mutating func addElements(
    of site: Site, _ element: TypeInfo, _ key: KeyInfo, _ tree: JSONTree?, _ absent: Int
  ) {
    var ids: [String] = []
    if case .array(let elements)? = tree {
      for (index, one) in elements.enumerated() {
        guard let id = one.id(as: element) else { continue }
        ids.append(id)
        add(site.step(id, element, one, at: String(index)), absent)
      }
    }
    addAbsent(to: site, ids, element, key, absent)
  }

  private mutating func addAbsent(
    to site: Site, _ present: [String], _ element: TypeInfo, _ key: KeyInfo, _ absent: Int
  ) {
    let other = generator.key(key)
    // Ids may have several spellings: one that is there in another spelling is not absent.
    guard !present.contains(where: { $0.lowercased() == other.lowercased() }) else { return }
    add(site.step(other, element, nil), absent)
  }
}
