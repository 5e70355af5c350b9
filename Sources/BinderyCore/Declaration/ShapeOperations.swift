public import BinderyDigest
public import BinderyJSON

extension Shape {
  /// The verbs of a shape, made where the types are concrete: there the compiler specializes them, and nothing looks
  /// types up while the service runs. That is why what makes them is inlinable, all the way from the declaration.
  @usableFromInline
  package struct Operations: Sendable {
    @usableFromInline typealias Encode = @Sendable (Value, inout JSONWriter) -> Void
    @usableFromInline typealias Decode = @Sendable (JSONNode, inout Decoding) throws(ValidationError) -> Value
    @usableFromInline typealias AreSame = @Sendable (Value, Value) -> Bool
    @usableFromInline typealias MakeDigest = @Sendable (Value, DigestKey) -> Digest
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
    /// Makes a value from JSON.
    @usableFromInline var decode: Decode
    /// Whether two values have the same canonical encoding, hidden members included.
    @usableFromInline var areSame: AreSame
    /// The digest that is a function of the canonical encoding alone.
    @usableFromInline var digest: MakeDigest
    /// Checks the constraints of a value that Swift code made, only where it differs from the base.
    @usableFromInline var check: Check
    /// Takes the next step of a route and reads on from there.
    @usableFromInline var visit: Visit
    /// Carries out an edit of the value itself.
    @usableFromInline var edit: Change
    /// Takes the next step of a route and edits on from there.
    @usableFromInline var descend: Descend
    /// Makes a value from what was sent and the rest of a route, for a `PUT` that creates.
    @usableFromInline var construct: Construct
    /// Whether JSON describes something with another id.
    @usableFromInline var hasOtherIdentity: @Sendable (Value, JSONNode) -> Bool
    /// Writes some elements of a sequence.
    @usableFromInline var page: (@Sendable (Value, Page, inout ReadOperation) -> Void)?
    /// Tells those who watch parts of the value what these are now; the value itself differs from the old one.
    @usableFromInline var observe: Observe
    /// Appends what leads from one value to another, and returns false, with nothing appended, where only the whole can
    /// be replaced, as it always is where this is nil.
    @usableFromInline var difference: FindDifference?
    /// Writes the value as it is kept; nil where that is what is shown.
    @usableFromInline var store: Store?

    @inlinable
    init(
      encode: @escaping Encode, decode: @escaping Decode, areSame: @escaping AreSame, digest: @escaping MakeDigest,
      check: @escaping Check, visit: @escaping Visit, edit: @escaping Change, descend: @escaping Descend,
      construct: @escaping Construct,
      hasOtherIdentity: @escaping @Sendable (Value, JSONNode) -> Bool = { _, _ in false },
      page: (@Sendable (Value, Page, inout ReadOperation) -> Void)? = nil, observe: @escaping Observe = { _, _, _ in },
      difference: FindDifference? = nil, store: Store? = nil
    ) {
      self.encode = encode
      self.decode = decode
      self.areSame = areSame
      self.digest = digest
      self.check = check
      self.visit = visit
      self.edit = edit
      self.descend = descend
      self.construct = construct
      self.hasOtherIdentity = hasOtherIdentity
      self.page = page
      self.observe = observe
      self.difference = difference
      self.store = store
    }
  }
}
