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
  private final class Line: @unchecked Sendable {
    var head: Snapshot<Root>
    /// Drafts that no journal has taken yet. Any objects, because to add one to a list of its type, that type would be
    /// looked up in every commit.
    var gathered: [any AnyObject & Sendable] = []
    /// Answers to give, each when its revision is published or refused, in order.
    var waiting: [(revision: Int, answer: @Sendable (Result<Void, JournalFailure>) -> Void)] = []
    var era = Era()
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
    func endEra(_ failure: JournalFailure) {
      era.end(at: published.revision, failure)
      era = Era()
    }
  }

  /// Guards the line: held while a draft is made, never across a disk or a network, and never while foreign code that
  /// is not the draft's own runs.
  private let lock = Mutex(())
  private let line: Line
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
    self.line = Line(first)
    self.latest = Atomic(revision)
    self.journal = journal
  }

  /// Looks at the line, or changes it, while nobody else does.
  @inline(__always)
  private func withLine<Result: Sendable>(_ body: (Line) -> Result) -> Result { lock.withLock { _ in body(line) } }

  /// Whether commits are kept somewhere.
  package var isKept: Bool { journal != nil }

  /// The published revision.
  public var revision: Int { latest.load(ordering: .acquiring) }

  /// How many drafts no journal has taken yet.
  package var gatheredCount: Int { withLine { $0.gathered.count } }

  /// The published version.
  public var snapshot: Snapshot<Root> { withLine { $0.published } }
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
  package enum Settlement<Answer: Sendable>: Sendable {
    /// Now: what it was decided on is published.
    case now(Answer, Snapshot<Root>)
    /// Later, through the closure.
    case later
  }

  /// Decides under the lock on the newest head, for an event loop: the answer is the caller's to keep until it can be
  /// given, which ``fate(of:in:)`` tells and observers are told of, and what has gathered waits for ``nudge()``.
  ///
  /// Nothing here is an enum or a tuple around the root: each would have the runtime look its type up in every commit.
  ///
  /// - Parameters:
  ///   - draft: checks and drafts the next version, or returns nil where nothing changes; must be pure but for what it
  ///     captures.
  ///   - era: set if the answer must wait.
  /// - Returns: what was decided on.
  package func advance(_ era: inout Era?, _ draft: (Snapshot<Root>) -> Snapshot<Root>?) -> Snapshot<Root> {
    advance(draft) { line, _ in era = line.era }
  }

  /// - Parameter wait: called under the lock as well, if the answer must wait.
  private func advance(
    _ draft: (Snapshot<Root>) -> Snapshot<Root>?, orWait wait: (Line, Snapshot<Root>) -> Void
  ) -> Snapshot<Root> {
    var tell: [@Sendable () -> Void] = []
    // Released outside the lock: it may be the last reference to much of an old state. Any object, because to keep a
    // version alive its type would be looked up.
    var replaced: AnyObject?
    var version: Snapshot<Root>?
    withLine { line in
      if let next = draft(line.head) {
        line.head = next
        if journal == nil {
          replaced = line.publish(next)
          latest.store(next.revision, ordering: .releasing)
          if line.isObserved { tell = Array(line.observers.values) }
        } else {
          line.gathered.append(next)
        }
        version = next
      } else {
        version = line.head
      }
      // Without a journal the head is published.
      if journal != nil, line.head !== line.published { wait(line, line.head) }
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
  package func fate(of revision: Int, in era: Era) -> Fate {
    // Looked at first: while the era has not ended, it is a revision of this one or of one before.
    let latest = latest.load(ordering: .acquiring)
    if let fate = era.fate(of: revision) { return fate }
    return revision <= latest ? .published : .undecided
  }

  /// Decides under the lock on the newest head.
  ///
  /// - Parameter completion: called once if the settlement is `later`, on the journal's thread.
  @usableFromInline
  package func transact<Answer: Sendable>(
    _ decide: (Snapshot<Root>) -> (Answer, Draft),
    completion: @escaping @Sendable (Result<(Answer, Snapshot<Root>), JournalFailure>) -> Void
  ) -> Settlement<Answer> {
    var decided: Answer?
    var mustWait = false
    let version = advance(
      { head in
        let (answer, draft) = decide(head)
        decided = answer
        guard case .changed(let root) = draft else { return nil }
        return head.next(root)
      },
      orWait: { line, version in
        guard let decided else { preconditionFailure("the answer is decided before it waits") }
        mustWait = true
        line.waiting.append((version.revision, { result in completion(result.map { (decided, version) }) }))
      })
    guard !mustWait, let decided else {
      nudge()
      return .later
    }
    return .now(decided, version)
  }

  /// Takes all drafts that have gathered, for a journal to keep.
  package func takeBatch() -> Batch<Root>? {
    let (base, gathered) = withLine { line in
      defer { line.gathered = [] }
      return (line.published, line.gathered)
    }
    if gathered.isEmpty { return nil }
    // Outside the lock: for each its type is asked.
    let drafts = gathered.compactMap { $0 as? Snapshot<Root> }
    precondition(drafts.count == gathered.count, "what gathers are drafts")
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
    withLine { line in
      switch result {
      case .success:
        replaced = [line.published]
        line.published = last
        latest.store(last.revision, ordering: .releasing)
        let ready = line.waiting.prefix { $0.revision <= last.revision }
        answers = ready.map(\.answer)
        line.waiting.removeFirst(ready.count)
      case .failure(let failure):
        replaced = line.gathered + [line.head]
        line.endEra(failure)
        line.head = line.published
        line.gathered = []
        answers = line.waiting.map(\.answer)
        line.waiting = []
      }
      observers = Array(line.observers.values)
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
    let (discarded, answers, observers) = withLine { line in
      let discarded: [any Sendable] = line.gathered + [line.head, line.published]
      let answers = line.waiting.map(\.answer)
      line.endEra(failure)
      line.head = kept
      line.published = kept
      line.gathered = []
      line.waiting = []
      latest.store(kept.revision, ordering: .releasing)
      return (discarded, answers, Array(line.observers.values))
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
    withLine { line in
      line.lastObserver += 1
      let id = ObserverID(number: line.lastObserver)
      line.observers[id] = observer
      return id
    }
  }

  package func removeObserver(_ id: ObserverID) {
    // Released outside the lock: what the closure holds may have a `deinit` of its own.
    let observer = withLine { $0.observers.removeValue(forKey: id) }
    withExtendedLifetime(observer) {}
  }
}
