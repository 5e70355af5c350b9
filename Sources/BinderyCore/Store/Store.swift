import Synchronization

/// The state: one value, committed by one writer at a time, read by everyone without waiting.
///
/// A commit goes through three steps. *Draft*: under the store's one lock, on the newest head, conditions are checked,
/// the edit is applied, and it is seen whether anything is different. *Journal*: all drafts that have gathered are
/// written as one batch, by the journal's own thread and under no lock. *Publish*: the newest kept draft becomes what
/// readers see, and then writers are answered. Whatever was decided on a head that is not published waits until it is:
/// a refusal must not show a value that a crash could take back.
public final class Store<Root: Model>: Sendable {
  /// The line of drafts between what is published and the head; only ever looked at under the lock.
  ///
  /// Not inside the lock: a generic type around a type of the state would be looked up in every commit.
  private final class CommitQueue: @unchecked Sendable {
    var head: Snapshot<Root>
    /// Drafts that no journal has taken yet. Any objects, because to add one to a list of its type, that type would be
    /// looked up in every commit.
    var pending: [any AnyObject & Sendable] = []
    /// Answers to give, each when its revision is published or refused, in order.
    var waiting: [(revision: Int, answer: @Sendable (Result<Void, JournalFailure>) -> Void)] = []
    var epoch = CommitEpoch()
    var published: Snapshot<Root>
    var observers: [ObserverID: @Sendable () -> Void] = [:] {
      didSet { isObserved = !observers.isEmpty }
    }
    /// Whether there are any; told without a look at them.
    private(set) var isObserved = false
    var lastObserver = 0

    init(_ first: Snapshot<Root>) {
      head = first
      published = first
    }

    /// Has a version show, and gives back the one before.
    @inline(__always)
    func publish(_ version: Snapshot<Root>) -> Snapshot<Root> {
      defer { published = version }
      return published
    }

    /// What has been drafted on what is published will never be.
    func endEpoch(_ failure: JournalFailure) {
      epoch.end(at: published.revision, failure)
      epoch = CommitEpoch()
    }
  }

  /// Guards the line: held while a draft is made, never across a disk or a network, and never while foreign code that
  /// is not the draft's own runs.
  private let lock = Mutex(())
  private let queue: CommitQueue
  /// The published revision, so that a reader can see without the lock that nothing is new.
  private let latest: Atomic<Int>
  private let journal: (any Journal)?

  /// A store that begins with that state.
  ///
  /// - Parameter revision: how many commits have changed it so far.
  public convenience init(_ root: Root, revision: Int = 0) {
    self.init(root, revision: revision, journal: nil)
  }

  /// - Parameter journal: keeps commits before they show; without one they show at once and are gone at the end.
  package init(_ root: Root, revision: Int = 0, journal: (any Journal)?) {
    let first = Snapshot(revision: revision, root: root)
    self.queue = CommitQueue(first)
    self.latest = Atomic(revision)
    self.journal = journal
  }

  /// Looks at the line, or changes it, while nobody else does.
  @inline(__always)
  private func withQueue<Result: Sendable>(_ body: (CommitQueue) -> Result) -> Result {
    lock.withLock { _ in body(queue) }
  }

  /// Whether commits are kept somewhere.
  package var isKept: Bool { journal != nil }

  /// The published revision.
  public var revision: Int { latest.load(ordering: .acquiring) }

  /// How many drafts no journal has taken yet.
  package var pendingCount: Int { withQueue { $0.pending.count } }

  /// The published version.
  public var snapshot: Snapshot<Root> { withQueue { $0.published } }
}

// MARK: Committing

extension Store {
  /// What a draft came to.
  @usableFromInline
  package enum Draft {
    /// Nothing changes: a refusal, or an equal value.
    case unchanged
    case changed(Root)
  }

  /// How an answer can be given.
  @usableFromInline
  package enum Settlement<Output: Sendable>: Sendable {
    /// Now: what it was decided on is published.
    case now(Output, Snapshot<Root>)
    /// Later, through the closure.
    case later
  }

  /// Decides under the lock on the newest head, for an event loop: the answer is the caller's to keep until it can be
  /// given, which ``outcome(of:in:)`` tells and observers are told of, and what has gathered waits for ``nudge()``.
  ///
  /// Nothing here is an enum or a tuple around the root: each would have the runtime look its type up in every commit.
  ///
  /// - Parameters:
  ///   - draft: checks and drafts the next version, or returns nil where nothing changes; must be pure but for what it
  ///     captures.
  ///   - era: set if the answer must wait.
  /// - Returns: what was decided on.
  package func advance(_ epoch: inout CommitEpoch?, _ draft: (Snapshot<Root>) -> Snapshot<Root>?) -> Snapshot<Root> {
    advance(draft) { queue, _ in epoch = queue.epoch }
  }

  /// - Parameter wait: called under the lock as well, if the answer must wait.
  private func advance(
    _ draft: (Snapshot<Root>) -> Snapshot<Root>?, orWait wait: (CommitQueue, Snapshot<Root>) -> Void
  ) -> Snapshot<Root> {
    var tell: [@Sendable () -> Void] = []
    // Released outside the lock: it may be the last reference to much of an old state. Any object, because to keep a
    // version alive its type would be looked up.
    var replaced: AnyObject?
    var version: Snapshot<Root>?
    withQueue { queue in
      if let next = draft(queue.head) {
        queue.head = next
        if journal == nil {
          replaced = queue.publish(next)
          latest.store(next.revision, ordering: .releasing)
          if queue.isObserved { tell = Array(queue.observers.values) }
        } else {
          queue.pending.append(next)
        }
        version = next
      } else {
        version = queue.head
      }
      // Without a journal the head is published.
      if journal != nil, queue.head !== queue.published { wait(queue, queue.head) }
    }
    for observer in tell { observer() }
    withExtendedLifetime(replaced) {}
    guard let version else { preconditionFailure("nothing was decided on") }
    return version
  }

  /// Tells the journal, where there is one, that drafts have gathered: once for as many as may be.
  package func nudge() { journal?.nudge() }

  /// What has become of a decision that had to wait.
  ///
  /// - Parameters:
  ///   - revision: that of the version that it was made on.
  ///   - era: in which it was made.
  package func outcome(of revision: Int, in epoch: CommitEpoch) -> CommitOutcome {
    // Looked at first: while the era has not ended, it is a revision of this one or of one before.
    let latest = latest.load(ordering: .acquiring)
    if let outcome = epoch.outcome(of: revision) { return outcome }
    return revision <= latest ? .published : .undecided
  }

  /// Decides under the lock on the newest head.
  ///
  /// - Parameter completion: called once if the settlement is `later`, on the journal's thread.
  @usableFromInline
  package func transact<Output: Sendable>(
    _ decide: (Snapshot<Root>) -> (Output, Draft),
    completion: @escaping @Sendable (Result<(Output, Snapshot<Root>), JournalFailure>) -> Void
  ) -> Settlement<Output> {
    var decided: Output?
    var mustWait = false
    let version = advance(
      { head in
        let (answer, draft) = decide(head)
        decided = answer
        guard case .changed(let root) = draft else { return nil }
        return head.next(root)
      },
      orWait: { queue, version in
        guard let decided else { preconditionFailure("the answer is decided before it waits") }
        mustWait = true
        queue.waiting.append((version.revision, { result in completion(result.map { (decided, version) }) }))
      })
    guard !mustWait, let decided else {
      nudge()
      return .later
    }
    return .now(decided, version)
  }

  /// Takes all drafts that have gathered, for a journal to keep.
  package func takeBatch() -> Batch<Root>? {
    let (base, pending) = withQueue { queue in
      defer { queue.pending = [] }
      return (queue.published, queue.pending)
    }
    if pending.isEmpty { return nil }
    // Outside the lock: for each its type is asked.
    let drafts = pending.compactMap { $0 as? Snapshot<Root> }
    precondition(drafts.count == pending.count, "what gathers are drafts")
    // Earlier drafts than these are published: a journal takes a batch only after it finished the one before.
    assert(drafts.first?.revision == base.revision + 1)
    return Batch(base: base, drafts: drafts)
  }

  /// Publishes a batch that is kept, or discards it and everything that was drafted on it.
  package func finish(_ batch: Batch<Root>, _ result: Result<Void, JournalFailure>) {
    guard let last = batch.drafts.last else { return }
    var answers: [@Sendable (Result<Void, JournalFailure>) -> Void] = []
    var observers: [@Sendable () -> Void] = []
    // Released outside the lock: they may be the last references to much of old states.
    var replaced: [AnyObject] = []
    withQueue { queue in
      switch result {
      case .success:
        replaced = [queue.published]
        queue.published = last
        latest.store(last.revision, ordering: .releasing)
        let ready = queue.waiting.prefix { $0.revision <= last.revision }
        answers = ready.map(\.answer)
        queue.waiting.removeFirst(ready.count)
      case .failure(let failure):
        replaced = queue.pending + [queue.head]
        queue.endEpoch(failure)
        queue.head = queue.published
        queue.pending = []
        answers = queue.waiting.map(\.answer)
        queue.waiting = []
      }
      observers = Array(queue.observers.values)
    }
    for answer in answers { answer(result) }
    for observer in observers { observer() }
    withExtendedLifetime(replaced) {}
  }
}

extension Store {
  /// Publishes what was kept although its writers have been told that this is not known; drafts made meanwhile are
  /// discarded and answered with `failure`.
  package func adopt(_ kept: Snapshot<Root>, refusing failure: JournalFailure) {
    let (discarded, answers, observers) = withQueue { queue in
      let discarded: [any Sendable] = queue.pending + [queue.head, queue.published]
      let answers = queue.waiting.map(\.answer)
      queue.endEpoch(failure)
      queue.head = kept
      queue.published = kept
      queue.pending = []
      queue.waiting = []
      latest.store(kept.revision, ordering: .releasing)
      return (discarded, answers, Array(queue.observers.values))
    }
    for answer in answers { answer(.failure(failure)) }
    for observer in observers { observer() }
    withExtendedLifetime(discarded) {}
  }
}

// MARK: Observing

/// Names an observer of a store.
package struct ObserverID: Hashable, Sendable {
  fileprivate let number: Int
}

extension Store {
  /// Has a closure called after each publication and after each refusal to keep something, on the thread that it comes
  /// from, which it must not hold up.
  package func observe(_ observer: @escaping @Sendable () -> Void) -> ObserverID {
    withQueue { queue in
      queue.lastObserver += 1
      let id = ObserverID(number: queue.lastObserver)
      queue.observers[id] = observer
      return id
    }
  }

  package func removeObserver(_ id: ObserverID) {
    // Released outside the lock: what the closure holds may have a `deinit` of its own.
    let observer = withQueue { $0.observers.removeValue(forKey: id) }
    withExtendedLifetime(observer) {}
  }
}
