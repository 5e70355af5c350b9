public import BinderyDigest
public import BinderyJSON

/// The description of a ``Editable`` type: its members or cases, and the operations on its values.
///
/// Create a shape with ``members(_:_:computed:)`` for a struct, ``cases(_:)`` for an enum, ``rawValues(_:)`` for an
/// enum with raw values, or ``scalar(_:as:_:format:pattern:examples:expected:encode:decode:)`` for another type without
/// parts. The shapes of optionals, sequences, sets and dictionaries are derived from their elements.
public final class EditableShape<Value>: Sendable {
  /// The description of the type without its values.
  @usableFromInline package let type: TypeInfo
  /// The operations on values of the type.
  @usableFromInline package let operations: Operations
  /// The members of a struct; empty for other types.
  @usableFromInline let members: [MemberTable<Value>]
  /// The cases of an enum; empty for other types.
  @usableFromInline let cases: [CaseTable<Value>]

  @inlinable
  init(
    type: TypeInfo, operations: Operations, members: [MemberTable<Value>] = [], cases: [CaseTable<Value>] = []
  ) {
    self.type = type
    self.operations = operations
    self.members = members
    self.cases = cases
  }

  /// Returns this shape with other operations and another type description.
  @inlinable
  func with(_ operations: Operations, type: TypeInfo) -> EditableShape {
    EditableShape(type: type, operations: operations, members: members, cases: cases)
  }

  /// Returns the listed member at a key path, with its index; nil if the shape does not list it.
  ///
  /// - Complexity: O(*n*) in the number of members.
  @usableFromInline
  func member(at path: AnyKeyPath) -> (Int, MemberTable<Value>)? {
    guard let index = members.firstIndex(where: { $0.locator == .keyPath(path) }) else { return nil }
    return (index, members[index])
  }

  /// Returns the index of the case with a name; nil if the shape does not list it.
  @usableFromInline
  func index(ofCase name: String) -> Int? { cases.firstIndex { $0.info.name.isSame(as: name) } }

  /// Returns the name of the active case; nil if the shape does not list it.
  @usableFromInline
  func activeCase(of value: Value) -> String? { cases.first { $0.isActive(value) }?.info.name }
}

extension EditableShape {
  /// Writes a value as canonical JSON.
  @inlinable
  package func encode(_ value: Value, into writer: inout JSONWriter) { operations.encode(value, &writer) }

  /// Decodes a value from JSON.
  ///
  /// - Throws: ``ValidationError`` if the JSON does not fit the type or a constraint.
  @inlinable
  package func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> Value {
    try operations.decode(node, &decoding)
  }

  /// Returns the number of elements of a value; nil for types other than collections.
  package func elementCount(of value: Value) -> Int? { operations.elementCount?(value) }

  /// Returns whether two values have equal canonical encodings, hidden members included.
  @inlinable
  package func areSame(_ a: Value, _ b: Value) -> Bool { operations.areSame(a, b) }

  /// Returns the digest of a value, from which its ETag is made. It depends on the canonical encoding alone.
  @usableFromInline
  package func digest(_ value: Value, _ key: DigestKey) -> Digest {
    var context = DigestContext(key)
    return digest(value, &context)
  }

  /// Returns the digest of a value that is part of another one.
  ///
  /// Without collections it is the digest of the canonical JSON: one hash, and a response needs that JSON as well. With
  /// collections it is composed from the digests of the parts, so that unchanged parts are not encoded again. A struct
  /// that gets its first collection therefore gets another ETag with the same content.
  @usableFromInline
  func digest(_ value: Value, _ context: inout DigestContext) -> Digest {
    guard type.hasCollections, let digest = operations.digest else { return context.json(value, operations.encode) }
    return digest(value, &context)
  }

  /// Checks the constraints of a value that Swift code created, only where it differs from `base`.
  ///
  /// - Throws: ``ValidationError`` for the first constraint that does not hold.
  @inlinable
  package func check(_ value: Value, since base: Value? = nil) throws(ValidationError) {
    try operations.check?(value, base)
  }

  /// Whether a value of the type can violate a constraint.
  @inlinable var needsCheck: Bool { operations.check != nil }

  /// Whether a value as a whole has constraints, in addition to those of its parts.
  @inlinable var hasConstraints: Bool { operations.hasConstraints }

  /// Returns the error for a step that does not fit the type.
  ///
  /// Routes are resolved against the same types, so this never happens for a resolved route.
  @inlinable
  static func mismatchedStep(_ index: Int) -> Absence { Absence(.noSuchElement(""), depth: index) }
}

extension EditableShape {
  /// The operations of a shape, as closures over the concrete types.
  ///
  /// They are created where the types are concrete, so that the compiler specializes them and no type metadata is
  /// looked up per request. For this reason every function from the declaration to here is inlinable.
  @usableFromInline
  package struct Operations: Sendable {
    @usableFromInline typealias Encode = @Sendable (Value, inout JSONWriter) -> Void
    @usableFromInline typealias Decode = @Sendable (JSONNode, inout Decoding) throws(ValidationError) -> Value
    @usableFromInline typealias AreSame = @Sendable (Value, Value) -> Bool
    @usableFromInline typealias Matches = @Sendable (Value, JSONNode, inout Comparison) -> Bool
    @usableFromInline typealias MakeDigest = @Sendable (Value, inout DigestContext) -> Digest
    @usableFromInline typealias Check = @Sendable (Value, Value?) throws(ValidationError) -> Void
    @usableFromInline typealias Visit = @Sendable (Value, Route, Int, inout ReadOperation) throws(Absence) -> Void
    @usableFromInline typealias Change = @Sendable (inout Value, inout Edit) throws(EditError) -> Void
    @usableFromInline typealias Descend = @Sendable (inout Value, Route, Int, inout Edit) throws(EditError) -> Void
    @usableFromInline typealias Construct = @Sendable (Route, Int, inout Edit) throws(EditError) -> Value
    @usableFromInline typealias Observe = @Sendable (Value?, Value, WatchNode) -> Void
    @usableFromInline typealias FindDifference = @Sendable (Value, Value, inout PatchBuilder) -> Bool
    @usableFromInline typealias StoreValue = @Sendable (Value, inout StoredWriter) -> Void

    /// Writes the canonical JSON.
    @usableFromInline var encode: Encode
    /// Decodes a value from JSON.
    @usableFromInline var decode: Decode
    /// Returns whether two values have equal canonical encodings, hidden members included.
    @usableFromInline var areSame: AreSame
    /// Returns whether JSON describes the value. Hidden members are not compared.
    @usableFromInline var matches: Matches
    /// Returns the digest of a value with collections, which depends on the canonical encoding alone.
    @usableFromInline var digest: MakeDigest?
    /// Checks the constraints of a value that Swift code created, only where it differs from the base. Nil if every
    /// value is valid.
    @usableFromInline var check: Check?
    /// Whether the value as a whole has constraints, in addition to those of its parts.
    @usableFromInline var hasConstraints = false
    /// Follows the next step of a route and continues reading there.
    @usableFromInline var visit: Visit
    /// Applies an edit to the value itself.
    @usableFromInline var edit: Change
    /// Follows the next step of a route and continues editing there.
    @usableFromInline var descend: Descend
    /// Creates a value from the request JSON and the rest of a route, for a `PUT` that creates.
    @usableFromInline var construct: Construct
    /// Returns whether JSON describes a value with another id.
    @usableFromInline var hasOtherIdentity: @Sendable (Value, JSONNode) -> Bool
    /// Returns the number of elements; nil for types other than collections.
    @usableFromInline var elementCount: (@Sendable (Value) -> Int)?
    /// Writes one page of a sequence; nil for types without pages.
    @usableFromInline var page: (@Sendable (Value, Page, inout ReadOperation) -> Void)?
    /// Notifies the watchers of parts of the value; called only if the value differs from the old one.
    @usableFromInline var observe: Observe
    /// Appends the operations that turn one value into another.
    ///
    /// Returns false and appends nothing if the value can only be replaced as a whole. Nil means: always.
    @usableFromInline var difference: FindDifference?
    /// Writes the value in its storage format; nil if that is its JSON.
    @usableFromInline var store: StoreValue?

    @inlinable
    init(
      encode: @escaping Encode, decode: @escaping Decode, areSame: @escaping AreSame,
      matches: Matches? = nil, digest: MakeDigest? = nil, check: Check?, visit: @escaping Visit,
      edit: @escaping Change,
      descend: @escaping Descend, construct: @escaping Construct,
      hasOtherIdentity: @escaping @Sendable (Value, JSONNode) -> Bool = { _, _ in false },
      elementCount: (@Sendable (Value) -> Int)? = nil,
      page: (@Sendable (Value, Page, inout ReadOperation) -> Void)? = nil, observe: @escaping Observe = { _, _, _ in },
      difference: FindDifference? = nil, store: StoreValue? = nil
    ) {
      self.encode = encode
      self.decode = decode
      self.areSame = areSame
      // The default is for types without parts: other types compare part by part.
      self.matches =
        matches ?? { value, node, _ in
          var decoding = Decoding(.complete)
          guard let other = try? decode(node, &decoding) else { return false }
          return areSame(value, other)
        }
      self.digest = digest
      self.check = check
      self.visit = visit
      self.edit = edit
      self.descend = descend
      self.construct = construct
      self.hasOtherIdentity = hasOtherIdentity
      self.elementCount = elementCount
      self.page = page
      self.observe = observe
      self.difference = difference
      self.store = store
    }
  }
}
