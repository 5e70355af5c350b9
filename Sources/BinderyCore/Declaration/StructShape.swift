public import BinderyDigest
public import BinderyJSON

extension EditableShape where Value: Sendable {
  /// Creates the shape of a struct.
  ///
  /// - Parameters:
  ///   - make: The initializer that takes the stored members. The compiler checks their types against it.
  ///   - members: The stored members, in the order in which they appear in JSON.
  ///   - computed: The computed members, which follow the stored ones in JSON.
  @inlinable @inline(__always)
  public static func members<each Part: Editable>(
    _ make: @escaping @Sendable (repeat each Part) -> Value,
    _ members: repeat StoredMember<Value, each Part>,
    computed: [ComputedMember<Value>] = []
  ) -> EditableShape<Value> {
    var stored: [MemberTable<Value>] = []
    for member in repeat each members { stored.append(member.table) }
    // Only closures are called in the expansion: a generic function would look up the metadata of each type.
    let readers = (repeat (each members).read)
    return StructShape(stored + computed.map { $0.table }) { slots, decoding, key throws(ValidationError) in
      var index = -1
      func next() -> Int {
        index += 1
        return index
      }
      do throws(ValidationError) { return make(repeat try (each readers)(slots, next(), &decoding, key)) } catch {
        var failure = try decoding.collected(error)
        // The members after the failed one may have errors, too.
        let failed = index
        index = -1
        for read in repeat each readers {
          if next() <= failed { continue }
          do throws(ValidationError) { _ = try read(slots, index, &decoding, key) } catch {
            failure = try decoding.collected(error)
          }
        }
        throw failure
      }
    }.shape
  }

  /// Creates the shape of a case payload with one label.
  ///
  /// In JSON the payload is an object with one member; in Swift it is that member's value.
  ///
  /// - Parameter fallback: Returns the value of a missing member; nil if it is required.
  @inlinable
  static func labelled(
    _ label: String, _ payloadShape: EditableShape<Value>, named name: String = String(describing: Value.self),
    _ fallback: (@Sendable () -> Value)? = nil
  ) -> EditableShape<Value> {
    let path = MemberPath<Value, Value>()
    let info = MemberInfo(
      label, .stored, payloadShape.type, hasDefault: fallback != nil, isDirectlyStored: path.isDirectlyStored,
      defaultJSON: payloadShape.json(of: fallback))
    let table = MemberTable(info, path, payloadShape, apply: MemberTable.writing(path, payloadShape))
    let reader = MemberReader(info, payloadShape, fallback)
    let object = StructShape([table], named: name) { slots, decoding, key throws(ValidationError) in
      try reader.value(in: slots[0], &decoding, key)
    }.shape
    var operations = object.operations
    // In an address, the label belongs to its case: a `PUT` to the label creates the payload. Each operation therefore
    // skips the step of the label and continues with the payload.
    operations.areSame = payloadShape.operations.areSame
    operations.visit = { value, route, index, reading throws(Absence) in
      try payloadShape.visit(value, route, index + 1, &reading)
    }
    operations.descend = { value, route, index, edit throws(EditError) in
      try payloadShape.applyToPart(&value, route, index + 1, &edit)
    }
    operations.construct = { route, index, edit throws(EditError) in
      try payloadShape.construct(route, index + 1, &edit)
    }
    operations.hasOtherIdentity = { value, node in
      node[label].map { payloadShape.operations.hasOtherIdentity(value, $0) } ?? false
    }
    return object.with(operations, type: object.type)
  }
}

/// Implements the operations of the shape of a struct, or of a case payload with labels.
@usableFromInline
struct StructShape<Value: Sendable>: Sendable {
  @usableFromInline typealias Make =
    @Sendable (borrowing MemberNodes, inout Decoding, AnyKey?) throws(ValidationError) -> Value

  /// The name of the type in the schema.
  @usableFromInline let name: String
  /// All members, in declaration order.
  @usableFromInline let members: [MemberTable<Value>]
  /// The same as ``members``, for what each request calls.
  @usableFromInline let memberChain: Chain<MemberTable<Value>>?
  /// The members that are not computed.
  @usableFromInline let stored: [MemberTable<Value>]
  /// The same as ``stored``, for what each request calls.
  @usableFromInline let storedChain: Chain<MemberTable<Value>>?
  /// The members that appear in JSON.
  @usableFromInline let visible: [MemberTable<Value>]
  /// The same as ``visible``, for what each request calls.
  @usableFromInline let visibleChain: Chain<MemberTable<Value>>?
  /// The stored members whose values can violate a constraint.
  @usableFromInline let constrained: [MemberTable<Value>]
  /// The stored members except the id.
  @usableFromInline let editable: [MemberTable<Value>]
  /// The stored members except the id that are `let` in Swift.
  @usableFromInline let immutable: [MemberTable<Value>]
  /// The names of the members in JSON.
  @usableFromInline let names: MemberNames
  /// The indices of the computed members.
  @usableFromInline let computed: [Int]
  /// The indices of the members in JSON that are compared with their values before a write: the computed and the
  /// read-only ones.
  @usableFromInline let compared: [Int]
  /// The index of the id.
  @usableFromInline let identity: Int?
  /// Creates a value from the JSON of its members.
  @usableFromInline let make: Make
  /// The members of an open struct that its type does not declare; nil if a value has no others.
  @usableFromInline let free: FreeMembers<Value>?

  @inlinable
  init(
    _ members: [MemberTable<Value>], named name: String = String(describing: Value.self), isChecked: Bool = true,
    free: FreeMembers<Value>? = nil, make: @escaping Make
  ) {
    self.free = free
    self.name = name
    self.members = members
    self.memberChain = .of(members)
    self.stored = members.filter { !$0.info.isComputed }
    self.storedChain = .of(stored)
    self.constrained = stored.filter { $0.check != nil }
    self.editable = stored.filter { $0.info.role != .identity }
    self.immutable = editable.filter { $0.restore == nil }
    self.visible = members.filter { $0.info.role != .hidden }
    self.visibleChain = .of(visible)
    self.names = MemberNames(members.map(\.info))
    self.computed = members.indices.filter { members[$0].info.isComputed }
    self.compared = members.indices.filter { ![.stored, .hidden].contains(members[$0].info.role) }
    self.identity = members.firstIndex { $0.info.role == .identity }
    self.make = make
    if isChecked { requireConsistency() }
  }

  @usableFromInline var type: TypeInfo {
    let info = ProductInfo(
      members: members.map(\.info), identity: identity, locators: members.map(\.locator), isOpen: free != nil)
    return TypeInfo(name: name, kind: .product(info))
  }

  @inlinable var shape: EditableShape<Value> {
    EditableShape(
      type: type,
      operations: .init(
        encode: encode,
        decode: { node, decoding throws(ValidationError) in try decode(node, &decoding) },
        areSame: { a, b in
          if storedChain?.allSatisfy({ member, _ in member.areSame(a, b) }) == false { return false }
          return free?.areSame(a, b) ?? true
        },
        matches: matches,
        digest: digest,
        check: constrained.isEmpty ? nil : check,
        visit: { value, route, index, reading throws(Absence) in
          guard case .member(let member) = route.steps[index] else {
            guard let free else { throw EditableShape<Value>.mismatchedStep(index) }
            return try free.visit(value, route, index, &reading)
          }
          try members[member].read(value, route, index + 1, &reading)
        },
        edit: { value, edit throws(EditError) in try self.edit(&value, &edit) },
        descend: { value, route, index, edit throws(EditError) in try descend(&value, route, index, &edit) },
        // A member cannot be created without its siblings.
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
  func check(_ value: Value, _ base: Value?) throws(ValidationError) {
    for index in constrained.indices {
      do throws(ValidationError) { try constrained[index].check?(value, base) } catch {
        throw error.under(constrained[index].info.name)
      }
    }
  }

  @inlinable
  func encode(_ value: Value, into writer: inout JSONWriter) {
    let order = free?.order(of: value, &writer)
    let start = writer.openObject()
    let isComplete = visibleChain?.allSatisfy(from: start) { member, index in
      member.write(value, into: &writer)
      return !writer.stops(inside: index)
    }
    if isComplete == false {
      order?.save(in: &writer)
      return
    }
    if let free, let order,
      free.encode(order, into: &writer, from: max(start, visible.count), offset: visible.count)
    {
      order.save(in: &writer)
      return
    }
    writer.endObject()
  }

  @inlinable
  func matches(_ value: Value, _ node: JSONNode, _ comparison: inout Comparison) -> Bool {
    guard let slots = try? slots(of: node), let others = try? freeParts(of: node) else { return false }
    if let free, !free.matches(value, others, comparison) { return false }
    for (index, member) in members.enumerated() where member.info.role != .hidden {
      guard let slot = slots[index] else {
        if comparison.mayOmit(member.info) || member.omits(value) { continue }
        return false
      }
      if comparison.ignores(member.info) { continue }
      guard comparison.part(.member(index), { member.matches(value, slot, &$0) }) else { return false }
    }
    return true
  }

  @inlinable
  func digest(_ value: Value, _ context: inout DigestContext) -> Digest {
    context.key.object(count: visible.count + (free?.count(in: value) ?? 0)) { parts in
      for index in visible.indices { visible[index].addDigests(of: value, to: &parts, &context) }
      free?.addDigests(of: value, to: &parts, &context)
    }
  }

  @inlinable
  func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> Value {
    let key = decoding.takeImpliedKey()
    if let report = decoding.report { return try decode(node, &decoding, report) }
    if decoding.strictness == .stored {
      var value = try make(try storedSlots(of: node), &decoding, key)
      try free?.decode(try freeParts(of: node), into: &value)
      return value
    }
    let slots = try slots(of: node)
    var value = try make(slots, &decoding, key)
    if let free {
      let parts = try freeParts(of: node)
      try free.decode(decoding.isMerging ? parts.filter { !$1.isNull } : parts, into: &value)
    }
    if computed.isEmpty { return value }
    let stored = value
    var hasRun = false
    for index in computed {
      do throws(ValidationError) {
        if try applyComputed(members[index], slots[index], of: &value, &decoding) { hasRun = true }
      } catch { throw error.under(members[index].info.name) }
    }
    // A setter may have changed what another member of the request describes.
    if hasRun, computed.count > 1, decoding.outcome == .applied {
      for index in computed {
        if let slot = slots[index], try !members[index].equals(value, slot) { decoding.outcome = .adjusted }
      }
    }
    try requireUnchanged(slots, of: stored, in: value, isMerging: decoding.isMerging)
    return value
  }

  /// Checks that the setter of a computed member did not change what the same request sets of a stored member.
  ///
  /// - Parameter isMerging: Whether the request sets only the parts of a member that it names.
  @inlinable
  func requireUnchanged(
    _ slots: borrowing MemberNodes, of stored: Value, in value: Value, isMerging: Bool
  ) throws(ValidationError) {
    for (index, member) in members.enumerated() where slots[index] != nil && member.info.role == .stored {
      if member.areSame(stored, value) { continue }
      var comparison = Comparison(omitting: .writable)
      guard isMerging, let slot = slots[index], member.matches(value, slot, &comparison) else {
        throw member.info.conflictError
      }
    }
  }

  /// Applies the JSON of a computed member to a new value.
  ///
  /// The setter runs only if the JSON differs from the value that the stored members give.
  ///
  /// - Returns: whether the setter ran.
  @inlinable
  func applyComputed(
    _ member: MemberTable<Value>, _ slot: JSONNode?, of value: inout Value, _ decoding: inout Decoding
  ) throws(ValidationError) -> Bool {
    guard let slot else {
      if decoding.strictness == .exact { throw member.info.missingError }
      return false
    }
    if try member.equals(value, slot) { return false }
    guard let apply = member.apply, decoding.strictness != .exact else {
      throw member.info.derivedError
    }
    let before = value
    var edit = Edit(.replace(slot), along: .here)
    do throws(EditError) {
      try apply(&value, .here, 0, &edit)
    } catch .invalid(let invalid) {
      throw invalid
    } catch {
      throw member.info.rejectedError
    }
    if try !member.equals(value, slot) {
      decoding.outcome = max(decoding.outcome, member.areSame(before, value) ? .dropped : .adjusted)
    }
    return true
  }

  /// Reads the JSON of an edit like ``slots(of:)``, and throws its error as that of the edit.
  @usableFromInline
  func slots(ofEdit node: consuming JSONNode) throws(EditError) -> MemberNodes {
    do throws(ValidationError) { return try slots(of: node) } catch { throw .invalid(error) }
  }

  /// Returns the JSON of each member, by the member's index in the shape.
  ///
  /// - Throws: ``ValidationError`` if an object member is unknown, hidden or duplicate.
  @usableFromInline
  func slots(of node: consuming JSONNode) throws(ValidationError) -> MemberNodes {
    let slots = try names.nodes(in: node)
    // Tested first, because an iteration retains even an empty array.
    if slots.others.isEmpty { return slots }
    for (name, index) in slots.others {
      if let index { throw members[index].info.duplicateError }
      if !isFree(name.string ?? "") { throw unknownMember(name) }
    }
    return slots
  }

  /// Returns the error for a name in JSON that is not the name of a visible member.
  func unknownMember(_ key: JSONNode) -> ValidationError {
    let name = key.string ?? ""
    if free != nil, LargestID.isName(name) {
      return ValidationError(.unknownMember, "names that end in “#last” are reserved for the server", at: name)
    }
    let names = visible.map(\.info.name)
    let expected = names.isEmpty ? "no member" : "one of " + names.joined(separator: ", ")
    return ValidationError(.unknownMember, "there is no member “\(name)”", expected: expected, at: name)
  }

  /// Notifies the watchers of members that may have changed.
  @inlinable
  func observe(_ old: Value?, _ new: Value, _ watch: WatchNode) {
    watch.forEachChild { step, child in
      guard case .member(let index) = step else { return }
      if let old, !mayDiffer(members[index], old, new) { return }
      members[index].observe(old, new, child)
    }
    free?.observe(old, new, watch)
  }

  /// Returns false if the member is computed and none of its sources differs.
  @inlinable
  func mayDiffer(_ member: MemberTable<Value>, _ old: Value, _ new: Value) -> Bool {
    guard let sources = member.info.sources else { return true }
    return members.contains { sources.contains($0.locator) && !$0.areSame(old, new) }
  }
}

extension EditError {
  /// The error for a path through a read-only member.
  @usableFromInline static var readOnly: EditError {
    .invalid(ValidationError(.readOnlyMember, "the path leads through a read-only member"))
  }
}
