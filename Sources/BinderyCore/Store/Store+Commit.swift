/// The reason why a commit made by Swift code failed. Errors thrown by the commit's body are rethrown unchanged
/// instead.
public enum CommitError: Error, Hashable, Sendable {
  /// A value breaks a constraint of its shape.
  case invalid(ValidationError)
  /// The model's `settle(from:)` rejects the result.
  case invalidState(InvalidState)
  /// The journal could not store the result; the state is unchanged. The text is the journal's reason.
  case notStored(String)
  /// The journal failed while it stored the result, and cannot tell whether it is stored. Read the state when commits
  /// succeed again. The text is the journal's reason.
  case unknownOutcome(String)
}

extension Store {
  /// Returns the value at a place in the published version.
  ///
  /// - Throws: `Absence` if the place does not exist.
  @inlinable
  public func read<Value>(_ place: Place<Root, Value>) throws(Absence) -> Value {
    try place.access.get(snapshot.root)
  }

  /// Edits the value at a place atomically and returns once the change is stored and published.
  ///
  /// - Parameter body: edits the value; it runs under the store's lock and must not use the store.
  /// - Returns: the value that `body` returned.
  /// - Throws: `Absence` if the place does not exist, ``CommitError``, or any error thrown by `body`. The state is then
  ///   unchanged.
  @discardableResult @inlinable
  public func edit<Value, Output: Sendable>(
    _ place: Place<Root, Value>, _ body: (inout Value) throws -> Output
  ) async throws -> Output {
    try await commit { draft in try place.access.edit(&draft, body) }
  }

  /// Edits several places atomically, in one revision, and returns once the change is stored and published.
  ///
  /// - Parameter body: edits the draft; it runs under the store's lock and must not use the store.
  /// - Returns: the value that `body` returned.
  /// - Throws: ``CommitError``, or any error thrown by `body`. The state is then unchanged.
  @discardableResult @inlinable
  public func commit<Output: Sendable>(_ body: (inout Root) throws -> Output) async throws -> Output {
    let outcome = await withCheckedContinuation { continuation in
      let result = transact({ head in Self.draft(from: head.root, body) }) { outcome in
        continuation.resume(returning: outcome.map(\.0))
      }
      if case .published(let output, _) = result { continuation.resume(returning: .success(output)) }
    }
    switch outcome {
    case .success(let output): return try output.get()
    case .failure(.full(let reason)), .failure(.unavailable(let reason)): throw CommitError.notStored(reason)
    case .failure(.unknownOutcome(let reason, _)): throw CommitError.unknownOutcome(reason)
    }
  }

  /// Commits without waiting for the result. A rejected commit and a journal failure are ignored and change nothing.
  package func post(_ body: (inout Root) -> Void) {
    _ = transact({ head in Self.draft(from: head.root) { draft in body(&draft) } }, completion: { _ in })
  }

  /// Applies a commit's body to the base, checks the constraints, and lets the model settle the draft.
  ///
  /// - Returns: the output or the error of the commit, and the draft.
  @inlinable
  static func draft<Output>(
    from base: Root, _ body: (inout Root) throws -> Output
  ) -> (Result<Output, any Error>, Draft) {
    var root = base
    do {
      let output = try body(&root)
      do throws(ValidationError) { try Root.shape.check(root, since: base) } catch { throw CommitError.invalid(error) }
      do throws(InvalidState) { try root.settle(from: base) } catch { throw CommitError.invalidState(error) }
      return (.success(output), Root.shape.areSame(base, root) ? .unchanged : .changed(root))
    } catch {
      return (.failure(error), .unchanged)
    }
  }
}

extension Store {
  /// Returns a binding of a place, for controls that must not depend on the store.
  public func binding<Value>(_ place: Place<Root, Value>) -> Binding<Value> {
    Binding(
      source: BindingSource(store: ObjectIdentifier(self), path: place.path),
      read: { try self.read(place) },
      write: { body in try await self.edit(place, body) })
  }
}

/// The identity of a binding: two bindings are equal if they have the same store and the same place.
private struct BindingSource: Hashable, Sendable {
  let store: ObjectIdentifier
  let path: String
}
