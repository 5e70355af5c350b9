public import BinderyDigest
public import BinderyJSON

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
    @usableFromInline typealias Store = @Sendable (Value, inout StoredWriter) -> Void

    /// Writes the canonical JSON.
    @usableFromInline var encode: Encode
    /// Decodes a value from JSON.
    @usableFromInline var decode: Decode
    /// Returns whether two values have equal canonical encodings, hidden members included.
    @usableFromInline var areSame: AreSame
    /// Returns whether JSON describes the value. Hidden members are not compared.
    @usableFromInline var matches: Matches
    /// Returns the digest, which depends on the canonical encoding alone.
    @usableFromInline var digest: MakeDigest
    /// Checks the constraints of a value that Swift code created, only where it differs from the base.
    @usableFromInline var check: Check
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
    @usableFromInline var store: Store?

    @inlinable
    init(
      encode: @escaping Encode, decode: @escaping Decode, areSame: @escaping AreSame,
      matches: Matches? = nil, digest: @escaping MakeDigest, check: @escaping Check, visit: @escaping Visit,
      edit: @escaping Change,
      descend: @escaping Descend, construct: @escaping Construct,
      hasOtherIdentity: @escaping @Sendable (Value, JSONNode) -> Bool = { _, _ in false },
      elementCount: (@Sendable (Value) -> Int)? = nil,
      page: (@Sendable (Value, Page, inout ReadOperation) -> Void)? = nil, observe: @escaping Observe = { _, _, _ in },
      difference: FindDifference? = nil, store: Store? = nil
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
