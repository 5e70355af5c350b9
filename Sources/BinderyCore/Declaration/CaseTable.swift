public import BinderyDigest
public import BinderyJSON

/// The operations of an enum case, with the payload's type erased.
@usableFromInline
final class CaseTable<Root>: Sendable {
  /// The description of the case.
  @usableFromInline let info: CaseInfo
  /// Returns whether the case is active.
  @usableFromInline let isActive: @Sendable (Root) -> Bool
  /// Writes the value; returns false if the case is not active.
  @usableFromInline let encode: @Sendable (Root, inout JSONWriter) -> Bool
  @usableFromInline let decode: @Sendable (JSONNode?, inout Decoding) throws(ValidationError) -> Root
  @usableFromInline let areSame: @Sendable (Root, Root) -> Bool
  /// Returns whether the case is active and JSON describes its payload.
  @usableFromInline let matches: @Sendable (Root, JSONNode?, inout Comparison) -> Bool
  @usableFromInline let digest: @Sendable (Root, inout DigestContext) -> Digest?
  @usableFromInline let check: @Sendable (Root, Root?) throws(ValidationError) -> Void
  /// Reads a place in the payload; returns false if the case is not active.
  @usableFromInline let visit: @Sendable (Root, Route, Int, inout ReadOperation) throws(Absence) -> Bool
  /// Edits a place in the payload; returns false if the case is not active.
  @usableFromInline let apply: @Sendable (inout Root, Route, Int, inout Edit) throws(EditError) -> Bool
  /// Notifies the watchers in the payload; returns false if the case is not active.
  @usableFromInline let observe: @Sendable (Root?, Root, WatchNode) -> Bool
  /// Appends the difference of two payloads; returns false if the case is not active in both values.
  @usableFromInline let difference: @Sendable (Root, Root, inout PatchBuilder) -> Bool
  @usableFromInline let store: @Sendable (Root, inout StoredWriter) -> Void
  @usableFromInline
  let construct: @Sendable (Route, Int, inout Edit) throws(EditError) -> Root

  /// Creates the table of a case without payload.
  @inlinable
  init(_ name: String, _ value: Root, isActive: @escaping @Sendable (Root) -> Bool) where Root: Sendable {
    let quoted = JSONWriter.quoted(name)
    info = CaseInfo(name: name, payload: nil, isLabelled: false)
    self.isActive = isActive
    let nameDigest = NameDigest(quoted)
    encode = { root, writer in
      guard isActive(root) else { return false }
      writer.raw(quoted)
      return true
    }
    store = { _, writer in writer.writer.raw(quoted) }
    decode = { _, _ throws(ValidationError) in value }
    areSame = { isActive($0) && isActive($1) }
    matches = { root, node, _ in node == nil && isActive(root) }
    digest = { root, context in isActive(root) ? nameDigest.digest(context.key) : nil }
    check = { _, _ throws(ValidationError) in }
    visit = { _, _, _, _ throws(Absence) in false }
    apply = { _, _, _, _ throws(EditError) in false }
    observe = { _, _, _ in false }
    difference = { a, b, _ in isActive(a) && isActive(b) }
    construct = { _, index, _ throws(EditError) in throw .cannotCreate(depth: index) }
  }

  /// Creates the table of a case with a payload.
  @inlinable
  init<Payload: Sendable>(
    _ name: String, _ path: CasePath<Root, Payload>, _ shape: EditableShape<Payload>, isLabelled: Bool
  ) {
    let quoted = JSONWriter.quoted(name)
    let key = quoted + [UInt8(ascii: ":")]
    let segment = Pointer.json(name)
    let nameDigest = NameDigest(quoted)
    info = CaseInfo(name: name, payload: shape.type, isLabelled: isLabelled)
    isActive = { path.extract($0) != nil }
    encode = { root, writer in
      guard let payload = path.extract(root) else { return false }
      writer.object(key) { writer in shape.encode(payload, into: &writer) }
      return true
    }
    store = { root, writer in
      guard let payload = path.extract(root) else { return writer.writer.null() }
      writer.writer.beginObject()
      writer.writer.key(precomputed: key)
      shape.store(payload, into: &writer)
      writer.writer.endObject()
    }
    decode = { node, decoding throws(ValidationError) in
      guard let node else { throw .missingPayload(name) }
      return path.embed(
        try decoding.part(name) { decoding throws(ValidationError) in try shape.decode(node, &decoding) })
    }
    areSame = { a, b in
      guard let a = path.extract(a), let b = path.extract(b) else { return false }
      return shape.areSame(a, b)
    }
    matches = { root, node, comparison in
      guard let node, let payload = path.extract(root) else { return false }
      return shape.matches(payload, node, &comparison)
    }
    digest = { root, context in
      guard let payload = path.extract(root) else { return nil }
      return context.object(nameDigest) { shape.digest(payload, &$0) }
    }
    check = { root, base throws(ValidationError) in
      guard let payload = path.extract(root) else { return }
      do throws(ValidationError) {
        try shape.check(payload, since: base.flatMap(path.extract))
      } catch { throw error.under(name) }
    }
    visit = { root, route, index, reading throws(Absence) in
      guard let payload = path.extract(root) else { return false }
      try shape.visit(payload, route, index, &reading)
      return true
    }
    apply = { root, route, index, edit throws(EditError) in
      guard var payload = path.extract(root) else { return false }
      try shape.applyToPart(&payload, route, index, &edit)
      root = path.embed(payload)
      return true
    }
    observe = { old, new, watch in
      guard let payload = path.extract(new) else { return false }
      shape.observe(old.flatMap(path.extract), payload, watch)
      return true
    }
    difference = { old, new, difference in
      guard let old = path.extract(old), let new = path.extract(new) else { return false }
      shape.difference(from: old, to: new, under: segment, &difference)
      return true
    }
    construct = { route, index, edit throws(EditError) in path.embed(try shape.construct(route, index, &edit)) }
  }

  // Methods that are not inlinable, because a direct call of a closure property would retain the closure.

  /// Writes the value; returns false if the case is not active.
  @usableFromInline
  func write(_ root: Root, into writer: inout JSONWriter) -> Bool { encode(root, &writer) }

  /// Edits the payload; returns false if the case is not active or has no payload.
  ///
  /// - Parameters:
  ///   - node: The index of the payload's value in the JSON of the edit.
  ///   - index: The index of the case in the shape.
  @usableFromInline
  func edit(_ root: inout Root, _ node: Int, at index: Int, _ edit: inout Edit) throws(EditError) -> Bool {
    try edit.part(at: node, .payload(index), info.name) { part throws(EditError) in try apply(&root, .here, 0, &part) }
  }

  /// Returns the digest of the value; nil if the case is not active.
  @usableFromInline
  func digest(of root: Root, _ context: inout DigestContext) -> Digest? { digest(root, &context) }
}
