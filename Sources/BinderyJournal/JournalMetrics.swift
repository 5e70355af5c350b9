import BinderySystem
import BinderyTelemetry
import Synchronization

/// The metrics of a journal. Only the journal's thread writes them.
final class JournalMetrics: Sendable {
  private let batches = Histogram(.sizes)
  private let durations = Histogram(.times)
  private let failures = Counter()
  private let overtaken = Counter()
  private let foreign = Counter()
  private let confirmations = Histogram(.times)
  private let lastCurrent = Atomic(Clock.monotonicMilliseconds)
  private let snapshots = Counter()
  private let historyBytes = Atomic(0)

  /// Records an attempt to append a batch.
  func recordBatch(revisions: Int, nanoseconds: Int64, isStored: Bool) {
    durations.observe(Int(nanoseconds))
    if isStored { batches.observe(revisions) } else { failures.add() }
  }

  func recordOvertaken() { overtaken.add() }

  func recordForeign(revisions: Int) { foreign.add(revisions) }

  /// Records how long the first of some decisions or reads has waited to be confirmed.
  func recordConfirmation(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    confirmations.observe(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }

  /// Records that this server had everything that any server had committed before a time.
  ///
  /// - Parameter time: In milliseconds of the monotonic clock.
  func recordCurrent(at time: Int64) { lastCurrent.store(time, ordering: .relaxed) }

  func recordSnapshot() { snapshots.add() }

  func addHistoryBytes(_ count: Int) { historyBytes.add(count, ordering: .relaxed) }

  func setHistoryBytes(_ count: Int) { historyBytes.store(count, ordering: .relaxed) }

  /// Writes the metrics of a shared storage.
  ///
  /// - Parameter repeatedDecisions: The number of decisions that were made again.
  func collectShared(repeatedDecisions: Int, into exposition: inout Exposition) {
    exposition.single(
      "bindery_journal_overtaken_total", .counter,
      "Transactions that stored nothing, because another server had committed first.", overtaken.value)
    exposition.single(
      "bindery_journal_foreign_revisions_total", .counter, "Revisions that other servers have committed.",
      foreign.value)
    exposition.single(
      "bindery_journal_decisions_repeated_total", .counter,
      "Writes that were decided again, because another server had committed first.", repeatedDecisions)
    exposition.single(
      "bindery_journal_confirmation_duration_seconds",
      "Time until decisions that changed nothing, and reads of the newest state, were known to be up to date.",
      confirmations.reading)
    exposition.single(
      "bindery_journal_behind_seconds", .gauge,
      "Time since this server certainly had all commits of other servers.",
      Int(Clock.monotonicMilliseconds - lastCurrent.load(ordering: .relaxed)), digits: 3)
  }

  func collect(isHealthy: Bool, waiting: Int, into exposition: inout Exposition) {
    exposition.single(
      "bindery_journal_write_duration_seconds",
      "Duration of the journal's transactions, fsync included.", durations.reading)
    exposition.single("bindery_journal_batch_revisions", "Number of revisions in one transaction.", batches.reading)
    exposition.single("bindery_journal_failures_total", .counter, "Transactions that failed.", failures.value)
    exposition.single(
      "bindery_journal_waiting_revisions", .gauge, "Revisions that wait for the next transaction.", waiting)
    exposition.single("bindery_journal_snapshots_total", .counter, "Snapshots that were completed.", snapshots.value)
    exposition.single(
      "bindery_history_bytes", .gauge, "Size of the stored revisions, limited by --history-bytes.",
      historyBytes.load(ordering: .relaxed))
    exposition.single(
      "bindery_journal_up", .gauge, "1 if writes can be stored, else 0; /readyz has the reason.", isHealthy ? 1 : 0)
  }
}
