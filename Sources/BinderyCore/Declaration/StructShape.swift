public import BinderyDigest
public import BinderyJSON

extension Shape where Value: Sendable {
  /// The shape of a struct.
  ///
  /// - Parameters:
  ///   - make: the initializer that takes the stored members; their types are checked against it.
  ///   - members: the stored members, in the order in which they stand in JSON.
  ///   - computed: the computed members, which follow them.
  @inlinable @inline(__always)
  public static func members<each Part: Bindable>(
    _ make: @escaping @Sendable (repeat each Part) -> Value,
    _ members: repeat Member<Value, each Part>,
    computed: [Computed<Value>] = []
  ) -> Shape<Value> {
    var stored: [MemberTable<Value>] = []
    for member in repeat each members { stored.append(member.table) }
    let parts = (repeat each members)
    return StructShape(stored + computed.map { $0.table }) { slots, decoding, key throws(ValidationError) in
      var index = 0
      func next<P>(_ member: Member<Value, P>) throws(ValidationError) -> P {
        defer { index += 1 }
        return try member.value(in: slots[index], &decoding, key)
      }
      return make(repeat try next(each parts))
    }.shape
  }

  /// The shape of a payload with one label: the payload itself is the label's value.
  @inlinable
  static func labelled(_ label: String, _ constraints: [Constraint<Value>]) -> Shape<Value> where Value: Bindable {
    let member = Member<Value, Value>(label, MemberPath(), constraints)
    let object = StructShape([member.table]) { slots, decoding, key throws(ValidationError) in
      try member.value(in: slots[0], &decoding, key)
    }.shape
    let inside = Value.shape.constrained(by: constraints)
    var operations = object.operations
    // The one label counts as part of its case: a `PUT` there makes the payload. And whatever is asked of it is asked
    // of the payload itself.
    operations.areSame = inside.operations.areSame
    operations.visit = { value, route, index, reading throws(Absence) in
      try inside.visit(value, route, index + 1, &reading)
    }
    operations.descend = { value, route, index, edit throws(EditError) in
      try inside.apply(&value, route, index + 1, &edit)
    }
    operations.construct = { route, index, edit throws(EditError) in try inside.construct(route, index + 1, &edit) }
    return object.with(operations, type: object.type)
  }
}

extension Member {
  /// The member of a new value.
  @inlinable
  func value(in slot: JSONNode?, _ decoding: inout Decoding, _ key: AnyKey?) throws(ValidationError) -> Value {
    let implied = key.flatMap { fromKey?($0) }
    guard let slot else {
      if let implied { return implied }
      let takesDefault = decoding.strictness == .creating || decoding.strictness == .stored
      if let fallback, takesDefault || table.info.role == .hidden { return fallback() }
      // What was kept before the member came to be: an optional has a default of its own.
      if decoding.strictness == .stored, let value = try? decode(.nothing, &decoding) { return value }
      throw table.info.isMissing.under(table.info.name)
    }
    let value: Value
    do throws(ValidationError) { value = try decode(slot, &decoding) } catch { throw error.under(table.info.name) }
    if let implied, !Value.shape.areSame(implied, value) {
      throw table.info.isNamed(by: key)
    }
    return value
  }
}

/// What structs, and payloads with labels, have in common.
@usableFromInline
struct StructShape<Value: Sendable>: Sendable {
  @usableFromInline typealias Make = @Sendable ([JSONNode?], inout Decoding, AnyKey?) throws(ValidationError) -> Value

  @usableFromInline let members: [MemberTable<Value>]
  @usableFromInline let stored: [MemberTable<Value>]
  @usableFromInline let shown: [MemberTable<Value>]
  /// Those that are stored, but for the identity.
  @usableFromInline let editable: [MemberTable<Value>]
  /// Those of them that are `let` in Swift.
  @usableFromInline let fixed: [MemberTable<Value>]
  @usableFromInline let identity: Int?
  @usableFromInline let make: Make

  @inlinable
  init(_ members: [MemberTable<Value>], make: @escaping Make) {
    self.members = members
    self.stored = members.filter { !$0.info.isComputed }
    self.editable = stored.filter { $0.info.role != .identity }
    self.fixed = editable.filter { $0.restore == nil }
    self.shown = members.filter { $0.info.role != .hidden }
    self.identity = members.firstIndex { $0.info.role == .identity }
    self.make = make
    requireSources()
  }

  @usableFromInline
  func requireSources() {
    for source in members.flatMap({ $0.info.sources ?? [] }) {
      precondition(
        members.contains { $0.path == source }, "a computed member of \(Value.self) is made from one not listed")
    }
  }

  @usableFromInline var type: TypeInfo {
    let info = ProductInfo(members: members.map(\.info), identity: identity, paths: members.map(\.path))
    return TypeInfo(name: String(describing: Value.self), kind: .product(info))
  }

  @inlinable var shape: Shape<Value> {
    Shape(
      type: type,
      operations: .init(
        encode: encode,
        decode: { node, decoding throws(ValidationError) in try decode(node, &decoding) },
        areSame: { a, b in
          for member in stored where !member.areSame(a, b) { return false }
          return true
        },
        digest: digest,
        check: { value, base throws(ValidationError) in
          for member in stored {
            do throws(ValidationError) { try member.check(value, base) } catch { throw error.under(member.info.name) }
          }
        },
        visit: { value, route, index, reading throws(Absence) in
          guard case .member(let member) = route.steps[index] else { throw Shape<Value>.lost(index) }
          try members[member].visit(value, route, index + 1, &reading)
        },
        edit: { value, edit throws(EditError) in try self.edit(&value, &edit) },
        descend: { value, route, index, edit throws(EditError) in
          guard case .member(let member) = route.steps[index],
            let apply = edit.isRestoring ? members[member].restore : members[member].apply
          else {
            throw .readOnly
          }
          try apply(&value, route, index + 1, &edit)
        },
        // A member cannot be made without its siblings.
        construct: { _, index, _ throws(EditError) in throw .cannotCreate(depth: index) },
        hasOtherIdentity: { value, node in
          guard let identity, let id = node[members[identity].info.name] else { return false }
          return (try? members[identity].equals(value, id)) == false
        },
        observe: observe,
        difference: difference,
        store: store),
      members: members)
  }

  @inlinable
  func observe(_ old: Value?, _ new: Value, _ watch: WatchNode) {
    watch.forEachChild { step, child in
      guard case .member(let index) = step else { return }
      if let old, !mayDiffer(members[index], old, new) { return }
      members[index].observe(old, new, child)
    }
  }

  /// False where a member is computed from others, none of which differs.
  @inlinable
  func mayDiffer(_ member: MemberTable<Value>, _ old: Value, _ new: Value) -> Bool {
    guard let sources = member.info.sources else { return true }
    return members.contains { sources.contains($0.path) && !$0.areSame(old, new) }
  }

  @inlinable
  func encode(_ value: Value, into writer: inout JSONWriter) {
    var index = writer.openObject()
    while index < shown.count {
      if !writer.isResuming { writer.key(precomputed: shown[index].info.quotedKey) }
      shown[index].encode(value, &writer)
      if writer.stops(inside: index) { return }
      index += 1
    }
    writer.endObject()
  }

  @inlinable
  func digest(_ value: Value, _ key: DigestKey) -> Digest {
    var parts: [Digest] = []
    parts.reserveCapacity(shown.count * 2)
    for member in shown {
      let name = member.info.quotedName
      parts.append(key.leaf(name.span))
      parts.append(member.digest(value, key))
    }
    return key.object(parts)
  }

  @inlinable
  func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> Value {
    let key = decoding.takeImpliedKey()
    if decoding.strictness == .stored {
      return try make(try storedSlots(of: node, isExact: decoding.isExact), &decoding, key)
    }
    let slots = try slots(of: node)
    var value = try make(slots, &decoding, key)
    let stored = value
    for (member, slot) in zip(members, slots) where member.info.isComputed {
      do throws(ValidationError) {
        try settle(member, slot, of: &value, &decoding)
      } catch { throw error.under(member.info.name) }
    }
    try requireKept(slots, of: stored, in: value)
    return value
  }

  /// A computed member may not unmake what the same request says of a stored one.
  @inlinable
  func requireKept(_ slots: [JSONNode?], of stored: Value, in value: Value) throws(ValidationError) {
    for (member, slot) in zip(members, slots) where slot != nil && member.info.role == .stored {
      guard member.areSame(stored, value) else {
        throw member.info.isUnmade
      }
    }
  }

  /// A computed member of a new value: it says what the value says already, or its setter runs.
  @inlinable
  func settle(
    _ member: MemberTable<Value>, _ slot: JSONNode?, of value: inout Value, _ decoding: inout Decoding
  ) throws(ValidationError) {
    guard let slot else {
      if decoding.strictness == .exact { throw member.info.isMissing }
      return
    }
    if try member.equals(value, slot) { return }
    guard let apply = member.apply, decoding.strictness != .exact else {
      throw member.info.isImplied
    }
    let before = value
    var edit = Edit(.replace(slot), along: .here)
    do throws(EditError) {
      try apply(&value, .here, 0, &edit)
    } catch .invalid(let invalid) {
      throw invalid
    } catch {
      throw member.info.isRefused
    }
    if try !member.equals(value, slot) {
      decoding.outcome = max(decoding.outcome, member.areSame(before, value) ? .dropped : .adjusted)
    }
  }

  /// The members of an object, each at its place in the shape.
  @usableFromInline
  func slots(of node: JSONNode) throws(ValidationError) -> [JSONNode?] {
    guard node.kind == .object else { throw .wrongType(node, expected: "an object") }
    var slots = [JSONNode?](repeating: nil, count: members.count)
    var next = 0
    for (key, part) in node.members {
      // What was written by a program comes in order: look at the expected place first.
      var index: Int? = next < members.count && members[next].info.isNamed(key) ? next : nil
      if index == nil { index = members.firstIndex { $0.info.isNamed(key) } }
      guard let index else {
        let name = key.string ?? ""
        throw ValidationError(.unknownMember, "there is no member “\(name)”", expected: names, at: name)
      }
      guard slots[index] == nil else {
        throw ValidationError(
          .duplicateMember, "“\(members[index].info.name)” stands twice", at: members[index].info.name)
      }
      slots[index] = part
      next = index + 1
    }
    return slots
  }

  private var names: String {
    "one of " + members.filter { $0.info.role != .hidden }.map(\.info.name).joined(separator: ", ")
  }
}

extension MemberInfo {
  fileprivate func isNamed(_ key: JSONNode) -> Bool { role != .hidden && key.isString(name) }
}

/// What is said of a member that cannot be what was sent: apart, so that none of it is copied into models.
extension MemberInfo {
  @usableFromInline var isMissing: ValidationError { ValidationError(.missingMember, "“\(name)” is missing") }

  @usableFromInline var isUnmade: ValidationError {
    ValidationError(
      .conflictingMembers, "a computed member of the same request makes “\(name)” something else", at: name)
  }

  @usableFromInline var isImplied: ValidationError {
    ValidationError(.readOnlyMember, "“\(name)” follows from the other members")
  }

  @usableFromInline var isRefused: ValidationError { ValidationError(.value, "“\(name)” does not take that value") }

  @usableFromInline var cannotChange: ValidationError {
    ValidationError(.readOnlyMember, "“\(name)” cannot be changed", at: name)
  }

  @usableFromInline
  func isNamed(by key: AnyKey?) -> ValidationError {
    ValidationError(.readOnlyMember, "the address says \(key?.text ?? "")", at: name)
  }
}

extension EditError {
  @usableFromInline static var readOnly: EditError {
    .invalid(ValidationError(.readOnlyMember, "the address goes through a read-only member"))
  }
}

extension JSONNode {
  /// `null`.
  @usableFromInline static let nothing: JSONNode = {
    guard let document = try? JSONDocument(parsing: Array("null".utf8)) else { preconditionFailure("null is JSON") }
    return document.root
  }()
}
