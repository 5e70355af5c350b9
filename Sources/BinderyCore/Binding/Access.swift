/// How to get from a root to a part of it and back: the moving half of an address, which holds no value.
///
/// Laws where the part is there: get(set(a, s)) = a · set(get(s), s) = s · set(b, set(a, s)) = set(b, s).
/// Where it is not, both verbs throw an ``Absence`` and the root stays as it was.
public struct Access<Root, Value>: Sendable {
  @usableFromInline let read: @Sendable (Root) throws(Absence) -> Value
  @usableFromInline let modify: @Sendable (inout Root, (inout Value) throws -> Void) throws -> Void

  @inlinable
  public init(
    read: @escaping @Sendable (Root) throws(Absence) -> Value,
    modify: @escaping @Sendable (inout Root, (inout Value) throws -> Void) throws -> Void
  ) {
    self.read = read
    self.modify = modify
  }

  /// The part of `root`.
  @inlinable
  public func get(_ root: Root) throws(Absence) -> Value { try read(root) }

  /// Edits the part in place; what `body` throws passes through, and then the part keeps its old value.
  @inlinable
  public func edit<Result>(_ root: inout Root, _ body: (inout Value) throws -> Result) throws -> Result {
    var result: Result?
    try modify(&root) { part in
      var draft = part
      result = try body(&draft)
      part = draft
    }
    guard let result else { preconditionFailure("an access must call its body once or throw") }
    return result
  }

  /// Replaces the part.
  @inlinable
  public func set(_ root: inout Root, to value: Value) throws { try modify(&root) { $0 = value } }

  /// This access, then `next`: b[p][q] = b[p ∘ q].
  @inlinable
  public func appending<Leaf>(_ next: Access<Value, Leaf>) -> Access<Root, Leaf> {
    Access<Root, Leaf>(
      read: { root throws(Absence) in try next.read(try read(root)) },
      modify: { root, body in try modify(&root) { try next.modify(&$0, body) } })
  }
}

extension Access where Root == Value {
  /// The access that goes nowhere.
  @inlinable
  public static var identity: Access {
    Access(read: { root throws(Absence) in root }, modify: { root, body in try body(&root) })
  }
}

extension Access {
  /// A stored member: edited where it stands.
  @inlinable
  public static func member(_ path: any WritableKeyPath<Root, Value> & Sendable) -> Access {
    Access(
      read: { root throws(Absence) in root[keyPath: path] },
      modify: { root, body in try body(&root[keyPath: path]) })
  }

  /// A computed member: its setter runs once, and only if the edit went well.
  @inlinable
  public static func computed(_ path: any WritableKeyPath<Root, Value> & Sendable) -> Access {
    Access(
      read: { root throws(Absence) in root[keyPath: path] },
      modify: { root, body in
        var value = root[keyPath: path]
        try body(&value)
        root[keyPath: path] = value
      })
  }

  /// The payload of a case, there while the case is active.
  ///
  /// - Parameter absence: what to throw for a root in another case.
  @inlinable
  public static func payload(
    _ path: CasePath<Root, Value>, absence: @escaping @Sendable (Root) -> Absence
  ) -> Access {
    Access(
      read: { root throws(Absence) in
        guard let value = path.extract(root) else { throw absence(root) }
        return value
      },
      modify: { root, body in
        guard var value = path.extract(root) else { throw absence(root) }
        try body(&value)
        root = path.embed(value)
      })
  }

  /// The value inside an optional, there while the optional is not nil.
  @inlinable
  public static func wrapped(depth: Int) -> Access where Root == Value? {
    Access(
      read: { root throws(Absence) in
        guard let value = root else { throw Absence(.nilOptional, depth: depth) }
        return value
      },
      modify: { root, body in
        guard root != nil else { throw Absence(.nilOptional, depth: depth) }
        try body(&root!)
      })
  }

  /// An optional with a value in nil's stead: reading nil gives `fallback`, and any write fills the optional.
  @inlinable
  public static func orDefault(_ fallback: Value) -> Access where Root == Value?, Value: Sendable {
    Access(
      read: { root throws(Absence) in root ?? fallback },
      modify: { root, body in
        var value = root ?? fallback
        try body(&value)
        root = value
      })
  }
}
