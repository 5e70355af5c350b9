import BinderyDigest

extension Store {
  /// Returns the value at a place in the published version.
  ///
  /// - Throws: ``Absence`` if the place does not exist.
  @inlinable
  public func read<Value>(_ place: StatePlace<Root, Value>) throws(Absence) -> Value {
    try snapshot.read(place)
  }

  /// Returns the entity tag of a place in the published version: the value of the header `ETag` over HTTP.
  ///
  /// - Throws: ``Absence`` if the place does not exist.
  /// - Complexity: O(size of the parts that have changed since their last digest).
  public func entityTag<Value>(of place: StatePlace<Root, Value>) throws(Absence) -> String {
    Self.entityTag(place.shape.digest(try place.access.get(snapshot.root), key))
  }

  private static func entityTag(_ digest: Digest) -> String { "\"\(digest.text)\"" }

  /// Edits the value at a place atomically and returns once the change is stored and published.
  ///
  /// - Parameters:
  ///   - place: the place to edit.
  ///   - entityTag: the entity tag that the place must have, as from ``entityTag(of:)`` or the header `ETag`; `*` for
  ///     any, nil for no condition.
  ///   - author: the author of the commit, which the history shows as `by`.
  ///   - body: edits the value. Other commits wait for it; it may read the store, but must not commit to it. It may
  ///     run again if several servers share the store.
  /// - Returns: the value that `body` returned, the revision, and whether the place kept the value.
  /// - Throws: ``Absence`` if the place does not exist, ``ValidationError`` if it is read-only or if `body` changes the
  ///   id of an element, ``CommitError``, or any error thrown by `body`. The state is then unchanged, except after
  ///   ``CommitError/unknownOutcome(_:)``.
  @discardableResult @inlinable
  public nonisolated(nonsending) func edit<Value, Output: Sendable>(
    _ place: StatePlace<Root, Value>, ifMatch entityTag: String? = nil, by author: String? = nil,
    _ body: (inout Value) throws -> Output
  ) async throws -> CommitResult<Output> {
    try await decide { base in
      try require(entityTag, at: place, in: base)
      return try draft(from: base, at: place, by: author, body)
    }
  }

  /// Edits several places atomically, in one revision, and returns once the change is stored and published.
  ///
  /// - Parameters:
  ///   - entityTag: the entity tag that the whole state must have; nil for no condition.
  ///   - author: the author of the commit, which the history shows as `by`.
  ///   - body: edits the draft. Other commits wait for it; it may read the store, but must not commit to it. It may
  ///     run again if several servers share the store.
  /// - Returns: the value that `body` returned, the revision, and whether the state kept the draft.
  /// - Throws: ``CommitError``, or any error thrown by `body`. The state is then unchanged, except after
  ///   ``CommitError/unknownOutcome(_:)``.
  @discardableResult @inlinable
  public nonisolated(nonsending) func commit<Output: Sendable>(
    ifMatch entityTag: String? = nil, by author: String? = nil, _ body: (inout Root) throws -> Output
  ) async throws -> CommitResult<Output> {
    try await edit(model.root, ifMatch: entityTag, by: author, body)
  }

  /// Commits without waiting for the result. A rejected commit and a journal failure are ignored and change nothing.
  package func post(_ body: (inout Root) -> Void) {
    var result: Result<Decision<Void>, any Error>?
    _ = decide { head in
      deciding(on: head, &result) { base in try draft(from: base, at: model.root, body) }
    } orWait: { _ in
      { _ in }
    }
  }

  /// Returns a binding of a place, for controls that must not depend on the store.
  public func binding<Value>(_ place: StatePlace<Root, Value>) -> StateBinding<Value> {
    StateBinding(
      source: BindingSource(store: ObjectIdentifier(self), path: Array(place.path.utf8)),
      read: { try self.read(place) },
      write: { body in _ = try await self.edit(place, body) })
  }
}

extension Store {
  /// The decision of a commit on a head.
  @usableFromInline
  struct Decision<Output: Sendable>: Sendable {
    @usableFromInline let output: Output
    @usableFromInline let isChanged: Bool
    @usableFromInline let outcome: WriteOutcome

    @inlinable
    init(output: Output, isChanged: Bool, outcome: WriteOutcome) {
      self.output = output
      self.isChanged = isChanged
      self.outcome = outcome
    }
  }

  /// Decides on the newest head and waits until the decision is final.
  ///
  /// Inlinable up to the store's own functions, which are not generic over `Output`: the caller's model and body are
  /// then compiled without metadata. A task suspends only if the outcome is not known yet.
  @inlinable
  nonisolated(nonsending) func decide<Output: Sendable>(
    _ body: (Root) throws -> (Decision<Output>, Draft)
  ) async throws -> CommitResult<Output> {
    while true {
      var result: Result<Decision<Output>, any Error>?
      var pending: PendingOutcome?
      let version = decide { head in
        deciding(on: head, &result, body)
      } orWait: { _ in
        let outcome = PendingOutcome()
        pending = outcome
        return { outcome.finish($0) }
      }
      switch await pending?.value ?? .success(()) {
      case .success:
        guard let result else { preconditionFailure("a commit runs its body") }
        let decision = try result.get()
        return CommitResult(
          value: decision.output, revision: version.revision, isChanged: decision.isChanged, outcome: decision.outcome)
      case .failure(.overtaken): countRepeatedDecision()
      case .failure(let failure): throw CommitError(failure)
      }
    }
  }

  /// Runs the body of a commit on a head.
  ///
  /// - Returns: the next version; nil if nothing changes.
  @inlinable
  func deciding<Output>(
    on head: Snapshot<Root>, _ result: inout Result<Decision<Output>, any Error>?,
    _ body: (Root) throws -> (Decision<Output>, Draft)
  ) -> Snapshot<Root>? {
    do {
      let (decision, draft) = try body(head.root)
      result = .success(decision)
      if case .changed(let root, let metadata) = draft { return head.next(root, metadata: metadata) }
    } catch { result = .failure(error) }
    return nil
  }

  /// Applies a commit's body to a place of the base, checks the constraints, and lets the model settle the draft.
  @inlinable
  func draft<Value, Output>(
    from base: Root, at place: StatePlace<Root, Value>, by author: String? = nil,
    _ body: (inout Value) throws -> Output
  ) throws -> (Decision<Output>, Draft) {
    var root = base
    var values: (before: Value, written: Value)?
    let output = try place.access.edit(&root) { value in
      let before = value
      let output = try body(&value)
      values = (before, value)
      return output
    }
    guard let (before, written) = values else { preconditionFailure("an access calls its body or throws") }
    do throws(ValidationError) {
      if place.isLocal { try place.check(written, since: before) } else { try model.shape.check(root, since: base) }
    } catch { throw CommitError.invalid(error) }
    let isAsDrafted: Bool
    do throws(InvalidState) {
      isAsDrafted = try model.settle(&root, from: base)
    } catch { throw CommitError.invalidState(error) }
    let (isChanged, outcome) =
      if place.isLocal, isAsDrafted {
        (!place.shape.areSame(before, written), WriteOutcome.applied)
      } else {
        (!model.shape.areSame(base, root), place.outcome(of: written, from: base, to: root))
      }
    let decision = Decision(output: output, isChanged: isChanged, outcome: outcome)
    return (decision, isChanged ? .changed(root, .inProcess(by: author)) : .unchanged)
  }

  /// Checks the condition of a commit, like `If-Match` (RFC 9110 §13.1.1).
  @inlinable
  func require<Value>(_ entityTag: String?, at place: StatePlace<Root, Value>, in root: Root) throws(CommitError) {
    if let entityTag { try compare(entityTag, at: place, in: root) }
  }

  @usableFromInline
  func compare<Value>(_ entityTag: String, at place: StatePlace<Root, Value>, in root: Root) throws(CommitError) {
    var current: String?
    do throws(Absence) {
      current = Self.entityTag(place.shape.digest(try place.access.get(root), key))
    } catch { throw .conditionFailed(current: nil) }
    // The tags of the server contain no comma.
    let tags = entityTag.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    guard tags == ["*"] || tags.contains(where: { $0 == current }) else { throw .conditionFailed(current: current) }
  }
}

extension StatePlace {
  /// Checks the constraints of a value of this place, only where it differs from `base`.
  ///
  /// - Throws: ``ValidationError`` with the path from the root.
  @inlinable
  func check(_ value: Value, since base: Value) throws(ValidationError) {
    do throws(ValidationError) { try shape.check(value, since: base) } catch {
      // An unchanged value is not checked.
      if shape.areSame(base, value) { return }
      throw error.under(segments)
    }
  }

  /// Returns whether the place kept a value that was written.
  ///
  /// - Parameters:
  ///   - base: the root before the write.
  ///   - root: the settled result.
  @inlinable
  func outcome(of written: Value, from base: Root, to root: Root) -> WriteOutcome {
    guard let kept = try? access.get(root) else { return .adjusted }
    if shape.areSame(written, kept) { return .applied }
    guard let before = try? access.get(base) else { return .adjusted }
    return shape.areSame(before, kept) ? .dropped : .adjusted
  }
}

/// The identity of a binding: two bindings are equal if they have the same store and the same place.
private struct BindingSource: Hashable, Sendable {
  let store: ObjectIdentifier
  /// In UTF-8, because `==` of strings regards two Unicode forms of one id as equal.
  let path: [UInt8]
}
