import BinderyDigest

// Commits whose result is reported once it is final.

extension Store {
  /// The result of deciding on a head.
  @usableFromInline
  package enum Draft {
    /// The state stays the same: the commit was rejected, or its result equals the head.
    case unchanged
    case changed(Root, CommitMetadata = .inProcess)
  }

  /// The result of ``transact(attempts:_:completion:)``.
  @usableFromInline
  package enum TransactionResult<Output: Sendable>: Sendable {
    /// The decision was made on a published version and can be reported immediately.
    case published(Output, Snapshot<Root>)
    /// The decision was made on an unpublished draft; the completion callback reports it.
    case pending
  }

  /// Decides on the head, and wakes the journal if the result must wait.
  ///
  /// - Parameters:
  ///   - attempts: how often to decide while others commit; then `decide` may be called several times.
  ///   - decide: returns the result and the draft. It must not commit to the store.
  ///   - completion: called once if this function returns `pending`: on any thread, and before this function returns if
  ///     the store is closed.
  package func transact<Output: Sendable>(
    attempts: Int = 0, _ decide: (Snapshot<Root>) -> (Output, Draft),
    completion: @escaping @Sendable (Result<(Output, Snapshot<Root>), JournalFailure>) -> Void
  ) -> TransactionResult<Output> {
    var decided: Output?
    var mustWait = false
    let version = self.decide(attempts: attempts) { head in
      let (output, draft) = decide(head)
      decided = output
      guard case .changed(let root, let metadata) = draft else { return nil }
      return head.next(root, metadata: metadata)
    } orWait: { version in
      guard let decided else { preconditionFailure("the output is set before the completion is queued") }
      mustWait = true
      return { completion($0.map { (decided, version) }) }
    }
    guard !mustWait, let decided else { return .pending }
    return .published(decided, version)
  }

  /// Decides on the head, and wakes the journal if the result must wait.
  ///
  /// Not generic over the result of the decision, because its metadata would be looked up in each commit.
  ///
  /// - Parameters:
  ///   - attempts: how often to decide while others commit; then `draft` may be called several times.
  ///   - draft: returns the next version, or nil if nothing changes. It must not commit to the store.
  ///   - wait: called once if the result must wait, with the version that the decision is valid for. Returns the
  ///     callback for the outcome, which is called once: on any thread, and before this function returns if the store
  ///     is closed.
  /// - Returns: the version that the decision is valid for.
  @usableFromInline
  func decide(
    attempts: Int = 0, _ draft: (Snapshot<Root>) -> Snapshot<Root>?,
    orWait wait: (Snapshot<Root>) -> @Sendable (Result<Void, JournalFailure>) -> Void
  ) -> Snapshot<Root> {
    var mustWait = false
    var refusal: (() -> Void)?
    let version = commitDraft(attempts: attempts, of: currentTaskIdentity()) { head, _ in
      draft(head)
    } orWait: { queue, version, isUnconfirmed in
      mustWait = true
      let report = wait(version)
      if let closure = queue.closure {
        refusal = { report(.failure(closure)) }
      } else if isUnconfirmed {
        queue.confirmation = queue.confirmation ?? Confirmation()
        queue.confirmation?.completions.append(report)
      } else {
        queue.waiting.append((version.revision, report))
      }
    }
    if let refusal { refusal() } else if mustWait { wakeJournal() }
    return version
  }
}
