/// Why a commit of Swift code was refused; what its body throws passes through as it is.
public enum CommitError: Error, Hashable, Sendable {
  /// A value breaks a constraint of its shape.
  case invalid(ValidationError)
  /// The model refuses the result.
  case invalidState(InvalidState)
  /// The result could not be kept, and nothing has changed.
  case notKept(String)
}

extension Store {
  /// The value at a place, in the published version.
  ///
  /// - Throws: `Absence` where it is not there.
  @inlinable
  public func read<Value>(_ place: Place<Root, Value>) throws(Absence) -> Value {
    try place.access.get(snapshot.root)
  }

  /// Edits the value at a place, all or nothing, and returns when that is kept and visible.
  ///
  /// - Returns: what `body` returned.
  /// - Throws: `Absence`, ``CommitError``, or what `body` throws; then nothing has changed.
  @discardableResult @inlinable
  public func edit<Value, Output: Sendable>(
    _ place: Place<Root, Value>, _ body: (inout Value) throws -> Output
  ) async throws -> Output {
    try await commit { draft in try place.access.edit(&draft, body) }
  }

  /// Edits several places at once: one revision, all or nothing; returns when it is kept and visible.
  ///
  /// - Parameter body: edits the draft; it runs under the store's lock and must not use the store.
  /// - Throws: ``CommitError``, or what `body` throws; then nothing has changed.
  @discardableResult @inlinable
  public func commit<Output: Sendable>(_ body: (inout Root) throws -> Output) async throws -> Output {
    let settled = await withCheckedContinuation { continuation in
      let settlement = transact({ head in Self.draft(from: head.root, body) }) { later in
        continuation.resume(returning: later.map(\.0))
      }
      if case .now(let answer, _) = settlement { continuation.resume(returning: .success(answer)) }
    }
    switch settled {
    case .success(let answer): return try answer.get()
    case .failure(.full(let reason)), .failure(.unavailable(let reason)): throw CommitError.notKept(reason)
    }
  }

  /// Commits without waiting; what is refused or cannot be kept changes nothing, and nobody is told.
  package func post(_ body: (inout Root) -> Void) {
    _ = transact({ head in Self.draft(from: head.root) { draft in body(&draft) } }, completion: { _ in })
  }

  /// The draft of a commit, checked and settled.
  @inlinable
  static func draft<Output>(
    from base: Root, _ body: (inout Root) throws -> Output
  ) -> (Result<Output, any Error>, Draft) {
    var root = base
    do {
      let answer = try body(&root)
      do throws(ValidationError) { try Root.shape.check(root, since: base) } catch { throw CommitError.invalid(error) }
      do throws(InvalidState) { try root.settle(from: base) } catch { throw CommitError.invalidState(error) }
      return (.success(answer), Root.shape.areSame(base, root) ? .unchanged : .changed(root))
    } catch {
      return (.failure(error), .unchanged)
    }
  }
}

extension Store {
  /// A binding of a place: for controls that must not know the store.
  public func binding<Value>(_ place: Place<Root, Value>) -> Binding<Value> {
    Binding(
      source: BindingSource(store: ObjectIdentifier(self), path: place.path),
      read: { try self.read(place) },
      write: { body in try await self.edit(place, body) })
  }
}

/// Tells the bindings of one store's places from each other and from others'.
private struct BindingSource: Hashable, Sendable {
  let store: ObjectIdentifier
  let path: String
}
