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
      modify: { root, body in try body(&root[keyPath: path()]) })
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
}

extension MemberPath {
  /// Whether a write goes straight to memory, without a setter or a property observer.
  @usableFromInline var isDirectlyStored: Bool {
    switch locator {
    case .keyPath(let path): (path as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) } != nil
    case .index: apply != nil
    }
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
