/// The way from a struct to one of its members and back, and what every request does along it.
///
/// The key path comes as a closure that captures nothing: where a member is declared the compiler sees through it, and
/// what is left of a read is a load. Behind a captured key path it would call the runtime each time, and so it would in
/// a closure that captures anything else: hence the shape is an argument.
@usableFromInline
struct MemberPath<Root, Value: Sendable>: Sendable {
  @usableFromInline typealias AreSame = @Sendable (Root, Root, Shape<Value>) -> Bool
  @usableFromInline typealias Visit =
    @Sendable (Root, Shape<Value>, Route, Int, inout ReadOperation) throws(Absence) -> Void
  @usableFromInline typealias Apply =
    @Sendable (inout Root, Shape<Value>, Route, Int, inout Edit) throws(EditError) -> Void

  @usableFromInline let get: @Sendable (Root) -> Value
  /// Compares the member where it stands in two structs.
  @usableFromInline let areSame: AreSame
  /// Reads the member, or what lies below, where it stands.
  @usableFromInline let visit: Visit
  /// Edits the member where it stands, or a copy that is put back, if the edit went well; nil where it only reads.
  @usableFromInline let apply: Apply?
  @usableFromInline let set: (@Sendable (inout Root, Value) -> Void)?
  /// The same for Swift code.
  @usableFromInline let access: Access<Root, Value>
  @usableFromInline let name: AnyKeyPathBox

  @usableFromInline typealias Writable = @Sendable () -> WritableKeyPath<Root, Value>
  @usableFromInline typealias Readable = @Sendable () -> KeyPath<Root, Value>

  /// A stored member.
  @inlinable @inline(__always)
  init(stored path: @escaping Writable) {
    get = { $0[keyPath: path()] }
    areSame = { a, b, shape in shape.areSame(a[keyPath: path()], b[keyPath: path()]) }
    visit = { root, shape, route, index, reading throws(Absence) in
      try shape.visit(root[keyPath: path()], route, index, &reading)
    }
    apply = { root, shape, route, index, edit throws(EditError) in
      // With a second way out, for errors, the compiler would not see through the key path.
      if let refusal = shape.attempt(&root[keyPath: path()], route, index, &edit) { throw refusal }
    }
    set = { root, value in root[keyPath: path()] = value }
    access = Access(
      read: { root throws(Absence) in root[keyPath: path()] },
      modify: { root, body in try body(&root[keyPath: path()]) })
    name = AnyKeyPathBox(path: path())
  }

  /// A computed member: its setter runs once, and only if the edit went well.
  @inlinable @inline(__always)
  init(computed path: @escaping Writable) {
    get = { $0[keyPath: path()] }
    areSame = { a, b, shape in shape.areSame(a[keyPath: path()], b[keyPath: path()]) }
    visit = { root, shape, route, index, reading throws(Absence) in
      try shape.visit(root[keyPath: path()], route, index, &reading)
    }
    apply = { root, shape, route, index, edit throws(EditError) in
      var value = root[keyPath: path()]
      try shape.apply(&value, route, index, &edit)
      root[keyPath: path()] = value
    }
    set = { root, value in root[keyPath: path()] = value }
    access = Access(
      read: { root throws(Absence) in root[keyPath: path()] },
      modify: { root, body in
        var value = root[keyPath: path()]
        try body(&value)
        root[keyPath: path()] = value
      })
    name = AnyKeyPathBox(path: path())
  }

  /// A member that only reads: Swift code that writes is refused, and told the member's name.
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
    name = AnyKeyPathBox(path: path())
  }
}

extension MemberPath {
  /// Whether it leads straight to memory: no setter and no observer has a say in what is written.
  @usableFromInline var isPlain: Bool {
    (name.path as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) } != nil
  }
}

extension MemberPath where Root == Value {
  /// The way that goes nowhere.
  @inlinable
  init() {
    get = { $0 }
    areSame = { a, b, shape in shape.areSame(a, b) }
    visit = { value, shape, route, index, reading throws(Absence) in try shape.visit(value, route, index, &reading) }
    apply = { value, shape, route, index, edit throws(EditError) in try shape.apply(&value, route, index, &edit) }
    set = { root, value in root = value }
    access = .identity
    name = AnyKeyPathBox(path: \Root.self)
  }
}
