import BinderyTelemetry

/// What a journal's thread has counted; only that thread writes.
final class JournalMetrics: Sendable {
  private let batches = Histogram(.sizes)
  private let times = Histogram(.times)
  private let failures = Counter()
  private let snapshots = Counter()

  /// A batch was written, or not.
  func wrote(revisions: Int, nanoseconds: Int64, isKept: Bool) {
    times.observe(Int(nanoseconds))
    if isKept { batches.observe(revisions) } else { failures.add() }
  }

  func wroteSnapshot() { snapshots.add() }

  func collect(isWell: Bool, waiting: Int, into exposition: inout Exposition) {
    exposition.single(
      "bindery_journal_write_duration_seconds",
      "How long the journal's transactions took, the wait for the disk included.", times.reading)
    exposition.single(
      "bindery_journal_batch_revisions", "How many revisions were kept by one transaction.", batches.reading)
    exposition.single(
      "bindery_journal_failures_total", .counter, "Transactions that failed.", failures.value)
    exposition.single(
      "bindery_journal_waiting_revisions", .gauge, "Revisions that wait for the next transaction.", waiting)
    exposition.single(
      "bindery_journal_snapshots_total", .counter, "Snapshots that were written whole.", snapshots.value)
    exposition.single(
      "bindery_journal_up", .gauge, "Whether writes can be kept: 1, or 0 where the disk refuses them.", isWell ? 1 : 0)
  }
}
