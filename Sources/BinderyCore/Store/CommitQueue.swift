/// The identifier of a registered observer of a store.
package struct ObserverID: Hashable, Sendable {
  let number: Int
}

extension Store {
  /// The number of drafts that the journal has not taken yet.
  package var pendingCount: Int { withQueue { $0.pending.count } }

  /// The drafts between the published version and the head, and the callbacks that wait for them.
  ///
  /// Accessed only while holding ``Store/lock``. It is a class next to the lock instead of a value inside `Mutex`,
  /// because the metadata of a generic type over `Root` would be looked up in each commit.
  final class CommitQueue: @unchecked Sendable {
    /// The newest draft, on which the next commit is decided; the published version if there is no draft.
    private(set) var head: Snapshot<Root>
    /// The published version while there are drafts; nil if the head is published.
    private var publishedBeforeHead: Snapshot<Root>?
    /// The drafts that the journal has not taken yet. Stored as existentials, because appending to an array of
    /// `Snapshot<Root>` would look up its metadata in each commit.
    var pending: [any AnyObject & Sendable] = []
    /// The change of each of these drafts; nil if it must be found by comparing the draft with its predecessor.
    var pendingChanges: [Change?] = []
    /// Completion callbacks in ascending order of revision, called once their revision is published or discarded.
    var waiting: [(revision: Int, completion: @Sendable (Result<Void, JournalFailure>) -> Void)] = []
    var epoch = CommitEpoch()
    /// The decisions that wait to be confirmed and that the journal has not taken yet; nil if there are none.
    var confirmation: Confirmation?
    /// The reads of the newest state that the journal has not taken yet; nil if there are none.
    var newestReads: Confirmation?
    /// Whether event loops defer their decisions; see ``Store/deferDecision()``.
    var isDeferring = false
    /// Whether a decision was deferred in this epoch.
    var hasDeferred = false
    /// The last epoch that has ended.
    var endedEpoch = CommitEpoch()
    var observers: [ObserverID: @Sendable () -> Void] = [:] {
      didSet { isObserved = !observers.isEmpty }
    }
    /// Whether `observers` has any element; cached, because each commit reads it.
    private(set) var isObserved = false
    var lastObserverNumber = 0
    /// The reason why the journal stores no more drafts, once it has stopped.
    var closure: JournalFailure?
    /// Whether the service of the store has stopped.
    var isClosed = false
    let keyedResults: KeyedResults

    init(_ first: Snapshot<Root>, _ keyedResults: KeyedResults) {
      (head, self.keyedResults) = (first, keyedResults)
    }

    /// Returns the epoch of a decision of an event loop, which then closes it (``CommitEpoch/closeDecision()``).
    ///
    /// - Parameter isUnconfirmed: whether it changed nothing, and must be confirmed.
    func epoch(isUnconfirmed: Bool) -> CommitEpoch {
      if isUnconfirmed, confirmation == nil { confirmation = Confirmation() }
      let epoch = isUnconfirmed ? confirmation?.epoch ?? epoch : epoch
      epoch.addDecision()
      return epoch
    }

    /// The newest version that readers see.
    var published: Snapshot<Root> { publishedBeforeHead ?? head }

    /// Whether the head is published.
    var isPublished: Bool { publishedBeforeHead == nil }

    /// Makes a draft the head. The journal publishes it later.
    func append(_ draft: Snapshot<Root>, _ change: Change?) {
      if publishedBeforeHead == nil { publishedBeforeHead = head }
      head = draft
      pending.append(draft)
      pendingChanges.append(change)
    }

    /// Makes a draft the head and publishes it.
    ///
    /// - Precondition: The head before is published.
    @inline(__always)
    func publish(draft: Snapshot<Root>) {
      assert(isPublished)
      head = draft
    }

    /// Publishes the head or a version before it, and returns the previously published version.
    func publish(_ version: Snapshot<Root>) -> Snapshot<Root> {
      defer { publishedBeforeHead = version === head ? nil : version }
      return published
    }

    /// Publishes a version that is not in the queue, and returns the previously published one.
    ///
    /// - Precondition: The queue has no drafts.
    func replaceAll(by version: Snapshot<Root>) -> Snapshot<Root> {
      assert(isPublished)
      defer { head = version }
      return head
    }

    /// Discards all drafts after the published version, and begins a new epoch.
    ///
    /// - Parameter attempted: the last revision that the journal tried to store.
    /// - Returns: what the caller must release after it has released the lock, and the callbacks of the discarded
    ///   drafts.
    func discardDrafts(
      attempted: Int, _ failure: JournalFailure
    ) -> (discarded: [any AnyObject & Sendable], completions: [@Sendable () -> Void]) {
      defer {
        (head, publishedBeforeHead) = (published, nil)
        (pending, pendingChanges, waiting, confirmation) = ([], [], [], nil)
        hasDeferred = false
        (endedEpoch, epoch) = (epoch, CommitEpoch())
      }
      keyedResults.removeAll(after: published.revision)
      epoch.end(at: published.revision, attempted: attempted, failure)
      let completions = waiting.map { revision, completion in
        { @Sendable in completion(.failure(revision <= attempted ? failure : failure.ofLaterCommits)) }
      }
      return (pending + [head], completions + (confirmation?.end(failure.ofLaterCommits) ?? []))
    }
  }
}
