import BinderyCore
import BinderyHTTP

/// The reads and streams of one event loop that wait until this server has published the version that their clients
/// have seen on another server, or the newest one. Confined to that loop.
///
/// Each waits for a check of the head of the storage that began after the request had arrived. A version is reached
/// when the store has published its revision, or when the check has shown that its history is not the current one. A
/// check that fails is repeated.
final class PendingReads<Root: Sendable> {
  /// The time that a request waits, in milliseconds.
  static var limitMilliseconds: Int64 { 5_000 }

  /// The interval at which failed checks are repeated, and limits examined, in milliseconds.
  private static var intervalMilliseconds: Int64 { 250 }

  /// The timer token of that interval. ``Streams`` and ``APIResponder`` use other tokens.
  static var timerToken: UInt64 { .max - 2 }

  private enum Check {
    case pending(CommitEpoch)
    case succeeded
    case failed
  }

  private struct PendingRead {
    let exchange: ExchangeID
    /// The versions that the client has seen.
    let missing: [StateVersion]
    /// Whether the client asks for the newest state.
    let isNewest: Bool
    /// The time of giving up, on the loop's clock in milliseconds; nil for streams, which wait without a limit.
    let deadline: Int64?
    var check: Check
    /// Why a check has failed; nil if none has.
    var failure: JournalFailure?
  }

  private let store: Store<Root>
  private let context: LoopContext
  private var reads: [PendingRead] = []
  /// Wakes the loop after each publication and each check, while there are reads.
  private var observer: ObserverID?
  private var mustWakeJournal = false
  private var isTimerScheduled = false

  init(_ store: Store<Root>, _ context: LoopContext) {
    self.store = store
    self.context = context
  }

  deinit {
    if let observer { store.removeObserver(observer) }
  }

  /// Adds a read or a stream.
  ///
  /// - Parameters:
  ///   - missing: The versions that the client has seen.
  ///   - isNewest: Whether the client asks for the newest state.
  ///   - limit: The time after which the read fails, in milliseconds; nil for none.
  func add(_ exchange: ExchangeID, missing: [StateVersion], isNewest: Bool = false, limit: Int64?) {
    if observer == nil { observer = store.observe { [handle = context.handle] in handle.wake() } }
    let deadline = limit.map { context.nowMilliseconds + $0 }
    reads.append(
      PendingRead(
        exchange: exchange, missing: missing, isNewest: isNewest, deadline: deadline, check: .pending(store.checkHead())
      ))
    mustWakeJournal = true
    scheduleTimer()
  }

  /// Removes a read whose client has disconnected.
  func remove(_ exchange: ExchangeID) {
    if reads.isEmpty { return }
    reads.removeAll { $0.exchange == exchange }
    stopObservingIfIdle()
  }

  /// Returns whether the store has published a version. Revisions of another history are not comparable.
  func isReached(_ version: StateVersion) -> Bool {
    version.history == store.history && version.revision <= store.revision
  }

  /// Wakes the journal if a check was requested since the last call. Called once per turn of the loop, so that all
  /// reads of the turn share a check.
  func wakeJournal() {
    guard mustWakeJournal else { return }
    mustWakeJournal = false
    store.wakeJournal()
  }

  /// Removes the reads whose wait is over, in order.
  ///
  /// - Returns: Their exchanges, each with the problem if this server did not reach its version in time.
  func takeDecided() -> [(ExchangeID, Problem?)] {
    if reads.isEmpty { return [] }
    var decided: [(ExchangeID, Problem?)] = []
    var rest: [PendingRead] = []
    for var read in reads {
      if case .pending(let epoch) = read.check {
        // Not a revision: the epoch of a check decides alone.
        switch store.outcome(of: 0, in: epoch) {
        case .pending: break
        case .published: read.check = .succeeded
        case .failed(let failure): (read.check, read.failure) = (.failed, failure)
        }
      }
      if isReached(read) {
        decided.append((read.exchange, nil))
      } else if let deadline = read.deadline, deadline <= context.nowMilliseconds {
        decided.append((read.exchange, problem(of: read)))
      } else {
        rest.append(read)
      }
    }
    reads = rest
    stopObservingIfIdle()
    return decided
  }

  private func isReached(_ read: PendingRead) -> Bool {
    let isChecked = if case .succeeded = read.check { true } else { false }
    if read.isNewest, !isChecked { return false }
    return read.missing.allSatisfy { isReached($0) || isChecked && $0.history != store.history }
  }

  private func problem(of read: PendingRead) -> Problem {
    let wanted = read.missing.map { "revision \($0.revision) of history \($0.history)" }.joined(separator: " and ")
    let found = "This server is at revision \(store.revision) of history \(store.history)"
    let reason = read.failure.map { " \($0.reason)" } ?? ""
    return Problem(
      .behind,
      wanted.isEmpty
        ? "\(found) and could not confirm that it is the newest.\(reason)"
        : "\(found), and the client has seen \(wanted).\(reason)")
  }

  /// Repeats the checks that have failed.
  func timerFired() {
    isTimerScheduled = false
    for index in reads.indices {
      guard case .failed = reads[index].check else { continue }
      reads[index].check = .pending(store.checkHead())
      mustWakeJournal = true
    }
    scheduleTimer()
  }

  /// Ends the waiting of all reads, because the server is stopping. Streams end by themselves.
  ///
  /// - Returns: The exchanges of the reads.
  func takeAll() -> [ExchangeID] {
    defer {
      reads = []
      stopObservingIfIdle()
    }
    return reads.map(\.exchange)
  }

  private func scheduleTimer() {
    guard !isTimerScheduled, !reads.isEmpty else { return }
    isTimerScheduled = true
    context.schedule(after: Self.intervalMilliseconds, token: Self.timerToken)
  }

  private func stopObservingIfIdle() {
    guard reads.isEmpty, let observer else { return }
    store.removeObserver(observer)
    self.observer = nil
  }
}
