package import BinderyDigest
import Synchronization

/// The state: one value that one writer at a time commits to and that readers read without waiting for writers.
///
/// A commit has three phases:
///
/// 1. **Draft**: check the conditions against the newest draft (the head), apply the edit, and detect whether anything
///    changed. Only writers wait for a draft. A write that can take long is decided without the writer lock, and the
///    decision is used only if the head has not changed.
/// 2. **Journal**: the journal's thread writes all pending drafts as one batch, without holding a lock.
/// 3. **Publish**: the last draft of the batch becomes visible to readers, and then the writers receive their
///    responses.
///
/// A decision made on an unpublished head, even a rejection, waits until that head is published. Otherwise a response
/// could reveal a value that is lost in a crash.
public final class Store<Root: Sendable>: Sendable {
  /// Held while a draft becomes the head, and while a draft is made that no other commit may overtake, so the body of
  /// a commit runs under it. Only writers wait for it, never readers or a journal that succeeds. Acquired before
  /// ``lock``.
  private let turn = Mutex(())
  /// The task that holds ``turn``; 0 if there is none. It detects a commit in the body of a commit, which would wait
  /// for itself.
  private let writer = Atomic<UInt>(0)
  /// Guards ``queue``. Held for a few assignments: no code of the model and no callback runs under it.
  private let lock = Mutex(())
  private let queue: CommitQueue
  /// The published revision, so that a reader can detect without the lock that nothing has changed.
  private let latest: Atomic<Int>
  private let journal: (any Journal)?
  /// Whether other servers commit to the same storage.
  package let isShared: Bool
  private let recorder: (any VersionRecorder)?
  /// The model of the state.
  @usableFromInline package let model: ModelDefinition<Root>
  /// The key of the digests in entity tags.
  package let key: DigestKey
  /// The history that the revisions belong to.
  package let history: HistoryID
  /// The results of the latest commits with idempotency keys.
  package let keyedResults: KeyedResults
  /// The number of decisions that were made again because another server had committed first.
  let repeatedDecisions = Atomic(0)

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - root: the initial state.
  ///   - model: the model of the state.
  ///   - revision: the number of commits that led to the initial state.
  ///   - journal: stores each commit durably before the commit is published; nil to publish immediately.
  ///   - recorder: makes the history of a store without a journal; nil for no history.
  ///   - key: the key of the digests in entity tags.
  ///   - history: the history that the revisions belong to.
  ///   - keyedResults: the results of earlier commits with idempotency keys, in the order of the commits.
  package init(
    _ root: Root, of model: ModelDefinition<Root>, revision: Int = 0, journal: (any Journal)? = nil,
    recorder: (any VersionRecorder)? = nil, key: DigestKey = .random(), history: HistoryID = .random(),
    keyedResults: [KeyedResult] = []
  ) {
    let first = Snapshot(revision: revision, root: root)
    _ = recorder?.record(first, revision: revision)
    self.recorder = recorder
    self.model = model
    self.key = key
    self.history = history
    self.keyedResults = KeyedResults(keyedResults)
    self.queue = CommitQueue(first, self.keyedResults)
    self.latest = Atomic(revision)
    (self.journal, isShared) = (journal, journal?.isShared ?? false)
  }

  /// Returns a version that the queue has.
  ///
  /// Assigned in the closure instead of being its result: the runtime would look up the metadata of a generic result in
  /// each commit.
  @inline(__always)
  private func version(_ path: (CommitQueue) -> Snapshot<Root>) -> Snapshot<Root> {
    var version: Snapshot<Root>?
    lock.withLock { _ in version = path(queue) }
    guard let version else { preconditionFailure("a lock runs its body") }
    return version
  }

  /// Accesses the queue while holding its lock.
  @inline(__always)
  func withQueue<Result: Sendable>(_ body: (CommitQueue) -> Result) -> Result {
    lock.withLock { _ in body(queue) }
  }

  /// Runs `body` while no other writer can commit.
  ///
  /// - Parameter task: the identity of the task that commits; 0 for a thread of the library.
  @inline(__always)
  private func inTurn(of task: UInt = 0, _ body: () -> Void) {
    func run() {
      writer.store(task, ordering: .relaxed)
      body()
      writer.store(0, ordering: .relaxed)
    }
    if turn.withLockIfAvailable({ _ in run() }) != nil { return }
    // Only this task stores its own identity, so no stronger ordering is necessary.
    if task != 0, writer.load(ordering: .relaxed) == task { stopNestedCommit() }
    turn.withLock { _ in run() }
  }

  /// Whether a journal stores the commits.
  package var hasJournal: Bool { journal != nil }

  /// The published revision.
  public var revision: Int { latest.load(ordering: .acquiring) }

  /// The published version, which is immutable.
  public var snapshot: Snapshot<Root> { version { $0.published } }
}

// MARK: Committing

extension Store {
  /// Decides on the head and drafts the next version. Intended for event loops.
  ///
  /// If `epoch` is set on return, the caller must hold the response back until ``outcome(of:in:)`` is no longer
  /// `pending`; observers are notified of each change of an outcome. The caller must call ``wakeJournal()`` after one
  /// or more commits.
  ///
  /// No enum or tuple over `Root` is used here, because the runtime would look up its metadata in each commit.
  ///
  /// - Parameters:
  ///   - epoch: set if the response must wait.
  ///   - attempts: how often to decide while others commit; see ``commitDraft(attempts:of:_:orWait:)``.
  ///   - draft: checks the conditions and returns the next version, or nil if nothing changes. It sets its second
  ///     argument to what it has changed, if it knows. It may be called several times, with different heads, and must
  ///     not have side effects except on its captures.
  /// - Returns: the version that the decision is valid for: the new draft, or the head if nothing changed.
  package func commitDraft(
    _ epoch: inout CommitEpoch?, attempts: Int = 0, _ draft: (Snapshot<Root>, inout Change?) -> Snapshot<Root>?
  ) -> Snapshot<Root> {
    commitDraft(attempts: attempts, of: 0, draft) { queue, _, isUnconfirmed in
      epoch = queue.epoch(isUnconfirmed: isUnconfirmed)
    }
  }

  /// The work after a commit that must not run under the locks: calling observers and releasing old versions.
  private struct Aftermath {
    var observers: [@Sendable () -> Void] = []
    /// Perhaps the last reference to a large part of an old state. `AnyObject`, because extending the lifetime of a
    /// `Snapshot<Root>` would look up its metadata.
    var replaced: AnyObject?
  }

  /// Decides while others commit, so that they do not wait for a long decision, and commits the result.
  ///
  /// Such a decision counts only if its head is still the newest one; otherwise the next attempt decides again. The
  /// last decision is made in the writer's turn, so that a busy store delays no writer forever.
  ///
  /// - Parameters:
  ///   - task: the identity of the task that commits; 0 for an event loop.
  ///   - wait: called with the queue's lock held if the response must wait, and with whether the decision must be
  ///     confirmed.
  func commitDraft(
    attempts: Int, of task: UInt, _ draft: (Snapshot<Root>, inout Change?) -> Snapshot<Root>?,
    orWait wait: (CommitQueue, Snapshot<Root>, Bool) -> Void
  ) -> Snapshot<Root> {
    var aftermath = Aftermath()
    var version: Snapshot<Root>?
    for _ in 0..<attempts where version == nil {
      let head = self.version { $0.head }
      var change: Change?
      // Released without a lock if another commit was faster.
      let next = draft(head, &change)
      var isValid = false
      inTurn(of: task) { isValid = commit(next, change, on: head, &aftermath, orWait: wait) }
      if isValid { version = next ?? head }
    }
    if version == nil {
      inTurn(of: task) {
        let head = self.version { $0.head }
        var change: Change?
        let next = draft(head, &change)
        if commit(next, change, on: head, &aftermath, orWait: wait) { version = next ?? head }
      }
    }
    for observer in aftermath.observers { observer() }
    withExtendedLifetime(aftermath.replaced) {}
    recorder?.wakeIfNeeded()
    guard let version else { preconditionFailure("nothing replaces the head in a writer's turn") }
    return version
  }

  /// Makes a draft the head.
  ///
  /// - Parameters:
  ///   - next: the draft; nil if the decision was that nothing changes.
  ///   - base: the version that the decision was made on.
  /// - Returns: false if `base` is not the head any more, so that the decision is not valid.
  private func commit(
    _ next: Snapshot<Root>?, _ change: Change?, on base: Snapshot<Root>, _ aftermath: inout Aftermath,
    orWait wait: (CommitQueue, Snapshot<Root>, Bool) -> Void
  ) -> Bool {
    withQueue { queue in
      guard queue.head === base else { return false }
      if let next { append(next, change, to: queue, insteadOf: base, &aftermath) }
      // Without a journal the head is always published.
      if journal != nil, !queue.isPublished || isShared { wait(queue, queue.head, next == nil && isShared) }
      return true
    }
  }

  /// Makes a draft the head, and publishes it if there is no journal. A function of its own, because a local variable
  /// for the draft would retain it.
  private func append(
    _ next: Snapshot<Root>, _ change: Change?, to queue: CommitQueue, insteadOf base: Snapshot<Root>,
    _ aftermath: inout Aftermath
  ) {
    if let result = next.metadata.keyedResult { keyedResults.append(result) }
    guard journal == nil else { return queue.append(next, change) }
    queue.publish(draft: next)
    latest.store(next.revision, ordering: .releasing)
    // A recorder keeps the version that was published before.
    aftermath.replaced = recorder == nil ? base : recorder?.record(next, revision: next.revision)
    if queue.isObserved { aftermath.observers = Array(queue.observers.values) }
  }

  /// Wakes the journal, if there is one, to write all pending drafts. One call is enough for several drafts.
  package func wakeJournal() { journal?.wake() }

  /// Removes pending drafts from the queue and returns them; nil if there are none. Called by the journal.
  ///
  /// - Parameters:
  ///   - last: The last draft that the journal has taken and not finished.
  ///   - limit: The maximum number of drafts. Decisions and reads are taken together with the last pending draft.
  package func takeBatch(after last: Snapshot<Root>? = nil, atMost limit: Int = .max) -> Batch<Root>? {
    let (base, pending, changes, confirmation, reads) = withQueue { queue in
      let base = last ?? queue.published
      if queue.pending.count > limit {
        let (drafts, changes) = (Array(queue.pending.prefix(limit)), Array(queue.pendingChanges.prefix(limit)))
        queue.pending.removeFirst(limit)
        queue.pendingChanges.removeFirst(limit)
        return (base, drafts, changes, nil as Confirmation?, nil as Confirmation?)
      }
      defer { (queue.pending, queue.pendingChanges, queue.confirmation, queue.newestReads) = ([], [], nil, nil) }
      return (base, queue.pending, queue.pendingChanges, queue.confirmation, queue.newestReads)
    }
    if pending.isEmpty, confirmation == nil, reads == nil { return nil }
    // Outside the lock, because each cast is a dynamic type check.
    let drafts = pending.compactMap { $0 as? Snapshot<Root> }
    precondition(drafts.count == pending.count, "the queue holds an object that is not a draft")
    assert(drafts.isEmpty || drafts.first?.revision == base.revision + 1)
    return Batch(base: base, drafts: drafts, changes: changes, confirmation: confirmation, newestReads: reads)
  }

  /// Publishes a batch that was stored, or discards it together with all drafts that build on it. Called by the
  /// journal.
  package func finish(_ batch: Batch<Root>, _ result: Result<Void, JournalFailure>) {
    guard let last = batch.drafts.last else { return }
    if case .failure(let failure) = result { return discardDrafts(attempted: last.revision, failure) }
    // The previous version is released outside the lock: it may be the last reference to a large part of an old state.
    let (previous, completions, observers) = withQueue { queue in
      let previous = queue.publish(last)
      latest.store(last.revision, ordering: .releasing)
      let ready = queue.waiting.prefix { $0.revision <= last.revision }
      queue.waiting.removeFirst(ready.count)
      return (previous, ready.map(\.completion), Array(queue.observers.values))
    }
    for completion in completions { completion(.success(())) }
    for observer in observers { observer() }
    withExtendedLifetime(previous) {}
  }

  /// Discards all drafts, and publishes a version that is stored, if there is one.
  ///
  /// - Parameter results: the results of the commits with idempotency keys that led to the version.
  func discardDrafts(
    attempted: Int, _ failure: JournalFailure, publishing stored: Snapshot<Root>? = nil,
    _ results: [KeyedResult] = []
  ) {
    // Released outside the locks, as in `finish`.
    var replaced: [any AnyObject & Sendable] = []
    var completions: [@Sendable () -> Void] = []
    var observers: [@Sendable () -> Void] = []
    inTurn {
      withQueue { queue in
        (replaced, completions) = queue.discardDrafts(attempted: attempted, failure)
        observers = Array(queue.observers.values)
        guard let stored else { return }
        replaced.append(queue.replaceAll(by: stored))
        for result in results { keyedResults.append(result) }
        latest.store(stored.revision, ordering: .releasing)
      }
    }
    for completion in completions { completion() }
    for observer in observers { observer() }
    withExtendedLifetime(replaced) {}
  }

  /// Returns the outcome of a decision whose response had to wait.
  ///
  /// - Parameters:
  ///   - revision: the revision of the version that the decision was made on.
  ///   - epoch: the epoch that the decision was made in.
  package func outcome(of revision: Int, in epoch: CommitEpoch) -> CommitOutcome {
    // The load must precede the check of the epoch: if the epoch still lasts after the load, the loaded revision
    // belongs to it or to an earlier one. In the opposite order it could be a revision of the next epoch with the same
    // number.
    let latest = latest.load(ordering: .acquiring)
    if let outcome = epoch.outcome(of: revision) { return outcome }
    return revision <= latest && !epoch.isConfirmation ? .published : .pending
  }

  /// Publishes versions that turned out to be stored after their writers had received an unknown outcome.
  ///
  /// Drafts made in the meantime are discarded, and their completions receive `failure`.
  package func adopt(_ batch: Batch<Root>, refusing failure: JournalFailure) {
    discardDrafts(
      attempted: revision, failure, publishing: batch.drafts.last,
      batch.drafts.compactMap { $0.metadata.keyedResult })
  }

  /// Publishes the version that commits of other servers led to. Drafts are discarded, and decided again.
  package func advance(to root: Root, revision: Int, _ results: [KeyedResult]) {
    discardDrafts(
      attempted: .max, .overtaken, publishing: Snapshot(revision: revision, root: root), results)
  }

  /// Ends the sequences of values. With a journal, also refuses all commits that are not published yet, and all later
  /// ones. Called after the journal has stopped; may be called again.
  package func close() {
    let failure = JournalFailure.unavailable("The store is closed, because the service has stopped.")
    let completions = withQueue { queue -> [@Sendable () -> Void] in
      queue.isClosed = true
      let observers = Array(queue.observers.values)
      guard journal != nil else { return observers }
      defer { (queue.waiting, queue.confirmation, queue.newestReads) = ([], nil, nil) }
      queue.closure = failure
      return queue.waiting.map { waiting in { waiting.completion(.failure(failure)) } }
        + (queue.confirmation?.end(failure) ?? []) + (queue.newestReads?.end(failure) ?? []) + observers
    }
    for completion in completions { completion() }
  }

  /// Whether the service of the store has stopped.
  var isClosed: Bool { withQueue { $0.isClosed } }
}

// MARK: Observing

extension Store {
  /// Registers a callback that runs after each publication and after each journal failure.
  ///
  /// - Parameter observer: called on the thread that publishes, without holding the lock; it must not block.
  /// - Returns: the identifier for ``removeObserver(_:)``.
  package func observe(_ observer: @escaping @Sendable () -> Void) -> ObserverID {
    withQueue { queue in
      queue.lastObserverNumber += 1
      let id = ObserverID(number: queue.lastObserverNumber)
      queue.observers[id] = observer
      return id
    }
  }

  /// Removes an observer. A call of it that has already begun on another thread may still be running.
  package func removeObserver(_ id: ObserverID) {
    // Released outside the lock, because the closure's captures may run a `deinit`.
    let observer = withQueue { $0.observers.removeValue(forKey: id) }
    withExtendedLifetime(observer) {}
  }
}

/// Stops the process because the body of a commit commits to the store that it runs in.
private func stopNestedCommit() -> Never {
  fatalError(
    """
    The body of a commit committed to the same store. Change the draft that the body receives, or commit before or \
    after this commit.
    """)
}
