public import BinderyDigest
public import BinderyJSON

/// In JSON, `null` or the wrapped value.
///
/// In an optional of an optional, the outer layers are objects, `{"some": …}`, so that `.none` and `.some(.none)`
/// differ.
extension Optional: Editable where Wrapped: Editable {
  /// `null` or the value; in an optional of an optional, `{"some": …}` for the inner one.
  @inlinable public static var shape: EditableShape<Wrapped?> { OptionalShape(wrapped: Wrapped.resolveShape()).shape }
}

/// Implements the operations of an optional's shape.
@usableFromInline
struct OptionalShape<Wrapped: Sendable>: Sendable {
  @usableFromInline let wrapped: EditableShape<Wrapped>
  /// Whether the wrapped value is an optional itself.
  @usableFromInline let isNested: Bool

  @inlinable
  init(wrapped: EditableShape<Wrapped>) {
    self.wrapped = wrapped
    isNested = wrapped.type.isOptional
  }

  @usableFromInline var type: TypeInfo { TypeInfo(name: "\(wrapped.type.name)?", kind: .optional(wrapped.type)) }

  @inlinable var shape: EditableShape<Wrapped?> {
    EditableShape(
      type: type,
      operations: .init(
        encode: { value, writer in
          guard let value else { return writer.null() }
          guard isNested else { return wrapped.encode(value, into: &writer) }
          writer.object(QuotedSome.key) { writer in wrapped.encode(value, into: &writer) }
        },
        decode: { node, decoding throws(ValidationError) in
          guard let inner = try wrappedNode(of: node) else { return nil }
          guard isNested else { return try wrapped.decode(inner, &decoding) }
          return try decoding.part("some") { decoding throws(ValidationError) in try wrapped.decode(inner, &decoding) }
        },
        areSame: { a, b in
          switch (a, b) {
          case (nil, nil): true
          case (let a?, let b?): wrapped.areSame(a, b)
          default: false
          }
        },
        matches: { value, node, comparison in
          // A merge of an empty object has kept the value.
          if isNested, value != nil, comparison.mayOmitAll, node.isEmptyObject { return true }
          guard let value else { return node.isNull }
          guard let inner = try? wrappedNode(of: node) else {
            // A number that is not finite is null, too.
            return node.isNull && !isNested && wrapped.matches(value, node, &comparison)
          }
          return comparison.part(.wrapped) { wrapped.matches(value, inner, &$0) }
        },
        digest: { value, context in
          guard let value else { return context.key.leaf("null".utf8.span) }
          guard isNested else { return wrapped.digest(value, &context) }
          return context.object(QuotedSome.digest) { wrapped.digest(value, &$0) }
        },
        check: wrapped.needsCheck ? check : nil,
        visit: { value, route, index, reading throws(Absence) in
          guard let value else { throw Absence(.nilOptional, depth: index) }
          try wrapped.visit(value, route, index + 1, &reading)
        },
        edit: { value, edit throws(EditError) in try self.edit(&value, &edit) },
        descend: { value, route, index, edit throws(EditError) in try descend(&value, route, index, &edit) },
        construct: { route, index, edit throws(EditError) in try wrapped.construct(route, index + 1, &edit) },
        observe: { old, new, watch in
          guard let new else { return watch.reportAbsenceToChildren(.nilOptional) }
          watch.forEachChild { _, child in wrapped.observe(old ?? nil, new, child) }
        },
        difference: hasPartialDifference ? difference : nil,
        store: { value, writer in
          guard let value else { return writer.writer.null() }
          guard isNested else { return wrapped.store(value, into: &writer) }
          writer.writer.beginObject()
          writer.writer.key(precomputed: QuotedSome.key)
          wrapped.store(value, into: &writer)
          writer.writer.endObject()
        }))
  }

  @inlinable
  func check(_ value: Wrapped?, _ base: Wrapped??) throws(ValidationError) {
    guard let value else { return }
    try addingLayerName { () throws(ValidationError) in try wrapped.check(value, since: base.flatMap { $0 }) }
  }

  /// Whether a change of the wrapped value can be expressed as a change of its parts.
  @inlinable var hasPartialDifference: Bool { isNested || wrapped.operations.difference != nil }

  /// Appends the operations that turn `old` into `new`; returns false if the optional must be replaced as a whole.
  @inlinable
  func difference(_ old: Wrapped?, _ new: Wrapped?, _ difference: inout PatchBuilder) -> Bool {
    switch (old, new) {
    case (nil, nil): break
    case (let old?, let new?) where isNested:
      difference.under("some") { wrapped.difference(from: old, to: new, &$0) }
    case (let old?, let new?): wrapped.difference(from: old, to: new, &difference)
    default: return false
    }
    return true
  }

  /// Sets, edits or removes the wrapped value.
  @inlinable
  func edit(_ value: inout Wrapped?, _ edit: inout Edit) throws(EditError) {
    if edit.operation.kind == .remove {
      edit.wasAbsent = value == nil
      value = nil
      return
    }
    let node = try edit.newValue()
    // As in any object, an omitted member of a merge patch keeps its value (RFC 7396).
    if isNested, value != nil, edit.operation.kind == .merge, node.isEmptyObject { return }
    guard let inner = try EditError.invalidating({ () throws(ValidationError) in try wrappedNode(of: node) }) else {
      value = nil
      return
    }
    let isCreating = edit.isCreating
    try edit.part(inner, .wrapped, isNested ? "some" : nil, isLayer: true) { part throws(EditError) in
      try fill(&value, inner, &part, isCreating: isCreating)
    }
  }

  /// Sets the wrapped value if the optional is nil, otherwise edits it.
  @inlinable
  func fill(
    _ value: inout Wrapped?, _ node: JSONNode, _ edit: inout Edit, isCreating: Bool
  ) throws(EditError) {
    guard let old = value else {
      guard !edit.editsOnly else { throw .absent(Absence(.nilOptional, depth: edit.stepCount - 1)) }
      value = try wrapped.decode(node, for: &edit, creating: isCreating)
      return
    }
    let editsOnly = edit.editsOnly
    edit.editsOnly = editsOnly && isNested
    defer { edit.editsOnly = editsOnly }
    if edit.isReplacing, !editsOnly, wrapped.operations.hasOtherIdentity(old, node) {
      // A value with another id replaces this one as a whole, so its id is not a change of a read-only member.
      value = try wrapped.decode(node, for: &edit, creating: false)
    } else {
      try wrapped.edit(&value!, &edit)
    }
  }

  /// Continues in the wrapped value, or creates it if the edit may create values.
  @inlinable
  func descend(_ value: inout Wrapped?, _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) {
    guard value == nil else {
      edit.editsOnly = edit.editsOnly && isNested
      return try wrapped.apply(&value!, route, index + 1, &edit)
    }
    guard edit.mayCreate(at: index) else { throw .absent(Absence(.nilOptional, depth: index)) }
    guard !edit.editsOnly else { throw .cannotCreate(depth: index) }
    value = .some(try wrapped.construct(route, index + 1, &edit))
    edit.created = true
  }

  /// Returns the JSON of the wrapped value; nil for `null`.
  @usableFromInline
  func wrappedNode(of node: JSONNode) throws(ValidationError) -> JSONNode? {
    if node.isNull { return nil }
    guard isNested else { return node }
    guard node.kind == .object else { throw .wrongType(node, expected: "null or {\"some\": …}") }
    var inner: JSONNode?
    for (key, part) in node.members {
      guard key.isString("some") else {
        let name = key.string ?? ""
        throw ValidationError(
          .unknownMember, "there is no member “\(name)”", expected: "null or {\"some\": …}", at: name)
      }
      guard inner == nil else { throw ValidationError(.duplicateMember, "duplicate member “some”", at: "some") }
      inner = part
    }
    guard let inner else {
      throw ValidationError(.missingMember, "“some” is missing", expected: "null or {\"some\": …}", at: "some")
    }
    return inner
  }

  /// Runs `body` and adds the segment of this layer, if it has one, to the pointer of an error.
  @inlinable
  func addingLayerName<R>(_ body: () throws(ValidationError) -> R) throws(ValidationError) -> R {
    do throws(ValidationError) { return try body() } catch { throw isNested ? error.under("some") : error }
  }
}

/// The name of the layer of a nested optional in canonical JSON.
@usableFromInline
enum QuotedSome {
  @usableFromInline static let digest = NameDigest(Array("\"some\"".utf8))
  /// The name as an object key, with its colon.
  @usableFromInline static let key = Array("\"some\":".utf8)
}
