import Bindings
import Digests
import JSON

/// A member with its type hidden: what a struct's shape does with each.
package final class MemberTable<Root>: Sendable {
  typealias Write = @Sendable (inout Root, Route, Int, inout Edit) throws(Refusal) -> Void

  let info: MemberInfo
  let path: AnyKeyPathBox
  /// The ``TypedMember`` that says the member's type.
  let part: any Sendable
  let encode: @Sendable (Root, inout JSONWriter) -> Void
  let areSame: @Sendable (Root, Root) -> Bool
  let digest: @Sendable (Root, DigestKey) -> Digest
  let check: @Sendable (Root, Root?) throws(Invalid) -> Void
  let visit: @Sendable (Root, Route, Int, inout Reading) throws(Absence) -> Void
  /// Writes to the member, or to what lies below; nil where it only reads.
  let apply: Write?
  /// The same for what was kept, which knows hidden and read-only members too; nil where the Swift type has a `let`.
  let restore: Write?
  /// Writes a whole or partial value sent for a computed member, unless it says what stood there before the request;
  /// returns whether the setter ran.
  let set: (@Sendable (inout Root, Root, inout Edit) throws(Refusal) -> Bool)?
  let observe: @Sendable (Root?, Root, Watch) -> Void
  let difference: @Sendable (Root, Root, inout Difference) -> Void
  let store: @Sendable (Root, inout StoredWriter) -> Void
  /// Whether JSON describes the member as it is.
  let equals: @Sendable (Root, JSONNode) throws(Invalid) -> Bool

  init<Value>(
    _ info: MemberInfo, _ path: any KeyPath<Root, Value> & Sendable, _ shape: Shape<Value>,
    access: Access<Root, Value>? = nil,
    apply: Write? = nil, restore: Write? = nil,
    set: (@Sendable (inout Root, Root, inout Edit) throws(Refusal) -> Bool)? = nil
  ) {
    self.info = info
    self.path = AnyKeyPathBox(path: path)
    let name = info.name
    self.part = TypedMember(
      shape: shape,
      access: access
        ?? Access(
          read: { root throws(Absence) in root[keyPath: path] },
          modify: { _, _ in throw Invalid(.readOnlyMember, "“\(name)” is read-only", at: name) }))
    self.encode = { root, writer in shape.encode(root[keyPath: path], into: &writer) }
    self.areSame = { a, b in shape.areSame(a[keyPath: path], b[keyPath: path]) }
    self.digest = { root, key in shape.digest(root[keyPath: path], key) }
    self.check = { root, base throws(Invalid) in
      try shape.check(root[keyPath: path], since: base?[keyPath: path])
    }
    self.visit = { root, route, index, reading throws(Absence) in
      try shape.visit(root[keyPath: path], route, index, &reading)
    }
    // A getter runs once a publication: its old value is not made again only to be compared.
    let isComputed = info.isComputed
    self.observe = { old, new, watch in
      shape.observe(isComputed ? nil : old?[keyPath: path], new[keyPath: path], watch)
    }
    self.difference = { old, new, difference in
      shape.difference(from: old[keyPath: path], to: new[keyPath: path], &difference)
    }
    self.store = { root, writer in shape.store(root[keyPath: path], into: &writer) }
    self.apply = apply
    self.restore = restore ?? apply
    self.set = set
    self.equals = { root, node throws(Invalid) in
      var decoding = Decoding(.complete)
      return shape.areSame(try shape.decode(node, &decoding), root[keyPath: path])
    }
  }
}

/// A member's type, for those who know it.
struct TypedMember<Root, Value>: Sendable {
  let shape: Shape<Value>
  let access: Access<Root, Value>
}

extension MemberInfo {
  init(_ name: String, _ role: Role, _ type: TypeInfo, hasDefault: Bool = false, sources: [AnyKeyPathBox]? = nil) {
    var writer = JSONWriter()
    writer.string(name)
    self.init(
      name: name, role: role, type: type, hasDefault: hasDefault, sources: sources,
      quotedKey: writer.bytes + [UInt8(ascii: ":")])
  }

  /// The member's name as canonical JSON.
  var quotedName: [UInt8] { Array(quotedKey.dropLast()) }
}
