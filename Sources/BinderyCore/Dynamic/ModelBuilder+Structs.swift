import BinderyJSON
import BinderyText
import FoundationEssentials

extension ModelBuilder {
  /// Returns the shape of a struct.
  mutating func structure(_ declaration: StructDeclaration, named name: String, at pointer: String) -> Shape {
    if let unusable = declaration.members.first(where: { !Pointer.isMemberName($0.name) }) {
      return failure("no URL can address a member named “\(unusable.name)”", at: unusable.pointer) ?? Self.anyShape
    }
    if let duplicate = declaration.members.map(\.name).firstDuplicate {
      let pointer = declaration.members.last { $0.name == duplicate }?.pointer ?? pointer
      return failure("two members have the name “\(duplicate)”", at: pointer) ?? Self.anyShape
    }
    if let generated = declaration.members.first(where: {
      $0.isGenerated && !$0.name.isSame(as: declaration.identity ?? "")
    }) {
      fail("only the id of an element can be generated", at: generated.pointer)
    }
    if let identity = declaration.identity, declaration.slot(of: identity) == nil {
      return failure("there is no stored member “\(identity)”, which should be the id", at: pointer) ?? Self.anyShape
    }
    let numbered = numberedCollections(of: declaration)
    if let taken = numbered.values.lazy.compactMap({ declaration.member(named: $0.name) }).first {
      return failure(
        "the store needs the name “\(taken.name)” for the largest generated id: rename this member", at: taken.pointer)
        ?? Self.anyShape
    }
    var tables: [MemberTable<DynamicValue>] = []
    var readers: [(reader: MemberReader<DynamicValue>, slot: Int)] = []
    for member in declaration.stored {
      guard let slot = declaration.slot(of: member.name) else { continue }
      let (table, reader) = stored(
        member, of: declaration, slot, numbered[String.UTF8View.Bytes(member.name)], index: tables.count, typeName: name
      )
      tables.append(table)
      readers.append((reader, slot))
    }
    for collection in numbered.values.sorted(by: { $0.lastSlot < $1.lastSlot }) {
      let (table, reader) = Self.hiddenNumber(collection, index: tables.count)
      tables.append(table)
      readers.append((reader, collection.lastSlot))
    }
    for member in declaration.computed {
      guard let table = computed(member, of: declaration, index: tables.count, typeName: name) else { continue }
      tables.append(table)
    }
    let (count, isOpen) = (readers.count, declaration.isOpen)
    return StructShape(tables, named: name, isChecked: false, free: isOpen ? Self.freeMembers(at: count) : nil) {
      [readers] slots, decoding, key throws(ValidationError) in
      var values = [DynamicValue](repeating: .null, count: isOpen ? count + 1 : count)
      if isOpen { values[count] = .freeMembers([:]) }
      var failure: ValidationError?
      for index in readers.indices {
        do throws(ValidationError) {
          values[readers[index].slot] = try readers[index].reader.value(in: slots[index], &decoding, key)
        } catch { failure = try decoding.collected(error) }
      }
      if let failure { throw failure }
      return .record(values)
    }.shape
  }

  private mutating func stored(
    _ member: MemberDeclaration, of declaration: StructDeclaration, _ slot: Int, _ numbered: NumberedCollection?,
    index: Int, typeName: String
  ) -> (MemberTable<DynamicValue>, MemberReader<DynamicValue>) {
    let shape = memberShape(member, of: declaration, typeName: typeName)
    let isIdentity = declaration.identity.map(member.name.isSame) ?? false
    var isReadOnly = isIdentity || member.isReadOnly
    if case .remembered = member.source { isReadOnly = true }
    let fallback = fallback(of: member, shape, isIdentity: isIdentity)
    let info = MemberInfo(
      member.name, isIdentity ? .identity : isReadOnly ? .readOnly : .stored, shape.type,
      hasDefault: fallback != nil || member.isGenerated,
      isDirectlyStored: !isReadOnly, omitsNull: member.omitsNull, notes: member.notes)
    let path = MemberPath(index: index, slot: slot, readOnly: isReadOnly ? member.name : nil, apply: numbered?.write)
    var restore: MemberTable<DynamicValue>.Write?
    if isReadOnly, !isIdentity {
      let write = MemberPath.write(slot)
      restore = { root, route, index, edit throws(EditError) in try write(&root, shape, route, index, &edit) }
    }
    var isOmitted: (@Sendable (DynamicValue) -> Bool)?
    if member.omitsNull { isOmitted = { $0.member(slot).isNull } }
    let table = MemberTable(
      info, path, shape, isOmitted: isOmitted, apply: MemberTable.writing(path, shape), restore: restore)
    return (table, MemberReader(info, shape, fallback, fromKey: isIdentity ? Self.idFromKey : nil))
  }

  /// Returns the members that the type does not declare.
  ///
  /// - Parameter slot: Their index in the value.
  private static func freeMembers(at slot: Int) -> FreeMembers<DynamicValue> {
    FreeMembers(
      get: { if case .freeMembers(let members) = $0.member(slot) { members } else { [:] } },
      set: { root, members in root.editMember(slot) { $0 = .freeMembers(members) } })
  }

  /// Returns the hidden member that keeps the largest id of a collection.
  private static func hiddenNumber(
    _ collection: NumberedCollection, index: Int
  ) -> (MemberTable<DynamicValue>, MemberReader<DynamicValue>) {
    let integer = shape(of: ScalarDeclaration(.integer))
    var operations = integer.operations
    // No patch contains it: adding an element updates it, and undoing that must not lower it.
    operations.areSame = { _, _ in true }
    let shape = integer.with(operations, type: integer.type)
    let info = MemberInfo(collection.name, .hidden, shape.type, hasDefault: true)
    let path = MemberPath<DynamicValue, DynamicValue>(index: index, slot: collection.lastSlot)
    let table = MemberTable(info, path, shape, restore: MemberTable.writing(path, shape))
    return (table, MemberReader(info, shape, { .integer(0) }))
  }

  private mutating func memberShape(
    _ member: MemberDeclaration, of declaration: StructDeclaration, typeName: String
  ) -> Shape {
    switch member.source {
    case .stored(let schema):
      allowsNumberedIDs = isNumbered(schema)
      defer { allowsNumberedIDs = false }
      let shape = shape(of: schema, named: member.name.typeName)
      return member.omitsNull ? optional(shape, at: member.pointer) : shape
    case .remembered(let place):
      guard let remembered = rememberedCase(place, in: declaration) else { return Self.anyShape }
      return shape(of: remembered.payload, named: member.name.typeName).optional
    case .computed, .compiled: return Self.anyShape
    }
  }

  /// Returns the shape of a member that JSON leaves out while it is null.
  private mutating func optional(_ shape: Shape, at pointer: String) -> Shape {
    switch shape.type.kind {
    case .optional: return shape
    // Null is not one of its values then: it is the nil of the optional.
    case .scalar(let scalar) where scalar.type == nil: return shape.optional
    default: return failure("only a member that may be null can be left out", at: pointer) ?? shape
    }
  }

  /// Returns the id of a new element from its address.
  private static let idFromKey: @Sendable (AnyKey) -> DynamicValue? = { key in
    if let id = key.typed(String.self) { return .text(id) }
    if let id = key.typed(Int.self) { return .integer(id) }
    if let id = key.typed(UUID.self) { return .uuid(id) }
    return key.typed(CalendarDay.self).map(DynamicValue.day)
  }

  /// Returns a closure that creates the default of a member; nil for a required member.
  mutating func fallback(
    of member: MemberDeclaration, _ shape: Shape, isIdentity: Bool
  ) -> (@Sendable () -> DynamicValue)? {
    if member.isGenerated { return generatedID(member, shape) }
    if let constant = member.fallback {
      guard let value = value(constant, of: shape) else { return nil }
      return { value }
    }
    if member.isRequired || isIdentity { return nil }
    guard let value = Self.naturalDefault(of: shape) else {
      return failure("“\(member.name)” needs a default, or must be in “required”", at: member.pointer)
    }
    return { value }
  }

  /// Returns the default of a type without a declared one: null, an empty collection, or a struct of defaults.
  private static func naturalDefault(of shape: Shape) -> DynamicValue? {
    let text =
      switch shape.type.kind {
      case .optional: "null"
      case .elements, .array, .set: "[]"
      case .dictionary, .product: "{}"
      case .scalar(let scalar): scalar.type == nil ? "null" : ""
      case .sum: ""
      }
    guard let node = try? StoredPatch.parse(Array(text.utf8)) else { return nil }
    var decoding = Decoding(.creating)
    return try? shape.decode(node, &decoding)
  }

  private mutating func generatedID(_ member: MemberDeclaration, _ shape: Shape) -> (@Sendable () -> DynamicValue)? {
    guard case .scalar(let scalar) = shape.type.kind, shape.type.rules.isEmpty, scalar.values.isEmpty else {
      return failure("a generated id cannot have constraints", at: member.pointer)
    }
    switch (scalar.type, scalar.format) {
    case ("string"?, "uuid"?): return { .uuid(UUID()) }
    case ("string"?, nil): return { .text(Self.randomID()) }
    // The collection generates integers, because it knows those that were used.
    case ("integer"?, _): return nil
    default: return failure("the server can generate UUIDs, strings and integers", at: member.pointer)
    }
  }

  /// Returns 16 random bytes in base64url (RFC 4648 §5), without padding.
  private static func randomID() -> String {
    var random = SystemRandomNumberGenerator()
    return Base64URL.encoded((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }

  private mutating func computed(
    _ member: MemberDeclaration, of declaration: StructDeclaration, index: Int, typeName: String
  ) -> MemberTable<DynamicValue>? {
    guard let part = part(member, of: declaration, typeName: typeName, through: []) else { return nil }
    let plain = shape(of: part.schema, named: part.typeName)
    let shape = part.isFixed ? plain.withFixedElements : plain
    let sources = part.sources.compactMap { declaration.storedIndex(of: $0) }.map(MemberLocator.index)
    let path = MemberPath(index: index, computed: part.access, named: member.name)
    let isWritable = part.access.set != nil
    let info = MemberInfo(
      member.name, isWritable ? .computed : .computedReadOnly, shape.type, sources: sources, notes: member.notes)
    guard isWritable else { return MemberTable(info, path, shape) }
    return MemberTable(computed: info, path, shape, part.isFixed ? .editsOnly : .free)
  }
}
