public import BinderyDigest
public import BinderyJSON

/// The operations of a member, with its type erased.
@usableFromInline
package final class MemberTable<Root>: Sendable {
  @usableFromInline typealias Write = EditableShape<Root>.Operations.Descend

  /// The description of the member.
  @usableFromInline let info: MemberInfo
  /// Identifies the member.
  @usableFromInline let locator: MemberLocator
  /// The range of the member's bytes in a value; empty if it is not a stored property in Swift.
  @usableFromInline let bytes: Range<Int>
  /// The ``TypedMember`` with the member's type.
  @usableFromInline let typedMember: any Sendable
  @usableFromInline let encode: @Sendable (Root, inout JSONWriter) -> Void
  @usableFromInline let compare: @Sendable (Root, Root) -> Bool
  @usableFromInline let matches: EditableShape<Root>.Operations.Matches
  @usableFromInline let digest: @Sendable (Root, inout DigestContext) -> Digest
  @usableFromInline let name: NameDigest
  /// Checks the constraints of the member; nil if every value is valid.
  @usableFromInline let check: EditableShape<Root>.Operations.Check?
  @usableFromInline let visit: @Sendable (Root, Route, Int, inout ReadOperation) throws(Absence) -> Void
  /// Edits the member or a place below it; nil for a read-only member.
  @usableFromInline let apply: Write?
  /// Edits the member or a place below it while stored state is restored, which also writes hidden and read-only
  /// members; nil if the property is a `let`.
  @usableFromInline let restore: Write?
  /// Returns the member in the storage format after an edit, without running property observers; nil if it has none.
  @usableFromInline let edited: (@Sendable (Root, Route, Int, Edit) throws(EditError) -> [UInt8])?
  /// Sets a computed member from a complete or partial value, unless that equals the value before the request.
  ///
  /// The second argument is the struct before the request. Returns whether the setter ran.
  @usableFromInline let set: (@Sendable (inout Root, Root, inout Edit) throws(EditError) -> Bool)?
  @usableFromInline let observe: @Sendable (Root?, Root, WatchNode) -> Void
  @usableFromInline let difference: @Sendable (Root, Root, inout PatchBuilder) -> Void
  @usableFromInline let store: @Sendable (Root, inout StoredWriter) -> Void
  /// Returns whether JSON leaves the member out, because it is nil; nil for a member that is always present.
  @usableFromInline let isOmitted: (@Sendable (Root) -> Bool)?
  /// Returns whether JSON describes the member's current value.
  @usableFromInline let equals: @Sendable (Root, JSONNode) throws(ValidationError) -> Bool

  @inlinable
  init<Value: Sendable>(
    _ info: MemberInfo, _ path: MemberPath<Root, Value>, _ shape: EditableShape<Value>,
    isOmitted: (@Sendable (Root) -> Bool)? = nil, apply: Write? = nil, restore: Write? = nil,
    set: (@Sendable (inout Root, Root, inout Edit) throws(EditError) -> Bool)? = nil
  ) {
    let get = path.get
    self.info = info
    self.locator = path.locator
    self.bytes = path.offset.map { $0..<$0 + MemoryLayout<Value>.size } ?? 0..<0
    self.typedMember = TypedMember(shape: shape, access: path.access)
    self.compare = { [compare = path.areSame] a, b in compare(a, b, shape) }
    self.name = NameDigest(JSONWriter.quoted(info.name))
    self.digest = { root, context in shape.digest(get(root), &context) }
    var check: EditableShape<Root>.Operations.Check?
    if shape.needsCheck {
      check = { root, base throws(ValidationError) in try shape.check(get(root), since: base.map(get)) }
    }
    self.check = check
    let isComputed = info.isComputed
    let results = isComputed ? SharedValues() : nil
    self.visit = { [visit = path.visit] root, route, index, reading throws(Absence) in
      if isComputed, let getters = reading.getters {
        guard let value = getters.value(at: route.steps[..<index], { get(root) }) else { throw .interrupted(index) }
        try shape.visit(value, route, index, &reading)
      } else {
        if let results, shape.type.hasCollections, index == route.steps.count {
          reading.share = { value in results.entry(for: root) { value } }
        }
        try visit(root, shape, route, index, &reading)
      }
    }
    self.matches = { root, node, comparison in
      guard isComputed, let getters = comparison.getters else { return shape.matches(get(root), node, &comparison) }
      guard let value = getters.value(at: comparison.trail, { get(root) }) else { return false }
      return shape.matches(value, node, &comparison)
    }
    self.encode = { root, writer in
      guard let results else { return shape.encode(get(root), into: &writer) }
      // A document may be written in several slices. The getter runs only once per document: its value is saved in the
      // writer between slices.
      let saved = writer.isResuming ? writer.restoreState(SharedValues.Entry.self) : nil
      let value = saved.flatMap { $0.value as? Value } ?? get(root)
      shape.encode(value, into: &writer)
      if writer.hasStopped { writer.saveState(saved ?? results.entry(for: root) { value }) }
    }
    // A getter also runs only once per publication: the old value is not computed again for a comparison.
    self.observe = { old, new, watch in shape.observe(isComputed ? nil : old.map(get), get(new), watch) }
    self.difference = { old, new, difference in
      guard let isOmitted, isOmitted(old) != isOmitted(new) else {
        return shape.difference(from: get(old), to: get(new), under: info.segment, &difference)
      }
      difference.under(info.segment) { $0.changePresence(from: get(old), to: get(new), shape, isAdded: isOmitted(old)) }
    }
    self.isOmitted = isOmitted
    self.store = { root, writer in shape.store(get(root), into: &writer) }
    self.apply = apply
    self.restore = restore ?? apply
    self.edited =
      if isComputed || !path.mayHaveObservers {
        nil
      } else {
        { root, route, index, edit throws(EditError) in
          var (value, edit) = (get(root), edit)
          try shape.apply(&value, route, index, &edit)
          var writer = StoredWriter()
          shape.store(value, into: &writer)
          return writer.writer.bytes
        }
      }
    self.set = set
    self.equals = { root, node throws(ValidationError) in
      if shape.isEcho(node, of: get(root)) { return true }
      var decoding = Decoding(.complete)
      _ = try shape.decode(node, &decoding)
      return false
    }
  }

  // Methods that are not inlinable, because a direct call of a closure property would retain the closure.

  /// Writes the name and the value of the member, or the next slice of the value, unless the JSON omits the member.
  @usableFromInline
  func write(_ root: Root, into writer: inout JSONWriter) {
    if (writer.omitsComputed && info.isComputed) || omits(root) { return }
    if !writer.isResuming { info.writeKey(into: &writer) }
    encode(root, &writer)
  }

  /// Sets the member from the JSON of the struct, unless it is computed or read-only.
  ///
  /// - Parameters:
  ///   - node: The index of the member's value in the JSON of the edit; nil if a replacement of the struct omits it.
  ///   - index: The index of the member in the struct.
  /// - Throws: ``EditError`` if the JSON does not fit, or a required member is missing.
  @usableFromInline
  func write(
    _ node: Int?, into root: inout Root, at index: Int, _ edit: inout Edit
  ) throws(EditError) {
    // The closure is not unwrapped here: that would copy its reference.
    guard info.role == .stored, apply != nil else { return }
    func set(_ part: inout Edit) throws(EditError) { try apply?(&root, .here, 0, &part) }
    if let node {
      try edit.part(at: node, .member(index), info.name, set)
    } else if info.omitsNull {
      try edit.part(.null, .member(index), info.name, set)
    } else {
      throw .invalid(info.missingError.under(info.name))
    }
  }

  /// Reads the member or a place below it.
  @usableFromInline
  func read(_ root: Root, _ route: Route, _ index: Int, _ operation: inout ReadOperation) throws(Absence) {
    try visit(root, route, index, &operation)
  }

  /// Edits the member or a place below it.
  @usableFromInline
  func edit(_ root: inout Root, _ route: Route, _ index: Int, _ edit: inout Edit) throws(EditError) {
    // The closures are not unwrapped here: that would copy their references.
    if edit.isRestoring {
      guard restore != nil else { throw .readOnly }
      try restore?(&root, route, index, &edit)
    } else {
      guard apply != nil else { throw .readOnly }
      try apply?(&root, route, index, &edit)
    }
  }

  /// Appends the digests of the name and the value.
  @usableFromInline
  func addDigests(of root: Root, to parts: inout OutputSpan<Digest>, _ context: inout DigestContext) {
    parts.append(name.digest(context.key))
    parts.append(digest(root, &context))
  }

  /// Whether assigning the member may run property observers.
  @usableFromInline var isObserved: Bool { edited != nil }

  /// Returns whether the member is the same in two structs.
  @usableFromInline
  func areSame(_ a: Root, _ b: Root) -> Bool { compare(a, b) }

  /// Returns whether JSON leaves the member out of a struct.
  @usableFromInline
  func omits(_ root: Root) -> Bool { isOmitted?(root) ?? false }
}

/// The shape and access of a member, with its type.
@usableFromInline
struct TypedMember<Root, Value>: Sendable {
  @usableFromInline let shape: EditableShape<Value>
  @usableFromInline let access: Access<Root, Value>

  @inlinable
  init(shape: EditableShape<Value>, access: Access<Root, Value>) {
    self.shape = shape
    self.access = access
  }
}

/// Reads, compares and edits one member of a struct.
///
/// The key path is passed as a closure that captures nothing. Where a member is declared, the compiler then resolves
/// the key path, and a read compiles to a load. A captured key path would call the runtime on every access, and so
/// would a closure with any other capture. For this reason the shape is an argument and not captured.
@usableFromInline
struct MemberPath<Root, Value: Sendable>: Sendable {
  @usableFromInline typealias AreSame = @Sendable (Root, Root, EditableShape<Value>) -> Bool
  @usableFromInline typealias Visit =
    @Sendable (Root, EditableShape<Value>, Route, Int, inout ReadOperation) throws(Absence) -> Void
  @usableFromInline typealias Apply =
    @Sendable (inout Root, EditableShape<Value>, Route, Int, inout Edit) throws(EditError) -> Void

  /// Returns the member's value.
  @usableFromInline let get: @Sendable (Root) -> Value
  /// Compares the member of two structs, without copying it.
  @usableFromInline let areSame: AreSame
  /// Reads the member, or a place below it, without copying it.
  @usableFromInline let visit: Visit
  /// Edits the member in place, or a copy that is written back if the edit succeeds; nil for a read-only member.
  @usableFromInline let apply: Apply?
  /// Replaces the member; nil for a read-only member.
  @usableFromInline let set: (@Sendable (inout Root, Value) -> Void)?
  /// The access for Swift code.
  @usableFromInline let access: Access<Root, Value>
  /// Identifies the member.
  @usableFromInline let locator: MemberLocator

  @usableFromInline typealias Writable = @Sendable () -> WritableKeyPath<Root, Value>
  @usableFromInline typealias Readable = @Sendable () -> KeyPath<Root, Value>

  /// Creates the path of a stored member, which is edited in place.
  @inlinable @inline(__always)
  init(stored path: @escaping Writable) {
    get = { $0[keyPath: path()] }
    areSame = { a, b, shape in shape.areSame(a[keyPath: path()], b[keyPath: path()]) }
    visit = { root, shape, route, index, reading throws(Absence) in
      try shape.visit(root[keyPath: path()], route, index, &reading)
    }
    apply = Self.applying(stored: path)
    set = { root, value in root[keyPath: path()] = value }
    access = Access(
      read: { root throws(Absence) in root[keyPath: path()] },
      modify: { root, body in
        if let error = Self.attempt(body, on: &root[keyPath: path()]) { throw error }
      })
    locator = .keyPath(path())
  }

  /// Creates the path of a computed member, whose setter runs once and only if the edit succeeds.
  @inlinable @inline(__always)
  init(computed path: @escaping Writable) {
    get = { $0[keyPath: path()] }
    areSame = { a, b, shape in shape.areSame(a[keyPath: path()], b[keyPath: path()]) }
    visit = { root, shape, route, index, reading throws(Absence) in
      try shape.visit(root[keyPath: path()], route, index, &reading)
    }
    apply = Self.applying(computed: path)
    set = { root, value in root[keyPath: path()] = value }
    access = Access(
      read: { root throws(Absence) in root[keyPath: path()] },
      modify: { root, body in
        var value = root[keyPath: path()]
        try body(&value)
        root[keyPath: path()] = value
      })
    locator = .keyPath(path())
  }

  /// Creates the path of a read-only member; a write from Swift code throws an error with the member's name.
  @inlinable @inline(__always)
  init(readOnly path: @escaping Readable, named member: String) {
    get = { $0[keyPath: path()] }
    areSame = { a, b, shape in shape.areSame(a[keyPath: path()], b[keyPath: path()]) }
    visit = { root, shape, route, index, reading throws(Absence) in
      try shape.visit(root[keyPath: path()], route, index, &reading)
    }
    apply = nil
    set = nil
    access = Access(
      read: { root throws(Absence) in root[keyPath: path()] },
      modify: { _, _ in throw ValidationError.readOnly(member) })
    locator = .keyPath(path())
  }

  /// Whether a write goes straight to memory, without a setter or a property observer.
  @usableFromInline var isDirectlyStored: Bool {
    if case .index = locator { apply != nil } else { offset != nil }
  }

  /// Whether an assignment may run property observers.
  @usableFromInline var mayHaveObservers: Bool {
    if case .keyPath = locator { set != nil && offset == nil } else { false }
  }

  /// The offset of the property in a value; nil for a computed or observed property and for a model file.
  @usableFromInline var offset: Int? {
    guard case .keyPath(let path) = locator, let path = path as? PartialKeyPath<Root> else { return nil }
    return MemoryLayout<Root>.offset(of: path)
  }
}

extension MemberPath where Root == Value {
  /// Creates the path from a value to itself.
  @inlinable
  init() {
    get = { $0 }
    areSame = { a, b, shape in shape.areSame(a, b) }
    visit = { value, shape, route, index, reading throws(Absence) in try shape.visit(value, route, index, &reading) }
    apply = { value, shape, route, index, edit throws(EditError) in try shape.apply(&value, route, index, &edit) }
    set = { root, value in root = value }
    access = .identity
    locator = .keyPath(\Root.self)
  }
}
