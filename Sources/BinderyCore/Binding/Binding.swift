/// A live, typed reference to a place: what a control is given so that it can read and write without knowing where.
///
/// A binding holds an address and a source, never a value: each read looks, each write goes through, and where the
/// place is gone both throw. Two bindings are equal when they name the same place of the same source.
@dynamicMemberLookup
public struct Binding<Value: Sendable>: Sendable {
  /// What tells two bindings apart.
  public let identity: Identity
  private let read: @Sendable () throws -> Value
  private let write: @Sendable (@Sendable (inout Value) throws -> Void) async throws -> Void

  /// The place of a binding: its source, and the steps from there.
  public struct Identity: Hashable, @unchecked Sendable {
    // Hashing and comparing key paths and ids reads immutable values only; AnyHashable alone does not say so.
    let source: AnyHashable
    let steps: [AnyHashable]

    func appending(_ step: AnyHashable) -> Identity { Identity(source: source, steps: steps + [step]) }
  }

  /// A binding to a source.
  ///
  /// - Parameters:
  ///   - source: tells this source from others.
  ///   - read: the value there now.
  ///   - write: edits the value there, all or nothing.
  public init(
    source: some Hashable & Sendable,
    read: @escaping @Sendable () throws -> Value,
    write: @escaping @Sendable (@Sendable (inout Value) throws -> Void) async throws -> Void
  ) {
    self.init(identity: Identity(source: AnyHashable(source), steps: []), read: read, write: write)
  }

  private init(
    identity: Identity, read: @escaping @Sendable () throws -> Value,
    write: @escaping @Sendable (@Sendable (inout Value) throws -> Void) async throws -> Void
  ) {
    self.identity = identity
    self.read = read
    self.write = write
  }

  /// The value there now.
  public func get() throws -> Value { try read() }

  /// Replaces the value there.
  public func set(_ value: Value) async throws { try await write { $0 = value } }

  /// Edits the value there; what `body` throws leaves it as it was.
  public func edit(_ body: @Sendable (inout Value) throws -> Void) async throws { try await write(body) }

  /// A binding whose value never changes and whose writes are dropped: for previews and tests. Each is a place of its
  /// own.
  public static func constant(_ value: Value) -> Binding {
    Binding(
      source: Unique(), read: { value },
      write: { body in
        var scratch = value
        try body(&scratch)
      })
  }

  /// This binding, then a step.
  public func appending<Part: Sendable>(_ access: Access<Value, Part>, named step: some Hashable & Sendable)
    -> Binding<Part>
  {
    Binding<Part>(
      identity: .init(source: identity.source, steps: identity.steps + [AnyHashable(step)]),
      read: { try access.get(try read()) },
      write: { body in try await write { whole in try access.edit(&whole, body) } })
  }
}

/// Equal to itself alone.
private final class Unique: Hashable, Sendable {
  static func == (a: Unique, b: Unique) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Steps of bindings that have no name of their own: none of them equals a member or a case.
private enum UnnamedStep: Hashable, @unchecked Sendable {
  // What is hashed and compared is an immutable value; AnyHashable alone does not say so.
  case orDefault(AnyHashable)
  case unwrapped
}

extension Binding: Equatable {
  public static func == (a: Binding, b: Binding) -> Bool { a.identity == b.identity }
}

extension Binding {
  /// The binding of a member: the map of a composition is the composition of the maps.
  public func map<Part: Sendable>(_ path: any WritableKeyPath<Value, Part> & Sendable) -> Binding<Part> {
    appending(.computed(path), named: path)
  }

  public subscript<Part: Sendable>(dynamicMember path: any WritableKeyPath<Value, Part> & Sendable) -> Binding<Part> {
    map(path)
  }

  /// The payload of a case; live: it throws while the case is not active, and never brings it back.
  public subscript<Part: Sendable>(case path: CasePath<Value, Part>, named name: String) -> Binding<Part> {
    let depth = identity.steps.count
    return appending(
      .payload(path) { _ in Absence(.inactiveCase(wanted: name, active: ""), depth: depth) }, named: name)
  }

  /// The value of an optional, or `fallback` while it is nil; a write fills the optional.
  public subscript<Wrapped: Hashable>(orDefault fallback: Wrapped) -> Binding<Wrapped> where Value == Wrapped? {
    appending(.orDefault(fallback), named: UnnamedStep.orDefault(AnyHashable(fallback)))
  }

  /// From a binding of an optional to an optional binding: nil when there is nothing now.
  ///
  /// The result is live: after the optional became nil it throws, it never returns a remembered value.
  public func unwrap<Wrapped>() throws -> Binding<Wrapped>? where Value == Wrapped? {
    guard try get() != nil else { return nil }
    return appending(.wrapped(depth: identity.steps.count), named: UnnamedStep.unwrapped)
  }
}
