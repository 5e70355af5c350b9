import BinderyCore
import BinderyHTTP
import BinderyJSON

/// A request to revert a revision.
struct RevertRequest: Sendable {
  /// The revision.
  let number: Int
  /// Compared with the ETag of the complete state, like those of a write to `/state`.
  let conditions: Conditions
  /// The metadata of the commit, which the history stores in addition to its changes.
  let metadata: CommitMetadata
  /// The idempotency key with the digest of the request; nil if it has no key.
  let keyed: KeyedRequest?
  /// Called once with the response, on any thread, perhaps before ``HistoryResource/revert(_:)`` returns.
  let complete: @Sendable (Result<Response, Problem>) -> Void
}

extension HistoryResource {
  /// Reverts the changes of one revision in a new revision.
  ///
  /// The revert succeeds only if every changed place is still as that revision left it. Later changes at other places
  /// are preserved.
  func revert(_ request: RevertRequest) {
    // Decided on the newest state, like a write: another server may have committed the revision, or this request.
    let result = store.transact(
      { head in (response(request, on: head), .unchanged) },
      completion: { [self] result in
        switch result {
        case .success(let (response, _)): revert(request, response)
        case .failure(.overtaken): revert(request)
        case .failure(let failure): request.complete(.failure(Problem(failure)))
        }
      })
    if case .published(let response, _) = result { revert(request, response) }
  }

  /// Returns the response to a revert whose revision need not be read; nil to read it.
  private func response(_ request: RevertRequest, on head: Snapshot<Root>) -> Result<Response, Problem>? {
    do throws(Problem) {
      if let keyed = request.keyed, let known = try state.knownResult(of: keyed) {
        return .success(try RecordedResponse(known).replayed { _ in nil })
      }
      guard request.number > head.revision else { return nil }
      try state.check(request.conditions, in: head)
      throw Problem(
        .noSuchElement, "Revision \(request.number) does not exist. The current revision is \(head.revision).")
    } catch { return .failure(error.with { $0.revision = head.revision }) }
  }

  private func revert(_ request: RevertRequest, _ response: Result<Response, Problem>?) {
    if let response { return request.complete(response) }
    let number = request.number
    guard let history else { return request.complete(.failure(gone(number))) }
    history.revisions(HistoryQuery(after: number - 1, limit: 1)) { [self] result in
      switch result {
      case .failure(let failure): request.complete(.failure(Problem(reading: failure)))
      case .success(let found):
        guard let revision = found.revisions.first, revision.number == number else {
          return request.complete(.failure(gone(number)))
        }
        revert(revision, request)
      }
    }
  }

  private func gone(_ number: Int) -> Problem {
    Problem(.gone, "Revision \(number) is no longer stored, so it cannot be reverted.")
      .with { $0.revision = store.snapshot.revision }
  }

  /// - Parameter lease: The memory that an earlier attempt has reserved.
  private func revert(_ revision: Revision, _ request: RevertRequest, holding lease: Budget.Lease? = nil) {
    guard let lease = lease ?? writeBudget.lease(revision.byteCount) else {
      return request.complete(.failure(.tooManyPendingBytes))
    }
    let reversal: Reversal
    do throws(RestoreError) { reversal = try Reversal(of: revision, model.shape.type) } catch {
      return request.complete(.failure(.cannotRestore(error, revision.number)))
    }
    let result = store.transact(
      attempts: StateResource<Root>.unlockedAttempts,
      { head in draft(reversal, request, on: head) },
      completion: { result in
        withExtendedLifetime(lease) {}
        switch result {
        case .success(let (response, _)): request.complete(response)
        case .failure(.overtaken): self.revert(revision, request, holding: lease)
        case .failure(let failure): request.complete(.failure(Problem(failure)))
        }
      })
    if case .published(let response, _) = result { request.complete(response) }
  }

  /// Creates the draft of a revert. The store may call it while it holds its lock.
  ///
  /// - Returns: The response and the draft.
  private func draft(
    _ reversal: Reversal, _ request: RevertRequest, on head: Snapshot<Root>
  ) -> (Result<Response, Problem>, Store<Root>.Draft) {
    do throws(Problem) {
      if let keyed = request.keyed, let known = try state.knownResult(of: keyed) {
        return (.success(try RecordedResponse(known).replayed { _ in nil }), .unchanged)
      }
      try state.check(request.conditions, in: head)
      let root = try root(reversal, from: head.root)
      if model.shape.areSame(root, head.root) {
        return (.success(Self.response(head.revision, changed: false)), .unchanged)
      }
      let revision = head.revision + 1
      let response = Self.response(revision, changed: true)
      let metadata = request.keyed.map { request.metadata.adding($0, response, revision) } ?? request.metadata
      return (.success(response), .changed(root, metadata))
    } catch {
      return (.failure(error.with { $0.revision = head.revision }), .unchanged)
    }
  }

  /// Returns the state without the changes of a revision.
  private func root(_ reversal: Reversal, from base: Root) throws(Problem) -> Root {
    var root = base
    var changedPointer: String?
    var isOrder = false
    do throws(RestoreError) {
      changedPointer = try model.shape.firstChange(in: base, since: reversal.patch, reversal.decodedValues)
      if changedPointer == nil {
        try model.shape.restore(&root, reversal.undo, reversal.decodedValues, isRebased: true)
        // `firstChange` does not compare the positions of moved elements. Applying the patch again to the reverted
        // state must give the current state; otherwise an element was moved since.
        if let moved = reversal.patch.firstMovedElement {
          var reapplied = root
          try model.shape.restore(&reapplied, reversal.patch, reversal.decodedValues, isRebased: true)
          if !model.shape.areSame(reapplied, base) { (changedPointer, isOrder) = (moved, true) }
        }
      }
    } catch { throw .cannotRestore(error, reversal.number) }
    if let changedPointer {
      let change = isOrder ? "the order of the elements around “\(changedPointer)”" : "“\(changedPointer)”"
      throw Problem(
        .changedSince,
        "Revision \(reversal.number) cannot be reverted: \(change) was changed by a later revision."
      ).with { $0.pointer = changedPointer }
    }
    do throws(ValidationError) { try model.shape.check(root, since: base) } catch { throw Problem(error) }
    do throws(InvalidState) { _ = try model.settle(&root, from: base) } catch {
      throw Problem(error)
    }
    return root
  }

  private static func response(_ revision: Int, changed: Bool) -> Response {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("revision", Int64(revision))
    writer.endObject()
    return Response(.ok, .json(writer.bytes), revision: revision, changed: changed)
  }
}

/// A revision that is to be reverted: its patches, parsed before the store is locked.
private struct Reversal {
  let number: Int
  let patch: StoredPatch
  let undo: StoredPatch
  /// The values of the patches that earlier attempts have decoded.
  let decodedValues = DecodedValues()

  init(of revision: Revision, _ type: TypeInfo) throws(RestoreError) {
    number = revision.number
    patch = try StoredPatch(parsing: revision.patch)
    undo = try StoredPatch(parsing: revision.undo)
    try undo.requireMembers(of: type)
  }
}

extension Problem {
  /// The patches of a revision do not fit the types any more.
  fileprivate static func cannotRestore(_ error: RestoreError, _ number: Int) -> Problem {
    Problem(
      .changedSince, "Revision \(number) cannot be reverted: an earlier value cannot be restored: \(error.reason)."
    ).with { $0.pointer = error.pointer }
  }
}
