public import Bindings

/// The way from a struct to one of its members and back.
///
/// The key path comes as a closure that captures nothing: where a member is declared the compiler sees through it, and
/// what is left of a read is a load. Behind a captured key path it would call the runtime each time.
@usableFromInline
struct MemberPath<Root, Value>: Sendable {
  @usableFromInline typealias Edit = (inout Value) throws(Refusal) -> Void

  @usableFromInline let get: @Sendable (Root) -> Value
  /// Edits the member where it stands, or a copy that is put back, if the edit went well; nil where it only reads.
  @usableFromInline let edit: (@Sendable (inout Root, Edit) throws(Refusal) -> Void)?
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
    edit = { root, body throws(Refusal) in try body(&root[keyPath: path()]) }
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
    edit = { root, body throws(Refusal) in
      var value = root[keyPath: path()]
      try body(&value)
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
    edit = nil
    set = nil
    access = Access(
      read: { root throws(Absence) in root[keyPath: path()] }, modify: { _, _ in throw Invalid.readOnly(member) })
    name = AnyKeyPathBox(path: path())
  }
}

extension MemberPath where Root == Value {
  /// The way that goes nowhere.
  @inlinable
  init() {
    get = { $0 }
    edit = { root, body throws(Refusal) in try body(&root) }
    set = { root, value in root = value }
    access = .identity
    name = AnyKeyPathBox(path: \Root.self)
  }
}
