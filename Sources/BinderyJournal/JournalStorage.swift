package import BinderyCore

/// Where a journal's thread keeps revisions: confined to that thread, and slow.
package protocol JournalStorage: AnyObject, SendableMetatype {
  /// Keeps revisions, all or none; when this returns they are safe.
  ///
  /// They follow what is kept: the first of them is one more than the last before.
  func append(_ revisions: [Revision]) throws(StorageFailure)

  /// Looks afresh at what is kept, after a failure of unknown outcome, and makes that safe.
  ///
  /// - Returns: the last revision.
  func reopen() throws(StorageFailure) -> Int

  /// Writes something and forgets it: throws what a write would now meet.
  func probe() throws(StorageFailure)

  /// The latest whole snapshot; nil where nothing has been kept yet.
  func snapshot() throws(StorageFailure) -> StoredSnapshot?

  /// Keeps a piece of a snapshot of a revision, which does not count before it is whole.
  func write(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(StorageFailure)

  /// Keeps the last piece of a snapshot: from now on it stands for all before it.
  ///
  /// - Parameter layout: what the types store that it is made of (`TypeInfo.storedLayout`), a line for each leaf.
  func finish(piece: [UInt8], number: Int, ofSnapshotAt revision: Int, layout: String) throws(StorageFailure)

  /// Hands over the patches of the revisions behind one, in order and without a gap; `damaged` where one is missing.
  func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure?

  /// Some of the revisions that are kept.
  func revisions(after revision: Int?, limit: Int, _ retention: Retention) throws(StorageFailure) -> HistoryPage

  /// Forgets some of what is not needed any more, in a step that does not take long.
  ///
  /// - Returns: whether there is more.
  func forget(_ retention: Retention) throws(StorageFailure) -> Bool

  /// Ends: nothing else is called afterwards.
  func close()
}

/// Why a log did not do what it was asked to.
package enum StorageFailure: Error, Hashable, Sendable {
  /// Nothing has changed.
  case refused(JournalFailure)
  /// It is not known what has become of it: ``JournalStorage/reopen()`` tells.
  case unknown(JournalFailure)
  /// Something is not as it was written; nothing was done with it.
  case damaged(String)

  package var failure: JournalFailure {
    switch self {
    case .refused(let failure), .unknown(let failure): failure
    case .damaged(let what): .unavailable("The store is damaged: \(what); bring back a backup.")
    }
  }
}

/// A whole snapshot, as a log has it.
package struct StoredSnapshot: Sendable, Equatable {
  package let revision: Int
  /// The state at that revision, in canonical JSON.
  package let content: [UInt8]
  /// What the types stored that it was made of; nil where that was not said.
  package let layout: String?

  package init(revision: Int, content: [UInt8], layout: String?) {
    self.revision = revision
    self.content = content
    self.layout = layout
  }
}

/// Which revisions are kept for people to look at.
package struct Retention: Sendable, Equatable {
  /// How many at most.
  package var revisions = 10_000
  /// None that is older.
  package var days = 30

  package init(revisions: Int = 10_000, days: Int = 30) {
    self.revisions = revisions
    self.days = days
  }

  /// The first moment that is not too old, in milliseconds since 1970 in UTC.
  package func horizon(now: Int64) -> Int64 { now - Int64(days) * 86_400_000 }
}
