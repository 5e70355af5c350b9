import BinderyCore
import BinderyHTTP
import Synchronization

/// A response that must wait until the snapshot it was decided on is published: until then, a crash could still undo
/// what it shows.
struct PendingResponse {
  /// The revision of the snapshot that the write was decided on, and its commit epoch.
  let revision: Int
  let epoch: CommitEpoch
  /// The number of bytes that the write holds in memory until then: about the size of what it sent and of what its
  /// response shows.
  let byteCount: Int
  /// The problem that the write will be rejected with, once that snapshot is published.
  var rejection: Problem?
  let makeResponse: () throws(Problem) -> Response
  /// Decides the write again if another server was faster; nil unless other servers commit to the same store.
  var repetition: WriteRepetition?
}

extension PendingResponse {
  /// Whether the write is not decided yet, because other servers commit at the same time.
  var isDeferred: Bool { revision == Self.deferred }

  /// The revision of a write that is not decided yet.
  static var deferred: Int { .max }

  /// Adds hints to the problem, and keeps the request for the hints of a later decision.
  mutating func prepareRepetition(of request: SentRequest, _ advise: (Problem, SentRequest) -> Problem) {
    if let problem = rejection { rejection = advise(problem, request) }
    repetition?.request = request
  }
}

/// A write that can be decided again, because another server may commit first.
struct WriteRepetition {
  let decide: (inout Scratch, inout PendingResponse?) throws(Problem) -> Response?
  /// The request for hints in its problem.
  var request: SentRequest?
}

/// A write whose response waits for the journal, and the exchange that it belongs to.
private struct PendingWrite {
  let exchange: ExchangeID
  let response: PendingResponse
}

/// The writes of one event loop whose responses wait until the journal has stored the drafts they were decided on, in
/// order. Confined to that loop.
///
/// The store notifies an observer once per batch, on the journal's thread. The observer only wakes the loop; the loop
/// then looks up the outcomes itself, so no response crosses threads.
final class PendingWrites<Root: Sendable> {
  private let store: Store<Root>
  private let budget: Budget
  private var writes: [PendingWrite] = []
  /// Whether the loop must be woken after a batch.
  ///
  /// It is set before a write is decided, because the journal may store the draft before the loop knows that it must
  /// wait. Relaxed ordering is enough: the store's lock orders the accesses. The flag is set before the loop takes the
  /// lock for the decision, and read after the publication of that draft released it.
  private let needsWake = Flag()
  private var mustWakeJournal = false
  private var observer: ObserverID?

  private final class Flag: Sendable {
    let value = Atomic(false)
  }

  init(_ store: Store<Root>, _ budget: Budget, _ handle: LoopHandle) {
    self.store = store
    self.budget = budget
    guard store.hasJournal else { return }
    observer = store.observe { [needsWake] in
      if needsWake.value.load(ordering: .relaxed) { handle.wake() }
    }
  }

  deinit {
    budget.give(writes.reduce(0) { $0 + $1.response.byteCount })
    if let observer { store.removeObserver(observer) }
  }

  /// The number of writes that wait.
  var count: Int { writes.count }

  /// Must be called before a write is decided.
  func willDecide() {
    if observer != nil { needsWake.value.store(true, ordering: .relaxed) }
  }

  func add(_ response: PendingResponse, _ exchange: ExchangeID) {
    budget.take(response.byteCount)
    writes.append(PendingWrite(exchange: exchange, response: response))
    mustWakeJournal = true
  }

  /// Wakes the journal if writes were added since the last call. Called once per turn of the loop, so that the journal
  /// stores the writes of a turn in one batch.
  func wakeJournal() {
    guard mustWakeJournal else { return }
    mustWakeJournal = false
    store.wakeJournal()
  }

  /// Removes the writes whose outcome is known, in order, and calls a closure with the response of each.
  ///
  /// - Parameter decideAgain: Called instead if another server has committed first. Returns the new decision.
  func completeDecided(
    decidingAgain decideAgain: (ExchangeID, WriteRepetition) -> PendingResponse?,
    _ complete: (ExchangeID, @escaping () throws(Problem) -> Response) -> Void
  ) {
    if observer == nil { return }
    var completed = 0
    var byteCount = 0
    defer { budget.give(byteCount) }
    var decidedAgain: [PendingWrite] = []
    var hasOvertaken = false
    defer {
      if !decidedAgain.isEmpty {
        byteCount -= decidedAgain.reduce(0) { $0 + $1.response.byteCount }
        writes = decidedAgain + writes
      }
      if hasOvertaken { store.wakeJournal() }
    }
    while completed < writes.count {
      let (exchange, response) = (writes[completed].exchange, writes[completed].response)
      switch store.outcome(of: response.revision, in: response.epoch) {
      case .pending:
        writes.removeFirst(completed)
        return
      case .published:
        complete(exchange) { () throws(Problem) in
          if let rejection = response.rejection { throw rejection }
          return try response.makeResponse()
        }
      case .failed(.overtaken):
        hasOvertaken = true
        guard let repetition = response.repetition else {
          complete(exchange) { () throws(Problem) in throw Problem(JournalFailure.overtaken) }
          break
        }
        if !response.isDeferred { store.countRepeatedDecision() }
        // Set before the decision; see `willDecide`.
        needsWake.value.store(true, ordering: .relaxed)
        if let again = decideAgain(exchange, repetition) {
          decidedAgain.append(PendingWrite(exchange: exchange, response: again))
        }
      case .failed(let failure): complete(exchange) { () throws(Problem) in throw Problem(failure) }
      }
      response.epoch.closeDecision()
      completed += 1
      byteCount += response.byteCount
    }
    writes.removeAll(keepingCapacity: true)
    if decidedAgain.isEmpty { needsWake.value.store(false, ordering: .relaxed) }
  }
}
