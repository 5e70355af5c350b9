import BinderyCore
import BinderySystem

/// Sending a batch to a shared storage while it appends the one before.
///
/// The storage then begins with the next batch as soon as it has finished one, and this server prepares a batch while
/// the storage works. The cost of a transaction hardly depends on its size, so a batch is sent only when it has as many
/// drafts as the one before it: batches do not become smaller. Many drafts that have gathered are divided into two
/// batches: their writers would otherwise all wait for the same answer and then write again together, so that the
/// storage and this server worked only in turn.
extension JournalWorker {
  /// A batch that may have been sent to the storage.
  struct Sent {
    let batch: Batch<Root>
    /// The revisions that were sent; nil if none were.
    let revisions: [Revision]?
    /// A time before they were sent, in nanoseconds of the monotonic clock.
    let time: Int64
  }

  /// The time for which the next batch is expected, in milliseconds. A storage that takes longer gets larger batches.
  private static var patienceMilliseconds: Int64 { 100 }
  /// The time after a change by another server for which no batch is sent early, in milliseconds: it would keep that
  /// server from appending in between.
  private static var quietMilliseconds: Int64 { 1_000 }
  /// The number of drafts from which on they are divided into two batches.
  private static var dividedCount: Int { 32 }

  /// Whether a batch may be sent while another one is appended.
  private var sendsEarly: Bool {
    storage.isShared && unresolved == nil && !isContended && !isHeadLocked
      && Clock.monotonicMilliseconds - lastForeignChange > Self.quietMilliseconds
  }

  /// Returns how many drafts the next batch has at most, while none is appended.
  ///
  /// - Parameter count: The number of pending drafts.
  func draftLimit(pending count: Int) -> Int { sendsEarly && count >= Self.dividedCount ? count / 2 : .max }

  /// Sends revisions, and while the storage appends them takes the next batch and sends it, too.
  ///
  /// - Returns: The next batch; nil if the storage has answered before there was one.
  func sendNext(
    after batch: Batch<Root>, _ revisions: [Revision], _ takeNext: (_ after: Batch<Root>) -> Batch<Root>?
  ) -> Sent? {
    guard sendsEarly else { return nil }
    storage.send(revisions)
    guard let descriptor = storage.answerDescriptor, let next = waitForNext(after: batch, descriptor, takeNext) else {
      return nil
    }
    let time = Clock.monotonicNanoseconds
    let nextRevisions = nextRevisions(of: next, from: 0)
    // A batch of several transactions is sent in its turn.
    guard !next.drafts.isEmpty, nextRevisions.count == next.drafts.count else {
      return Sent(batch: next, revisions: nil, time: time)
    }
    storage.send(nextRevisions)
    return Sent(batch: next, revisions: nextRevisions, time: time)
  }

  private func waitForNext(
    after batch: Batch<Root>, _ descriptor: Int32, _ takeNext: (_ after: Batch<Root>) -> Batch<Root>?
  ) -> Batch<Root>? {
    // It is there already unless the connection is a new one.
    try? answers.add(descriptor: descriptor, token: 1)
    let deadline = Clock.monotonicMilliseconds + Self.patienceMilliseconds
    while true {
      if let next = takeNext(batch) { return next }
      let remaining = deadline - Clock.monotonicMilliseconds
      guard remaining > 0 else { return nil }
      for index in 0..<answers.wait(milliseconds: Int(remaining)) where answers[index].token == 1 { return nil }
    }
  }
}
