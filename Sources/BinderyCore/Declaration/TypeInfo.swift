public import BinderyJSON

/// The description of a type without its values.
///
/// It is enough to resolve an address, to decide which methods the address allows, and to write the schema.
@usableFromInline
package final class TypeInfo: Sendable {
  /// The kind of a type, with the descriptions of its parts.
  @usableFromInline
  package indirect enum Kind: Sendable {
    /// A type without parts.
    case scalar(Scalar)
    /// A struct, or a payload with labels.
    case product(ProductInfo)
    /// An enum.
    case sum([CaseInfo])
    /// An optional, with the wrapped type.
    case optional(TypeInfo)
    /// A sequence whose elements have ids.
    case elements(TypeInfo, KeyInfo)
    /// A sequence whose elements have no ids. URLs cannot address its elements.
    case array(TypeInfo)
    /// A set, which is an array in JSON. Its elements have no URLs.
    case set(TypeInfo)
    /// A dictionary, with the value type.
    case dictionary(TypeInfo, KeyInfo)
  }

  /// The name of the Swift type, which is also the name of its schema.
  @usableFromInline package let name: String
  /// The kind of the type.
  @usableFromInline package let kind: Kind
  /// The constraints, in the form of the schema.
  @usableFromInline package let rules: [Rule]
  /// Whether elements can be neither added nor removed, or an optional cannot be filled.
  @usableFromInline package let isFixed: Bool
  /// The title and the description for documentation.
  package let notes: Notes
  /// Whether a value has computed members, in itself or in its parts.
  package let hasGetters: Bool
  /// Whether a value has hidden members, in itself or in its parts.
  package let hasHidden: Bool
  /// Whether a value has stored members with a property observer, in itself or in its parts.
  package let hasObservers: Bool
  /// Whether a value has members that a replacement keeps, hidden or read-only, in itself or in its parts.
  @usableFromInline package let keepsMembers: Bool
  /// Whether a value has collections or further members, in itself or in its parts.
  @usableFromInline package let hasCollections: Bool

  @usableFromInline
  package init(
    name: String, kind: Kind, rules: [Rule] = [], isFixed: Bool = false, notes: Notes = Notes()
  ) {
    self.notes = notes
    self.name = name
    self.kind = kind
    self.rules = rules
    self.isFixed = isFixed
    hasGetters = kind.hasMember(\.isComputed, inPart: \.hasGetters)
    hasHidden = kind.hasMember({ $0.role == .hidden }, inPart: \.hasHidden)
    hasObservers = kind.hasMember({ $0.role == .stored && !$0.isDirectlyStored }, inPart: \.hasObservers)
    keepsMembers = kind.hasMember({ [.hidden, .readOnly].contains($0.role) }, inPart: \.keepsMembers)
    hasCollections = kind.hasCollections
  }

  /// The type without its layers of optionals.
  package var unwrapped: TypeInfo { if case .optional(let wrapped) = kind { wrapped.unwrapped } else { self } }

  /// The member that is the id of a value; nil if values have no ids.
  package var identity: MemberInfo? {
    guard case .product(let product) = kind, let identity = product.identity else { return nil }
    return product.members[identity]
  }

  /// Whether values of two types have the same storage format: they are the same type, except that one may be optional.
  package func hasSameStorage(as other: TypeInfo) -> Bool {
    let types = [self, other].map { type in if case .optional(let wrapped) = type.kind { wrapped } else { type } }
    return types[0] === types[1]
  }

  /// Whether the type has no parts.
  @usableFromInline package var isScalar: Bool { if case .scalar = kind { true } else { false } }

  /// Whether the type is an optional.
  @usableFromInline package var isOptional: Bool { if case .optional = kind { true } else { false } }

  /// Whether the type is an optional of a collection whose elements have ids.
  package var isOptionalCollection: Bool {
    if isOptional, case .elements = unwrapped.kind { true } else { false }
  }

  /// The type of any JSON value, such as a member that an open struct does not declare.
  package static let freeMember = TypeInfo(name: "JSON", kind: .scalar(Scalar(type: nil, example: "{}")))

  /// Returns the type at the end of some steps; nil if a step does not fit the types.
  package func following(_ steps: some Sequence<Step>) -> TypeInfo? {
    var type = self
    for step in steps {
      switch (type.kind, step) {
      case (.product(let product), .member(let index)): type = product.members[index].type
      case (.product, .key): type = .freeMember
      case (.sum(let cases), .payload(let index)):
        guard let payload = cases[index].payload else { return nil }
        type = payload
      case (.optional(let wrapped), .wrapped): type = wrapped
      case (.elements(let element, _), _), (.array(let element), _), (.dictionary(let element, _), _): type = element
      default: return nil
      }
    }
    return type
  }

  /// Returns whether some steps lead to an element of a collection with ids.
  package func hasElement(at steps: ArraySlice<Step>) -> Bool {
    if case .elements? = following(steps.dropLast())?.kind { !steps.isEmpty } else { false }
  }

  /// Returns this description with another name, additional rules, ``isFixed`` set, or other notes.
  @usableFromInline
  func with(
    name: String? = nil, rules additional: [Rule] = [], isFixed: Bool? = nil, notes: Notes? = nil
  ) -> TypeInfo {
    var (kind, rules) = (kind, rules + additional)
    // The rules of an optional scalar are those of its value: JSON Schema applies none of them to null. The type of
    // another value stays the same object, by which ``hasSameStorage(as:)`` compares.
    if case .optional(let wrapped) = kind, wrapped.isScalar, !additional.isEmpty {
      kind = .optional(wrapped.with(rules: additional))
      rules = self.rules
    }
    return TypeInfo(
      name: name ?? self.name, kind: kind, rules: rules, isFixed: isFixed ?? self.isFixed, notes: notes ?? self.notes)
  }
}

/// The members of a struct, or the labels of a payload, in declaration order.
@usableFromInline
package final class ProductInfo: Sendable {
  /// The descriptions of the members.
  @usableFromInline package let members: [MemberInfo]
  /// The index of the member that is the id.
  @usableFromInline package let identity: Int?
  /// The locator of each member.
  @usableFromInline let locators: [MemberLocator]
  /// The length and the first bytes of each member's name, to find a member by its name.
  let beginnings: [UInt64]
  /// The names of the members by their index, in which one of thousands is found quickly.
  let names: NameList
  /// Whether values may have further members, which are free JSON values.
  @usableFromInline package let isOpen: Bool

  /// Creates the description of a struct or payload.
  @usableFromInline
  package init(members: [MemberInfo], identity: Int?, locators: [MemberLocator], isOpen: Bool = false) {
    self.members = members
    self.identity = identity
    self.locators = locators
    self.isOpen = isOpen
    beginnings = members.map { member in
      let bytes = member.bytes
      return bytes.span.beginning
    }
    names = NameList(members.map(\.name))
  }

  /// Returns the indices of the members that a computed member depends on, including hidden ones; nil if it may depend
  /// on all of them.
  package func sources(of member: Int) -> [Int]? {
    members[member].sources?.compactMap(locators.firstIndex)
  }
}

/// The description of a member.
@usableFromInline
package final class MemberInfo: Sendable {
  /// The kind of a member: stored or computed, writable or read-only.
  @usableFromInline
  package enum Role: Sendable {
    /// Stored, readable and writable.
    case stored
    /// Stored, but read-only after creation.
    case readOnly
    /// The id of an element, read-only after creation.
    case identity
    /// Computed by a getter and a setter.
    case computed
    /// Computed by a getter alone.
    case computedReadOnly
    /// Stored with the state, but without an address and not in its JSON.
    case hidden
  }

  /// The name in JSON and in paths.
  @usableFromInline package let name: String
  /// The name in UTF-8.
  let bytes: [UInt8]
  /// The kind of the member.
  @usableFromInline package let role: Role
  /// The description of the member's type.
  @usableFromInline package let type: TypeInfo
  /// Whether a new value may omit the member.
  package let hasDefault: Bool
  /// The members that a computed member depends on; nil if it may depend on all of them.
  @usableFromInline package let sources: [MemberLocator]?
  /// The name as a key in canonical JSON, with its quotes and a colon.
  @usableFromInline package let quotedKey: [UInt8]
  /// The segment of a JSON Pointer, in the form of ``Pointer/json(_:)``.
  @usableFromInline let segment: [UInt8]
  /// Whether a written value is stored unchanged, because neither a setter nor a property observer runs.
  @usableFromInline let isDirectlyStored: Bool
  /// Whether JSON leaves the member out while it is nil.
  @usableFromInline package let omitsNull: Bool
  /// The title and the description for documentation.
  package let notes: Notes
  /// Returns the default in JSON; nil for a required member.
  let defaultJSON: (@Sendable () -> [UInt8])?

  /// Creates the description of a member.
  @usableFromInline
  init(
    _ name: String, _ role: Role, _ type: TypeInfo, hasDefault: Bool = false, sources: [MemberLocator]? = nil,
    isDirectlyStored: Bool = false, omitsNull: Bool = false, notes: Notes = Notes(),
    defaultJSON: (@Sendable () -> [UInt8])? = nil
  ) {
    self.name = name
    bytes = Array(name.utf8)
    self.role = role
    self.type = type
    self.hasDefault = hasDefault
    self.sources = sources
    quotedKey = JSONWriter.precomputedKey(name)
    segment = Pointer.json(name)
    self.isDirectlyStored = isDirectlyStored
    self.omitsNull = omitsNull
    self.notes = notes
    self.defaultJSON = defaultJSON
  }

  /// Whether the member can be written after creation.
  @inlinable package var isWritable: Bool { role == .stored || role == .computed }
  /// Whether the member is computed.
  @inlinable package var isComputed: Bool { role == .computed || role == .computedReadOnly }
  /// Writes the name as a key in canonical JSON.
  ///
  /// A method, because a caller that passed ``quotedKey`` would retain it.
  func writeKey(into writer: inout JSONWriter) { writer.key(precomputed: quotedKey) }
  /// Whether reading the whole member runs a getter.
  @usableFromInline var runsGetters: Bool { isComputed || type.hasGetters }
}

/// Identifies a member within its struct.
@usableFromInline
package enum MemberLocator: @unchecked Sendable, Equatable, CustomStringConvertible {
  // A key path from a literal without captured subscript arguments is immutable, but `AnyKeyPath` is not `Sendable`.
  /// The key path of a member in Swift.
  case keyPath(AnyKeyPath)
  /// The index of a member that a model file declares.
  case index(Int)

  @usableFromInline package var description: String {
    switch self {
    case .keyPath(let path): "\(path)"
    case .index(let index): "\(index)"
    }
  }
}

/// The description of an enum case.
@usableFromInline
package struct CaseInfo: Sendable {
  /// The name in JSON and in paths.
  @usableFromInline package let name: String
  /// The name in UTF-8.
  let bytes: [UInt8]
  /// The segment of a JSON Pointer, in the form of ``Pointer/json(_:)``.
  let segment: [UInt8]
  /// The description of the payload; nil for a case without payload, which has no address.
  @usableFromInline package let payload: TypeInfo?
  /// Whether the payload has labels and therefore is an object in JSON.
  package let isLabelled: Bool

  @usableFromInline
  init(name: String, payload: TypeInfo?, isLabelled: Bool) {
    self.name = name
    self.bytes = Array(name.utf8)
    self.segment = Pointer.json(name)
    self.payload = payload
    self.isLabelled = isLabelled
  }
}

/// The description of the ids of a sequence or the keys of a dictionary.
@usableFromInline
package struct KeyInfo: Sendable {
  /// Parses a key from the UTF-8 of an address segment; returns nil if it is not a valid key.
  @usableFromInline package let parse: @Sendable (Span<UInt8>) -> AnyKey?
  /// Returns the text of the key that JSON describes, which may differ from the JSON; nil if it is not a valid key.
  @usableFromInline package let textOfJSON: @Sendable (JSONNode) -> String?
  /// Whether the text of a key may look like an array index.
  @usableFromInline package let couldBeIndex: Bool
  /// The description of the key's type.
  @usableFromInline package let type: TypeInfo
}

extension TypeInfo.Kind {
  /// Whether values are sequences, sets or dictionaries.
  var hasElements: Bool {
    switch self {
    case .elements, .array, .set, .dictionary: true
    case .scalar, .product, .sum, .optional: false
    }
  }

  fileprivate var hasCollections: Bool {
    if case .product(let product) = self, product.isOpen { return true }
    return hasElements || hasMember({ _ in false }, inPart: \.hasCollections)
  }

  /// Returns whether a member, or a part of the type, has a property.
  fileprivate func hasMember(_ isFound: (MemberInfo) -> Bool, inPart hasFound: (TypeInfo) -> Bool) -> Bool {
    switch self {
    case .scalar: false
    case .optional(let type), .elements(let type, _), .array(let type), .set(let type), .dictionary(let type, _):
      hasFound(type)
    case .sum(let cases): cases.contains { $0.payload.map(hasFound) ?? false }
    case .product(let product): product.members.contains { isFound($0) || hasFound($0.type) }
    }
  }
}
