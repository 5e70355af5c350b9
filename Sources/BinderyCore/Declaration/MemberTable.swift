public import BinderyDigest
public import BinderyJSON

/// A member with its type hidden: what a struct's shape does with each.
@usableFromInline
package final class MemberTable<Root>: Sendable {
  @usableFromInline typealias Write = Shape<Root>.Operations.Descend

  @usableFromInline let info: MemberInfo
  @usableFromInline let path: AnyKeyPathBox
  /// The ``TypedMember`` that says the member's type.
  @usableFromInline let part: any Sendable
  @usableFromInline let encode: @Sendable (Root, inout JSONWriter) -> Void
  @usableFromInline let compare: @Sendable (Root, Root) -> Bool
  @usableFromInline let digest: @Sendable (Root, DigestKey) -> Digest
  @usableFromInline let check: @Sendable (Root, Root?) throws(ValidationError) -> Void
  @usableFromInline let visit: @Sendable (Root, Route, Int, inout ReadOperation) throws(Absence) -> Void
  /// Writes to the member, or to what lies below; nil where it only reads.
  @usableFromInline let apply: Write?
  /// The same for what was kept, which knows hidden and read-only members too; nil where the Swift type has a `let`.
  @usableFromInline let restore: Write?
  /// Writes a whole or partial value sent for a computed member, unless it says what stood there before the request;
  /// returns whether the setter ran.
  @usableFromInline let set: (@Sendable (inout Root, Root, inout Edit) throws(EditError) -> Bool)?
  @usableFromInline let observe: @Sendable (Root?, Root, WatchNode) -> Void
  @usableFromInline let difference: @Sendable (Root, Root, inout PatchBuilder) -> Void
  @usableFromInline let store: @Sendable (Root, inout StoredWriter) -> Void
  /// Whether JSON describes the member as it is.
  @usableFromInline let equals: @Sendable (Root, JSONNode) throws(ValidationError) -> Bool

  @inlinable
  init<Value: Sendable>(
    _ info: MemberInfo, _ path: MemberPath<Root, Value>, _ shape: Shape<Value>,
    apply: Write? = nil, restore: Write? = nil,
    set: (@Sendable (inout Root, Root, inout Edit) throws(EditError) -> Bool)? = nil
  ) {
    let get = path.get
    self.info = info
    self.path = path.name
    self.part = TypedMember(shape: shape, access: path.access)
    self.compare = { [compare = path.areSame] a, b in compare(a, b, shape) }
    self.digest = { root, key in shape.digest(get(root), key) }
    self.check = { root, base throws(ValidationError) in try shape.check(get(root), since: base.map(get)) }
    self.visit = { [visit = path.visit] root, route, index, reading throws(Absence) in
      try visit(root, shape, route, index, &reading)
    }
    let isComputed = info.isComputed
    self.encode = { root, writer in
      // A getter runs once a text, however many slices that has.
      let known = isComputed && writer.isResuming ? writer.takeNote(Value.self) : nil
      let value = known ?? get(root)
      shape.encode(value, into: &writer)
      if isComputed, writer.hasStopped { writer.note(value) }
    }
    // And once a publication: its old value is not made again only to be compared.
    self.observe = { old, new, watch in shape.observe(isComputed ? nil : old.map(get), get(new), watch) }
    self.difference = { old, new, difference in
      shape.difference(from: get(old), to: get(new), under: info.segment, &difference)
    }
    self.store = { root, writer in shape.store(get(root), into: &writer) }
    self.apply = apply
    self.restore = restore ?? apply
    self.set = set
    self.equals = { root, node throws(ValidationError) in
      var decoding = Decoding(.complete)
      return shape.areSame(try shape.decode(node, &decoding), get(root))
    }
  }

  /// Writes through a path; nil where it only reads.
  @inlinable
  static func writing<Value>(
    _ path: MemberPath<Root, Value>, _ shape: Shape<Value>, editsOnly: Bool = false
  ) -> Write? {
    guard let apply = path.apply else { return nil }
    return { root, route, index, edit throws(EditError) in
      if editsOnly { edit.editsOnly = true }
      defer { if editsOnly { edit.editsOnly = false } }
      try apply(&root, shape, route, index, &edit)
    }
  }

  /// Whether two structs have the same member. A method, not inlined: the closure of a property that is called directly
  /// would be retained.
  @usableFromInline
  func areSame(_ a: Root, _ b: Root) -> Bool { compare(a, b) }
}

/// A member's type, for those who know it.
@usableFromInline
struct TypedMember<Root, Value>: Sendable {
  @usableFromInline let shape: Shape<Value>
  @usableFromInline let access: Access<Root, Value>

  @inlinable
  init(shape: Shape<Value>, access: Access<Root, Value>) {
    self.shape = shape
    self.access = access
  }
}

extension MemberInfo {
  @usableFromInline
  init(
    _ name: String, _ role: Role, _ type: TypeInfo, hasDefault: Bool = false, sources: [AnyKeyPathBox]? = nil,
    isPlain: Bool = false
  ) {
    var writer = JSONWriter()
    writer.string(name)
    self.init(
      name: name, bytes: Array(name.utf8), role: role, type: type, hasDefault: hasDefault, sources: sources,
      quotedName: writer.bytes, quotedKey: writer.bytes + [UInt8(ascii: ":")], segment: Pointer.json(name),
      isPlain: isPlain)
  }
}
