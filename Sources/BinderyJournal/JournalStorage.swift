package import BinderyCore
import BinderySystem

/// The storage of a journal: an append-only log of revisions with snapshots.
///
/// Only the journal's thread uses it; every call may block on the disk.
package protocol JournalStorage: AnyObject, SendableMetatype {
  /// Appends revisions, all or none. They are durable when this returns. If they were sent, waits for the outcome.
  ///
  /// - Parameters:
  ///   - revisions: Consecutive; the first is one more than the last stored revision.
  ///   - end: The last piece of a snapshot of the first revision, which is complete exactly if the revisions are
  ///     stored; always nil in a shared storage.
  /// - Throws: `refused` if certainly nothing was stored, `unknown` if it may have been, `overtaken` if another server
  ///   has appended to a shared storage.
  func append(_ revisions: [Revision], completing end: SnapshotEnd?) throws(StorageFailure)

  /// Sends revisions to a storage that answers later. ``append(_:completing:)`` must follow for each of the sent
  /// revisions, in their order, with nothing else in between except another call of this. Revisions that were sent
  /// later are not stored unless the earlier ones are.
  ///
  /// A storage may ignore this. Errors are reported by ``append(_:completing:)``.
  func send(_ revisions: [Revision])

  /// The descriptor that becomes readable when the storage answers; nil if nothing was sent, or if the answer is
  /// there.
  var answerDescriptor: Int32? { get }

  /// Reopens the storage after a failure of unknown outcome, and makes durable what it finds.
  ///
  /// - Returns: The number of the last stored revision.
  func reopen() throws(StorageFailure) -> Int

  /// Writes a test value, to find out whether a write would succeed now.
  ///
  /// - Returns: The number of the last stored revision.
  func probe() throws(StorageFailure) -> Int

  /// Returns the latest complete snapshot; nil in a new storage.
  func snapshot() throws(StorageFailure) -> StoredSnapshot?

  /// Stores one piece of a snapshot. The snapshot is ignored until it is finished.
  func write(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(StorageFailure)

  /// Stores the last piece of a snapshot. From now on, recovery starts from this snapshot.
  ///
  /// - Parameter layout: The stored members of the model's types (`TypeInfo.storedLayout`), one line per leaf.
  func finish(piece: [UInt8], number: Int, ofSnapshotAt revision: Int, layout: String) throws(StorageFailure)

  /// Calls `body` with the patches of all revisions after one, in order.
  ///
  /// - Returns: `damaged` if a revision is missing or differs from what was written.
  func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure?

  /// Returns the results of the latest commits with idempotency keys, in the order of the commits.
  func keyedResults() throws(StorageFailure) -> [KeyedResult]

  /// Returns a reader of the stored revisions, which another thread can use at the same time.
  func makeRevisionReader() -> any RevisionReader

  /// Returns the size of the stored revisions in bytes.
  func historySize() throws(StorageFailure) -> Int

  /// Removes some of the revisions and snapshots that are no longer needed, in one step.
  ///
  /// - Parameter limit: the number of bytes that the step removes, if its first revision is not larger.
  /// - Returns: Whether there is more to remove.
  func removeExpired(_ retention: Retention, atMost limit: Int) throws(StorageFailure) -> Bool

  /// Closes the storage. No other call may follow.
  func close()

  /// Whether other servers can append to the storage at the same time.
  var isShared: Bool { get }

  /// Finds out whether other servers have appended to a shared storage, and reads their revisions.
  ///
  /// - Returns: What was true at some moment after this call began.
  func checkHead() throws(StorageFailure) -> HeadCheck

  /// Returns what other servers have appended, immediately after an append has thrown `overtaken`.
  func readOvertaking() throws(StorageFailure) -> HeadCheck

  /// Keeps other servers from appending to a shared storage until the next append or ``unlockHead()``, for a short
  /// time, and reads their revisions.
  func lockHead() throws(StorageFailure) -> HeadCheck

  /// Lets other servers append again.
  func unlockHead()

  /// The time of commits, in milliseconds since 1970 in UTC: the same clock for all servers of a storage.
  var wallMilliseconds: Int64 { get }

  /// Returns whether this server writes snapshots and removes what has expired, for all servers of a shared storage. If
  /// two servers do, for a while, that costs time and changes nothing.
  func leadsMaintenance() throws(StorageFailure) -> Bool

  /// Stores that sessions have ended, all or none, for all servers of a shared storage.
  func end(_ sessions: [EndedSession]) throws(StorageFailure)

  /// Limits the time that the following operations wait for a shared storage that cannot be reached.
  ///
  /// - Parameter deadline: In milliseconds of the monotonic clock.
  func wait(until deadline: Int64)

  /// Whether the storage cannot be reached, for so short a time that the service stays ready.
  var isBrieflyAway: Bool { get }

  /// The time that writes wait for a shared storage that cannot be reached, in milliseconds.
  var patienceMilliseconds: Int64 { get }

  /// The time for which the head stays locked while event loops decide, in milliseconds.
  var lockMilliseconds: Int64 { get }

  /// The time without a change by another server after which this one no longer competes with others, in milliseconds.
  var contentionMilliseconds: Int64 { get }
}

/// A session that was ended before it expired.
package struct EndedSession: Hashable, Sendable {
  /// The bytes that identify the session.
  package let id: [UInt8]
  /// The time at which it would have expired, in seconds since 1970.
  package let expires: Int64

  package init(id: [UInt8], expires: Int64) { (self.id, self.expires) = (id, expires) }
}

/// The storage of one server.
extension JournalStorage {
  package func send(_ revisions: [Revision]) {}
  package var answerDescriptor: Int32? { nil }
  package var isShared: Bool { false }
  package func checkHead() throws(StorageFailure) -> HeadCheck { .unchanged }
  package func readOvertaking() throws(StorageFailure) -> HeadCheck { try checkHead() }
  package func lockHead() throws(StorageFailure) -> HeadCheck { .unchanged }
  package func unlockHead() {}
  package var wallMilliseconds: Int64 { Clock.wallMilliseconds }
  package func leadsMaintenance() throws(StorageFailure) -> Bool { true }
  package func end(_ sessions: [EndedSession]) throws(StorageFailure) {}
  package func wait(until deadline: Int64) {}
  package var isBrieflyAway: Bool { false }
  package var patienceMilliseconds: Int64 { 0 }
  package var lockMilliseconds: Int64 { 0 }
  package var contentionMilliseconds: Int64 { 0 }
}

/// The revisions of a shared storage after the last one that this server has read or appended.
package enum HeadCheck: Sendable {
  /// There are none.
  case unchanged
  /// Other servers have appended these batches.
  case advanced([ForeignBatch])
  /// Some of them are not stored any more, because a newer snapshot contains them.
  case forgotten
}

/// Revisions that another server has appended in one transaction.
package struct ForeignBatch: Sendable {
  package let revisions: [Revision]
  /// The results of the commits with idempotency keys.
  package let keyedResults: [KeyedResult]

  package init(revisions: [Revision], keyedResults: [KeyedResult]) {
    (self.revisions, self.keyedResults) = (revisions, keyedResults)
  }
}

/// Reads the revisions of a storage while the journal's thread writes to it.
package protocol RevisionReader: Sendable {
  /// Returns a page of the stored revisions that are retained.
  func revisions(_ query: HistoryQuery, _ retention: Retention) throws(StorageFailure) -> HistoryPage
}

/// A reason why a storage operation failed.
package enum StorageFailure: Error, Hashable, Sendable {
  /// The operation failed and changed nothing.
  case refused(JournalFailure)
  /// The operation may or may not have taken effect; ``JournalStorage/reopen()`` finds out.
  case unknown(JournalFailure)
  /// Stored data differs from what was written.
  case damaged(String)
  /// Nothing was stored, because another server has appended first.
  case overtaken

  package var failure: JournalFailure {
    switch self {
    case .refused(let failure), .unknown(let failure): failure
    case .damaged(let detail): .unavailable("The store is damaged: \(detail); restore a backup.")
    case .overtaken: .overtaken
    }
  }
}

/// A complete snapshot as a storage returns it.
package struct StoredSnapshot: Sendable, Equatable {
  package let revision: Int
  /// The state at that revision as canonical JSON of the stored members.
  package let content: [UInt8]
  /// The layout of the types that wrote the snapshot; nil if it was not recorded.
  package let layout: String?

  package init(revision: Int, content: [UInt8], layout: String?) {
    self.revision = revision
    self.content = content
    self.layout = layout
  }
}

/// The revisions that a journal retains for `/history`.
package struct Retention: Sendable, Equatable {
  /// The maximum number of revisions.
  package var revisions: Int
  /// The maximum age of a revision in days.
  package var days: Int
  /// The maximum size of the stored revisions in bytes.
  package var bytes: Int

  package init(revisions: Int = 10_000, days: Int = 30, bytes: Int = 256 << 20) {
    self.revisions = revisions
    self.days = days
    self.bytes = bytes
  }

  /// Returns the time before which revisions have expired, in milliseconds since 1970. `Int64.min` if it cannot be
  /// represented: nothing has expired.
  package func expiryTime(now: Int64) -> Int64 {
    let (age, overflows) = Int64(days).multipliedReportingOverflow(by: 86_400_000)
    let (time, underflows) = now.subtractingReportingOverflow(age)
    return overflows || underflows ? .min : time
  }
}
