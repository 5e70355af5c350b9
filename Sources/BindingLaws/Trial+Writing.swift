import BinderyCore
import BinderyJSON

/// Laws of what is written.
extension Trial {
  mutating func checkMember(_ value: Model, _ site: Site, _ route: Route) {
    guard let now = site.tree else { return }
    // set(get(s), s) = s, by either verb
    for verb in [Verb.put, .patch] {
      let same = written(verb, now, to: value, route)
      expect(
        same.map { bytes($0) == bytes(value) && shape.areSame($0, value) } ?? false, .member, site,
        "writing what is there (\(verb)) is refused or changes something", value, now)
    }
    let (a, b) = (makePart(site), makePart(site))
    guard let one = written(.put, a, to: value, route), let two = written(.put, b, to: value, route),
      let first = tree(one, route)?.withoutComputed(site.type),
      let second = tree(two, route)?.withoutComputed(site.type)
    else { return }
    // get(set(a, s)) = a
    if !site.type.hasComputed {
      expect(isEqual(one, route, a), .member, site, "what is read is not what was written", value, a, first)
    }
    let again = written(.put, first, to: value, route)
    expect(
      again.map { bytes($0) == bytes(one) } ?? false, .member, site, "what is read cannot be written",
      value, a, first)
    // set(b, set(a, s)) = set(b, s)
    let last = written(.put, second, to: one, route)
    expect(
      last.map { bytes($0) == bytes(two) } ?? false, .member, site, "a write leaves something of the one before it",
      value, first, second)
    checkWholes(value, one, site)
  }

  /// b[p][q] = b[p ∘ q] for writing: a place written is its container written with the place in it.
  private mutating func checkWholes(_ value: Model, _ result: Model, _ site: Site) {
    for cut in site.segments.indices {
      let outer = Array(site.segments[..<cut])
      guard let route = resolve(outer, isPositional: site.isPositional), route.isWritable,
        let whole = tree(result, route)?.withoutComputed(route.target)
      else { continue }
      let other = written(.put, whole, to: value, route)
      expect(
        other.map { bytes($0) == bytes(result) } ?? false, .composition, site,
        "writing the place is not writing “\(Pointer.text(outer))” with the place in it", value, whole)
    }
  }

  mutating func checkMerge(_ value: Model, _ site: Site, _ route: Route, _ sites: [Site]) {
    switch site.type.unwrapped.kind {
    case .product, .sum, .dictionary: break
    case .scalar, .optional, .elements, .array: return
    }
    let depth = site.segments.count + 1
    for part in sites where part.segments.count == depth && part.path.hasPrefix(site.path + "/") {
      guard part.tree != nil, !part.isComputed, let inner = self.route(to: part), inner.isWritable,
        let name = part.segments.last
      else { continue }
      let sent = makePart(part)
      let outside = write(.patch, .object(name, sent), to: value, route)
      let inside = write(.patch, sent, to: value, inner)
      let agree =
        switch (outside, inside) {
        case (.success(let a), .success(let b)): bytes(a) == bytes(b)
        case (.failure, .failure): true
        default: false
        }
      expect(agree, .merge, part, "merging the member is not writing the place", value, sent)
    }
  }

  mutating func checkCases(_ value: Model, _ site: Site, _ route: Route) {
    guard case .sum(let cases) = site.type.kind else { return }
    for one in cases {
      guard let payload = one.payload else {
        let result = written(.put, .string(one.name), to: value, route)
        let isThere = result.flatMap { tree($0, route)?.text } == JSONTree.string(one.name).text
        expect(isThere, .case, site, "the case “\(one.name)” cannot be chosen", value)
        continue
      }
      let sent = generator.value(of: payload).keepingReadOnly(of: site.tree?[one.name], payload)
      guard let inner = resolve(site.segments + [one.name], isPositional: site.isPositional),
        let result = written(.put, sent, to: value, inner)
      else { continue }
      // extract(embed(a)) = a
      let embedded = tree(result, inner)
      let whole = tree(result, route)
      let isExtracted = payload.hasComputed ? embedded != nil : isEqual(result, inner, sent)
      expect(
        isExtracted && whole?.text == embedded.map { JSONTree.object(one.name, $0).text }, .case, site,
        "what was embedded in “\(one.name)” is not extracted", value, sent)
    }
  }

  mutating func checkOptional(_ value: Model, _ site: Site, _ route: Route) {
    guard case .optional(let wrapped) = site.type.kind, let none = written(.put, .null, to: value, route) else {
      return
    }
    if case .optional = wrapped.kind, let some = written(.put, .object("some", .null), to: value, route) {
      let differ =
        bytes(none) != bytes(some) && !shape.areSame(none, some)
        && shape.digest(none, key) != shape.digest(some, key)
      expect(differ, .optional, site, ".none and .some(.none) are taken for the same", value)
    }
    let list = SiteList(of: wrapped, tree: .null, generator: generator)
    generator = list.generator
    for inside in list.sites.dropFirst().prefix(8) {
      let below: [String] = if case .optional = wrapped.kind { ["some"] } else { [] }
      guard let inner = resolve(site.segments + below + inside.segments, isPositional: site.isPositional) else {
        continue
      }
      expect(
        (try? read(none, inner).get()) == nil, .optional, site, "a value is remembered after nil was written", value)
      if inner.isWritable {
        let back = written(.patch, generator.value(of: inside.type), to: none, inner)
        expect(back == nil, .optional, site, "a value is brought back after nil was written", value)
      }
    }
  }

  mutating func checkAbsence(_ value: Model, _ site: Site, _ route: Route) {
    guard case .failure(let absence) = read(value, route), let document = generator.value(of: site.type).document else {
      return
    }
    for operation in [Edit.Operation.merge(document.root), .replace(document.root), .remove] {
      if case .remove = operation, !route.canDelete { continue }
      var draft = value
      var edit = Edit(operation, along: route)
      var refusal: EditError?
      do throws(EditError) { try shape.apply(&draft, route, 0, &edit) } catch { refusal = error }
      // A removal of what may be removed finds nothing to do.
      let isRefused = refusal == .absent(absence) || (edit.wasAbsent && refusal == nil)
      expect(isRefused, .affine, site, "what is absent can be written: \(String(describing: refusal))", value)
      expect(bytes(draft) == bytes(value), .affine, site, "a refused write has changed something", value)
    }
  }

  /// Something to write to a place, with what cannot be changed there as it is.
  private mutating func makePart(_ site: Site) -> JSONTree {
    generator.value(of: site.type).keepingReadOnly(of: site.tree, site.type)
  }
}
