/// A live, typed reference to a part of a source, for controls that read and write a value.
///
/// A binding holds a source and an address, never a value. Each read fetches the current value, and each write goes to
/// the source. If the part no longer exists, both throw. Two bindings are equal if they refer to the same part of the
/// same source.
@dynamicMemberLookup
public struct StateBinding<Value: Sendable>: Sendable {
  /// The source and the address, by which bindings are compared.
  private let identity: Identity
  private let read: @Sendable () throws -> Value
  private let write: @Sendable (@Sendable (inout Value) throws -> Void) async throws -> Void

  /// The source of a binding and the steps from there to its part.
  private struct Identity: Hashable, @unchecked Sendable {
    // Sendable, because the key paths and ids inside are immutable; `AnyHashable` hides that.
    let source: AnyHashable
    let steps: [AnyHashable]
  }

  /// Creates a binding to a source.
  ///
  /// - Parameters:
  ///   - source: The identity of the source, an immutable value.
  ///   - steps: The identities of the steps from the source to the part, immutable values, too.
  ///   - read: Returns the current value.
  ///   - write: Applies an edit to the current value. If the edit throws, the value must stay unchanged.
  package init(
    source: AnyHashable, steps: [AnyHashable] = [], read: @escaping @Sendable () throws -> Value,
    write: @escaping @Sendable (@Sendable (inout Value) throws -> Void) async throws -> Void
  ) {
    identity = Identity(source: source, steps: steps)
    self.read = read
    self.write = write
  }

  /// Returns the current value.
  ///
  /// - Throws: ``Absence`` if the part does not exist, or an error of the source.
  public func get() throws -> Value { try read() }

  /// Replaces the value.
  ///
  /// - Throws: ``Absence`` if the part does not exist, or an error of the source.
  public func set(_ value: Value) async throws { try await write { $0 = value } }

  /// Edits the value. If `body` throws, the value stays unchanged.
  ///
  /// - Throws: ``Absence`` if the part does not exist, the error of `body`, or an error of the source.
  public func edit(_ body: @Sendable (inout Value) throws -> Void) async throws { try await write(body) }

  /// Returns a binding whose value never changes and that discards writes, for previews and tests.
  ///
  /// Two constant bindings are never equal.
  public static func constant(_ value: Value) -> StateBinding {
    StateBinding(
      source: UniqueSource(), read: { value },
      write: { body in
        var scratch = value
        try body(&scratch)
      })
  }

  /// Returns a binding to a part of this binding's value.
  ///
  /// - Parameters:
  ///   - access: The access to the part.
  ///   - step: The identity of the part, by which bindings are compared.
  private func appending<Part: Sendable>(
    _ access: Access<Value, Part>, named step: some Hashable & Sendable
  ) -> StateBinding<Part> {
    StateBinding<Part>(
      source: identity.source, steps: identity.steps + [AnyHashable(step)],
      read: { try access.get(try read()) },
      write: { body in try await write { value in try access.edit(&value, body) } })
  }
}

/// The identity of a constant binding, which equals only itself.
private final class UniqueSource: Hashable, Sendable {
  static func == (a: UniqueSource, b: UniqueSource) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Identities of steps without a name, which never equal the identity of a member or case.
private enum UnnamedStep: Hashable, @unchecked Sendable {
  // Sendable, because the values inside are immutable; `AnyHashable` hides that.
  case orDefault(AnyHashable)
  // In UTF-8, because `==` of strings regards two Unicode forms of one text as equal.
  case id(keyText: [UInt8])
  case key(keyText: [UInt8])
  case index(Int)
  case unwrapped
}

extension StateBinding: Equatable {
  /// Returns whether both bindings have the same source and were derived from it by the same steps.
  ///
  /// `store.binding(a.b)` and `store.binding(a).b` refer to the same part, but are not equal.
  public static func == (a: StateBinding, b: StateBinding) -> Bool { a.identity == b.identity }
}

extension StateBinding {
  /// Returns a binding to a member.
  ///
  /// Like every map, it preserves composition: `map(\.a).map(\.b)` refers to `b` in `a`.
  public func map<Part: Sendable>(_ path: any WritableKeyPath<Value, Part> & Sendable) -> StateBinding<Part> {
    appending(Access.identity.computed(path), named: path)
  }

  /// A binding to a member.
  public subscript<Part: Sendable>(dynamicMember path: any WritableKeyPath<Value, Part> & Sendable) -> StateBinding<
    Part
  > {
    map(path)
  }

  /// A binding to the payload of a case.
  ///
  /// It is live: reads and writes throw an ``Absence`` while another case is active, and a write never activates the
  /// case.
  public subscript<Payload>(case declaration: EnumCase<Value, Payload>) -> StateBinding<Payload>
  where Value: Editable {
    let depth = identity.steps.count
    return appending(
      Access.identity.payload(declaration.path) { declaration.absence(in: $0, Value.shape, depth: depth) },
      named: declaration.name)
  }

  /// A binding to the element with an id. Reads and writes throw an ``Absence`` while the collection has none.
  public subscript<Element: Identifiable>(id id: Element.ID) -> StateBinding<Element>
  where Value == Identified<Element>, Element.ID: PathKey {
    let depth = identity.steps.count
    return appending(
      Access.identity.element(TypedKey(id), depth: depth), named: UnnamedStep.id(keyText: Array(id.keyText.utf8)))
  }

  /// A binding to the value of a key. Reads and writes throw an ``Absence`` while the dictionary has no such key.
  public subscript<K: PathKey & Hashable, Entry>(key key: K) -> StateBinding<Entry> where Value == [K: Entry] {
    appending(
      Access.identity.entry(key, depth: identity.steps.count),
      named: UnnamedStep.key(keyText: Array(key.keyText.utf8)))
  }

  /// A binding to the element at an index. Reads and writes throw an ``Absence`` while the array is shorter.
  public subscript<Element>(index: Int) -> StateBinding<Element> where Value == [Element] {
    appending(Access.identity.element(at: index, depth: identity.steps.count), named: UnnamedStep.index(index))
  }

  /// A binding to the wrapped value, which reads as `fallback` while the optional is nil.
  ///
  /// A write always sets the optional.
  public subscript<Wrapped: Hashable>(orDefault fallback: Wrapped) -> StateBinding<Wrapped> where Value == Wrapped? {
    appending(Access.identity.orDefault(fallback), named: UnnamedStep.orDefault(AnyHashable(fallback)))
  }

  /// Returns a binding to the wrapped value, or nil if the optional is nil now.
  ///
  /// The result is live: if the optional becomes nil later, reads and writes throw an ``Absence``.
  ///
  /// - Throws: ``Absence`` if the optional itself does not exist, or an error of the source.
  public func unwrap<Wrapped>() throws -> StateBinding<Wrapped>? where Value == Wrapped? {
    guard try get() != nil else { return nil }
    return appending(Access.identity.wrapped(depth: identity.steps.count), named: UnnamedStep.unwrapped)
  }
}
