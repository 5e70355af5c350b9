/// Reads and edits a part of a root value, without holding a value itself.
///
/// An access follows the lens laws if the part exists: `get(set(a, s)) == a`, `set(get(s), s) == s`, and
/// `set(b, set(a, s)) == set(b, s)`. If the part does not exist, reads and edits throw an ``Absence`` and leave the
/// root unchanged.
@usableFromInline
package struct Access<Root, Value>: Sendable {
  @usableFromInline let read: @Sendable (Root) throws(Absence) -> Value
  @usableFromInline let modify: @Sendable (inout Root, (inout Value) throws -> Void) throws -> Void

  /// Creates an access.
  ///
  /// - Parameters:
  ///   - read: Returns the part, or throws an ``Absence``.
  ///   - modify: Calls its second argument exactly once with the part, or throws.
  @inlinable
  package init(
    read: @escaping @Sendable (Root) throws(Absence) -> Value,
    modify: @escaping @Sendable (inout Root, (inout Value) throws -> Void) throws -> Void
  ) {
    self.read = read
    self.modify = modify
  }

  /// Returns the part of `root`.
  ///
  /// - Throws: ``Absence`` if the part does not exist.
  @inlinable
  package func get(_ root: Root) throws(Absence) -> Value { try read(root) }

  /// Edits the part.
  ///
  /// - Parameter body: Edits the part. If it throws, the part keeps its old value.
  /// - Returns: The result of `body`.
  /// - Throws: ``Absence`` if the part does not exist, or the error of `body`.
  @inlinable
  package func edit<Result>(_ root: inout Root, _ body: (inout Value) throws -> Result) throws -> Result {
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
  ///
  /// - Throws: ``Absence`` if the part does not exist.
  @inlinable
  package func set(_ root: inout Root, to value: Value) throws { try modify(&root) { $0 = value } }

  /// Returns an access to a part of this part.
  @inlinable
  package func appending<Leaf>(_ next: Access<Value, Leaf>) -> Access<Root, Leaf> {
    Access<Root, Leaf>(
      read: { root throws(Absence) in try next.read(try read(root)) },
      modify: { root, body in try modify(&root) { try next.modify(&$0, body) } })
  }
}

extension Access where Root == Value {
  /// The access from a value to itself.
  @inlinable
  package static var identity: Access {
    Access(read: { root throws(Absence) in root }, modify: { root, body in try body(&root) })
  }
}

// Each function builds on the closures of this access directly instead of ``appending(_:)`` an access to the part: the
// step then costs one call.
extension Access {
  /// Returns an access to a computed member, whose setter runs once and only if the edit succeeds.
  @inlinable
  package func computed<Part>(_ path: any WritableKeyPath<Value, Part> & Sendable) -> Access<Root, Part> {
    Access<Root, Part>(
      read: { root throws(Absence) in try read(root)[keyPath: path] },
      modify: { root, body in
        try modify(&root) { value in
          var part = value[keyPath: path]
          try body(&part)
          value[keyPath: path] = part
        }
      })
  }

  /// Returns an access to the payload of a case, which is absent while another case is active.
  ///
  /// - Parameters:
  ///   - path: The path of the case.
  ///   - absence: Returns the error for a value in another case.
  @inlinable
  package func payload<Part>(
    _ path: CasePath<Value, Part>, absence: @escaping @Sendable (Value) -> Absence
  ) -> Access<Root, Part> {
    Access<Root, Part>(
      read: { root throws(Absence) in
        let value = try read(root)
        guard let part = path.extract(value) else { throw absence(value) }
        return part
      },
      modify: { root, body in
        try modify(&root) { value in
          guard var part = path.extract(value) else { throw absence(value) }
          try body(&part)
          value = path.embed(part)
        }
      })
  }

  /// Returns an access to the wrapped value, which is absent while the optional is nil.
  ///
  /// - Parameter depth: The depth of the ``Absence`` that it throws.
  @inlinable
  package func wrapped<Part>(depth: Int) -> Access<Root, Part> where Value == Part? {
    Access<Root, Part>(
      read: { root throws(Absence) in
        guard let part = try read(root) else { throw Absence(.nilOptional, depth: depth) }
        return part
      },
      modify: { root, body in
        try modify(&root) { value in
          guard value != nil else { throw Absence(.nilOptional, depth: depth) }
          try body(&value!)
        }
      })
  }

  /// Returns an access to the wrapped value, which reads as `fallback` while the optional is nil.
  ///
  /// A write always sets the optional.
  @inlinable
  package func orDefault<Part: Sendable>(_ fallback: Part) -> Access<Root, Part> where Value == Part? {
    Access<Root, Part>(
      read: { root throws(Absence) in try read(root) ?? fallback },
      modify: { root, body in
        try modify(&root) { value in
          var part = value ?? fallback
          try body(&part)
          value = part
        }
      })
  }
}
