import BinderyCore
import BinderyJSON

/// Checks of writing.
extension LawChecker {
  /// Checks the lens laws at a present place.
  mutating func checkMember(_ value: Value, _ target: LawTarget, _ route: Route) {
    guard let current = target.tree else { return }
    // set(get(s), s) = s, by PUT and PATCH
    for verb in target.type.hasOptionalEntries ? [Verb.put] : [.put, .patch] {
      let same = writtenValue(verb, current, to: value, route)
      expect(
        same.map { bytes($0) == bytes(value) && shape.areSame($0, value) } ?? false, .member, target,
        "writing the current content (\(verb)) is rejected or changes something", value, current)
    }
    let a = generateReplacement(target)
    guard let withA = writtenValue(.put, a, to: value, route),
      let readA = tree(withA, route)?.withoutComputed(target.type)
    else { return }
    // Where the value has no optional or another case than the result, `a` has set read-only members.
    let b = generateReplacement(target).preservingReadOnly(of: readA, target.type)
    // get(set(a, s)) = a
    if !target.type.hasGetters {
      expect(
        isEqual(withA, route, a), .member, target, "reading returns another value than was written", value, a, readA)
    }
    let again = writtenValue(.put, readA, to: value, route)
    expect(
      again.map { bytes($0) == bytes(withA) } ?? false, .member, target,
      "writing the content that was read does not have the same result", value, a, readA)
    // set(b, set(a, s)) = set(b, s). Elements that a replacement keeps also keep what a write cannot set.
    if target.type.keepsMembers, target.type.hasCollections || (target.type.hasHidden && target.type.hasGetters) {
      return
    }
    guard let withB = writtenValue(.put, b, to: value, route),
      let readB = tree(withB, route)?.withoutComputed(target.type)
    else { return }
    let last = writtenValue(.put, readB, to: withA, route)
    expect(
      last.map { bytes($0) == bytes(withB) } ?? false, .member, target,
      "the result of a write depends on the previous write", value, readA, readB)
    checkContainers(value, withA, target)
    // An initializer may not keep what a write sets, so that the state would change when it is loaded again.
    if (try? shape.check(withA)) != nil { checkRestoring(withA) }
  }

  /// Checks b[p][q] = b[p ∘ q] for writing: writing a place is equivalent to writing any container of it, changed at
  /// that place.
  private mutating func checkContainers(_ value: Value, _ result: Value, _ target: LawTarget) {
    for cut in target.segments.indices {
      let outer = Array(target.segments[..<cut])
      guard let route = resolve(outer, isPositional: target.isPositional), route.isWritable,
        let container = tree(result, route)?.withoutComputed(route.target)
      else { continue }
      let rewritten = writtenValue(.put, container, to: value, route)
      expect(
        rewritten.map { bytes($0) == bytes(result) } ?? false, .composition, target,
        "writing the place differs from writing “\(Pointer.text(outer))” with the same change", value, container)
    }
  }

  /// Checks that merging an object with one member is equivalent to merging into that member.
  mutating func checkMerge(_ value: Value, _ target: LawTarget, _ route: Route, _ targets: [LawTarget]) {
    switch target.type.unwrapped.kind {
    case .product, .sum, .dictionary: break
    case .scalar, .optional, .elements, .array, .set: return
    }
    let depth = target.segments.count + 1
    for child in targets where child.segments.count == depth && child.isBelow(target) {
      guard child.tree != nil, !child.isComputed, let inner = self.route(to: child), inner.isWritable,
        let name = child.segments.last
      else { continue }
      let sent = generateReplacement(child)
      // In a merge into a dictionary, null removes the entry (RFC 7396).
      if case .dictionary = target.type.unwrapped.kind, case .null = sent { continue }
      let viaParent = write(.patch, .object(name, sent), to: value, route)
      let direct = write(.patch, sent, to: value, inner)
      let agree =
        switch (viaParent, direct) {
        case (.success(let a), .success(let b)): bytes(a) == bytes(b)
        case (.failure, .failure): true
        default: false
        }
      expect(agree, .merge, child, "merging into the parent differs from merging into the place", value, sent)
    }
  }

  /// Checks that every case can be selected, and that its payload can be read back.
  mutating func checkCases(_ value: Value, _ target: LawTarget, _ route: Route) {
    guard case .sum(let cases) = target.type.kind else { return }
    for enumCase in cases {
      guard let payload = enumCase.payload else {
        let result = writtenValue(.put, .string(enumCase.name), to: value, route)
        let isActive = result.flatMap { tree($0, route)?.text } == JSONTree.string(enumCase.name).text
        expect(isActive, .case, target, "the case “\(enumCase.name)” cannot be selected", value)
        continue
      }
      let sent = generator.value(of: payload).preservingReadOnly(of: target.tree?[enumCase.name], payload)
      guard let inner = resolve(target.segments + [enumCase.name], isPositional: target.isPositional),
        let result = writtenValue(.put, sent, to: value, inner)
      else { continue }
      // extract(embed(a)) = a
      let embedded = tree(result, inner)
      let enumValue = tree(result, route)
      let isExtracted = payload.hasGetters ? embedded != nil : isEqual(result, inner, sent)
      expect(
        isExtracted && enumValue?.text == embedded.map { JSONTree.object(enumCase.name, $0).text }, .case, target,
        "reading the payload of “\(enumCase.name)” returns another value than was written", value, sent)
    }
  }

  /// Checks that nil discards the wrapped value, and that `.none` and `.some(.none)` differ.
  mutating func checkOptional(_ value: Value, _ target: LawTarget, _ route: Route) {
    guard case .optional(let wrapped) = target.type.kind, let none = writtenValue(.put, .null, to: value, route) else {
      return
    }
    if case .optional = wrapped.kind, let some = writtenValue(.put, .object("some", .null), to: value, route) {
      let differ =
        bytes(none) != bytes(some) && !shape.areSame(none, some)
        && shape.digest(none, key) != shape.digest(some, key)
      expect(differ, .optional, target, ".none and .some(.none) are regarded as equal", value)
    }
    let list = LawTargetList(of: wrapped, tree: .null, generator: generator)
    generator = list.generator
    for inside in list.targets.dropFirst().prefix(8) {
      let below: [String] = if case .optional = wrapped.kind { ["some"] } else { [] }
      guard let inner = resolve(target.segments + below + inside.segments, isPositional: target.isPositional) else {
        continue
      }
      expect(
        (try? read(none, inner).get()) == nil, .optional, target, "the wrapped value can be read after nil was written",
        value)
      if inner.isWritable {
        let merged = writtenValue(.patch, generator.value(of: inside.type), to: none, inner)
        expect(merged == nil, .optional, target, "merging restores the wrapped value after nil was written", value)
      }
    }
  }

  /// Checks that writing below an absent place is rejected and changes nothing.
  mutating func checkAbsence(_ value: Value, _ target: LawTarget, _ route: Route) {
    guard case .failure(let absence) = read(value, route), let document = generator.value(of: target.type).document
    else {
      return
    }
    for operation in [Edit.Operation.merge(document.root), .replace(document.root), .remove] {
      if operation.kind == .remove, !route.canDelete { continue }
      var draft = value
      var edit = Edit(operation, along: route)
      var failure: EditError?
      do throws(EditError) { try shape.apply(&draft, route, 0, &edit) } catch { failure = error }
      // Removing an absent but removable place succeeds without effect.
      let isRejected = failure == .absent(absence) || (edit.wasAbsent && failure == nil)
      expect(isRejected, .affine, target, "an absent place can be written: \(String(describing: failure))", value)
      // The removal of an element that a computed collection does not have calls its setter, which may normalize.
      if target.isComputed, failure == nil { continue }
      expect(bytes(draft) == bytes(value), .affine, target, "a rejected write changed the value", value)
    }
  }

  /// Returns a random value to write to a target, with the current values of read-only members.
  private mutating func generateReplacement(_ target: LawTarget) -> JSONTree {
    generator.value(of: target.type).preservingReadOnly(of: target.tree, target.type)
  }
}
