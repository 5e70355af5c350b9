/// What is known of a type without its values: enough to resolve an address, to say what may be done there, and to
/// describe it in a schema.
@usableFromInline
package final class TypeInfo: Sendable {
  @usableFromInline
  package indirect enum Kind: Sendable {
    case scalar(Scalar)
    case product(ProductInfo)
    case sum([CaseInfo])
    case optional(TypeInfo)
    /// A sequence whose elements have ids.
    case elements(TypeInfo, KeyInfo)
    /// A sequence without ids: a leaf in URLs.
    case array(TypeInfo)
    case dictionary(TypeInfo, KeyInfo)
  }

  /// The Swift type's name, which names its schema.
  @usableFromInline package let name: String
  @usableFromInline package let kind: Kind
  /// What constraints add to the schema.
  @usableFromInline package let rules: [Rule]
  /// Elements can be neither added nor removed; an optional cannot be filled.
  @usableFromInline package let isFixed: Bool

  @usableFromInline
  package init(name: String, kind: Kind, rules: [Rule] = [], isFixed: Bool = false) {
    self.name = name
    self.kind = kind
    self.rules = rules
    self.isFixed = isFixed
  }

  /// Whether it has no parts.
  @usableFromInline package var isScalar: Bool { if case .scalar = kind { true } else { false } }

  /// The type at the end of some steps.
  package func following(_ steps: some Sequence<Step>) -> TypeInfo? {
    var type = self
    for step in steps {
      switch (type.kind, step) {
      case (.product(let product), .member(let index)): type = product.members[index].type
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

  @usableFromInline
  func with(rules more: [Rule]) -> TypeInfo {
    more.isEmpty ? self : TypeInfo(name: name, kind: kind, rules: rules + more, isFixed: isFixed)
  }

  @usableFromInline var fixed: TypeInfo { TypeInfo(name: name, kind: kind, rules: rules, isFixed: true) }
}

/// A type without parts.
@usableFromInline
package struct Scalar: Sendable {
  /// JSON Schema: type, format and an example in canonical JSON.
  package let type: String
  package let format: String?
  package let pattern: String?
  package let example: String

  @usableFromInline
  package init(type: String, format: String? = nil, pattern: String? = nil, example: String) {
    self.type = type
    self.format = format
    self.pattern = pattern
    self.example = example
  }
}

/// The members of a struct, or the labels of a payload, in declaration order.
@usableFromInline
package struct ProductInfo: Sendable {
  @usableFromInline package let members: [MemberInfo]
  /// Which member is the id.
  @usableFromInline package let identity: Int?
  /// Where each member stands in the Swift type.
  @usableFromInline let paths: [AnyKeyPathBox]

  /// The members that a computed one is made from, hidden ones included; nil where it may depend on all of them.
  package func sources(of member: Int) -> [Int]? {
    members[member].sources?.compactMap(paths.firstIndex)
  }
}

@usableFromInline
package struct MemberInfo: Sendable {
  @usableFromInline
  package enum Role: Sendable {
    case stored, readOnly, identity, computed, computedReadOnly
    /// Kept with the state, but neither in its JSON nor in its addresses.
    case hidden
  }

  @usableFromInline package let name: String
  /// The name in UTF-8.
  let bytes: [UInt8]
  @usableFromInline package let role: Role
  @usableFromInline package let type: TypeInfo
  package let hasDefault: Bool
  /// The members that a computed one is made from; nil where it may depend on all of them.
  @usableFromInline package let sources: [AnyKeyPathBox]?
  /// `"name"` as it stands in canonical JSON.
  @usableFromInline package let quotedName: [UInt8]
  /// The same with its colon.
  @usableFromInline package let quotedKey: [UInt8]
  /// The segment of a pointer, as ``Pointer/json(_:)`` spells it.
  @usableFromInline let segment: [UInt8]
  /// What is written there stands there, because no setter and no observer runs.
  let isPlain: Bool

  @inlinable package var isWritable: Bool { role == .stored || role == .computed }
  @inlinable package var isComputed: Bool { role == .computed || role == .computedReadOnly }
}

/// A key path as a value that may cross threads.
@usableFromInline
package struct AnyKeyPathBox: @unchecked Sendable, Equatable {
  // Key paths made of literals without captured subscripts are immutable; `AnyKeyPath` cannot say so.
  @usableFromInline package let path: AnyKeyPath

  @inlinable
  init(path: AnyKeyPath) { self.path = path }

  @inlinable
  package static func == (a: AnyKeyPathBox, b: AnyKeyPathBox) -> Bool { a.path == b.path }
}

@usableFromInline
package struct CaseInfo: Sendable {
  @usableFromInline package let name: String
  /// The name in UTF-8.
  let bytes: [UInt8]
  /// The segment of a pointer, as ``Pointer/json(_:)`` spells it.
  let segment: [UInt8]
  /// nil for a case without payload, which has no address.
  @usableFromInline package let payload: TypeInfo?
  /// The payload has labels, and so is an object.
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

/// How the ids of a sequence or the keys of a dictionary are spelled.
@usableFromInline
package struct KeyInfo: Sendable {
  package let parse: @Sendable (Span<UInt8>) -> AnyKey?
  package let couldBeIndex: Bool
  package let type: TypeInfo

  @usableFromInline
  init<K: Key & Bindable>(_: K.Type) {
    self.parse = { text in K(keyText: text).map(TypedKey.init) }
    self.couldBeIndex = K.couldBeIndex
    self.type = K.shape.type
  }
}

/// One constraint, as a schema says it.
@usableFromInline
package enum Rule: Sendable, Hashable {
  case minimum(Int)
  case maximum(Int)
  case minimumLength(Int)
  case maximumLength(Int)
  case maximumBytes(Int)
  case minimumCount(Int)
  case maximumCount(Int)
  case pattern(String)
  case described(String)
}
