import BinderyCore
import BinderySystem

/// Following other servers that append to the same storage, and deciding commits again that they have overtaken.
extension JournalWorker {
  /// The interval between checks of the head (the newest stored revision), in milliseconds: short for a minute after
  /// each change, and shorter while other servers commit, because they announce only a part of their commits. A server
  /// that competes with others reads the head each time it locks it.
  private var checkInterval: Int64 {
    let now = Clock.monotonicMilliseconds
    return now - lastForeignChange < 20 && !locksOften ? 3 : now - lastActivity < 60_000 ? 20 : 1_000
  }

  /// Whether this server competes with others, and reads the head each time it locks it.
  private var locksOften: Bool {
    isContended && Clock.monotonicMilliseconds - lastLock < storage.contentionMilliseconds
  }

  /// The time until the thread has work without being woken; negative if there is none.
  var millisecondsUntilWork: Int {
    let retry = failure == nil ? -1 : Self.retryInterval
    guard storage.isShared, unresolved == nil else { return retry }
    let check = Int(max(0, lastCheck + checkInterval - Clock.monotonicMilliseconds))
    return failure == nil ? check : min(check, retry)
  }

  /// Checks the head and publishes the revisions of other servers, if a check is due or was announced.
  ///
  /// - Parameter isAnnounced: Whether another server has announced that it has appended.
  func followOthers(_ store: Store<Root>, isAnnounced: Bool) {
    guard storage.isShared, unresolved == nil,
      isAnnounced && !locksOften || Clock.monotonicMilliseconds - lastCheck >= checkInterval
    else { return }
    storage.wait(until: Clock.monotonicMilliseconds + Self.probeMilliseconds)
    _ = checkHead(store)
  }

  /// Waits for a limited time until a shared storage works again.
  ///
  /// - Returns: False if the drafts of a batch were discarded meanwhile, because newer commits were published.
  func awaitStorage(_ store: Store<Root>, for batch: Batch<Root>) -> Bool {
    guard storage.isShared else { return true }
    storage.wait(until: Clock.monotonicMilliseconds + storage.patienceMilliseconds)
    guard unresolved != nil else { return true }
    recover(store)
    return store.snapshot === batch.base
  }

  /// Locks the head before the next append if other servers append at the same time. Without the lock, a server would
  /// prepare batches that are overtaken, and a slow one could be overtaken forever.
  ///
  /// - Returns: nil if the drafts of the batch can be appended; else the reason why they were discarded.
  func lockIfContended(_ store: Store<Root>, for batch: Batch<Root>) -> JournalFailure? {
    guard isContended, !isHeadLocked, !batch.drafts.isEmpty, failure == nil else { return nil }
    guard let reason = lockHead(store) else { return nil }
    if reason == .overtaken { metrics.recordOvertaken() } else { store.finish(batch, .failure(reason)) }
    return reason
  }

  /// Returns whether decisions are deferred until the head is locked.
  func mustLock(for store: Store<Root>) -> Bool { storage.isShared && !isHeadLocked && store.hasDeferredDecisions }

  /// Locks the head, and lets the event loops make the decisions that they have deferred.
  func lockForDeferred(_ store: Store<Root>) {
    storage.wait(until: Clock.monotonicMilliseconds + storage.patienceMilliseconds)
    if unresolved != nil { recover(store) }
    switch lockHead(store) {
    case nil: store.decideDeferred()
    // The epoch has ended, because a newer state was published.
    case .overtaken?: break
    case let reason?: store.refuseDeferred(reason)
    }
  }

  /// Locks the head, and publishes the revisions that other servers have appended.
  private func lockHead(_ store: Store<Root>) -> JournalFailure? {
    var reason = checkHead(store, locking: true)
    // The connection was lost, and nothing depends on what it did.
    if reason != nil, reason != .overtaken, failure == nil { reason = checkHead(store, locking: true) }
    lastLock = Clock.monotonicMilliseconds
    if reason == .overtaken { return reason }
    let isAlone = Clock.monotonicMilliseconds - lastForeignChange > storage.contentionMilliseconds
    if reason != nil || isAlone { setContended(false, store) }
    return reason
  }

  /// Records whether other servers append at the same time.
  func setContended(_ isContended: Bool, _ store: Store<Root>) {
    self.isContended = isContended
    updateDeferring(store)
  }

  /// Lets event loops defer their decisions until this server has locked the head.
  func updateDeferring(_ store: Store<Root>) {
    if storage.isShared { store.setDeferring(isContended && !isHeadLocked) }
  }

  /// Fails the decisions of a batch with `overtaken`, because its drafts were discarded. Their writers decide again.
  func decideAgain(_ batch: Batch<Root>, _ store: Store<Root>) {
    if let confirmation = batch.confirmation { finish(confirmation, .overtaken, store) }
    if let reads = batch.newestReads { finish(reads, followed(checkHead(store)), store) }
  }

  /// Reports whether the decisions and reads of a batch are confirmed.
  ///
  /// - Parameter failure: The result of an append or a check that began after they were made.
  func confirm(_ batch: Batch<Root>, _ failure: JournalFailure?, _ store: Store<Root>) {
    if let confirmation = batch.confirmation { finish(confirmation, failure?.ofLaterCommits, store) }
    if let reads = batch.newestReads { finish(reads, followed(failure?.ofLaterCommits), store) }
  }

  private func finish(_ confirmation: Confirmation, _ failure: JournalFailure?, _ store: Store<Root>) {
    if failure == nil { metrics.recordConfirmation(confirmation.age) }
    store.finish(confirmation, failure)
  }

  /// Returns the failure of reads. `overtaken` is none: the server has just published what others had committed.
  private func followed(_ failure: JournalFailure?) -> JournalFailure? { failure == .overtaken ? nil : failure }

  /// Reads the head of a shared storage, and publishes the revisions that other servers have appended.
  ///
  /// - Parameters:
  ///   - isOvertaken: Whether an append has just been overtaken.
  ///   - isLocking: Whether other servers cannot append until the next append of this one.
  /// - Returns: nil if the published revision was the newest one at some moment after the call; `overtaken` if other
  ///   servers had appended, whose revisions are now published.
  func checkHead(
    _ store: Store<Root>, isOvertaken: Bool = false, locking isLocking: Bool = false
  ) -> JournalFailure? {
    guard storage.isShared else { return nil }
    if unresolved != nil, let failure { return failure.ofLaterCommits }
    defer { lastCheck = Clock.monotonicMilliseconds }
    let start = Clock.monotonicMilliseconds
    do throws(StorageFailure) {
      let check =
        isLocking
        ? try storage.lockHead() : isOvertaken ? try storage.readOvertaking() : try storage.checkHead()
      if isLocking {
        isHeadLocked = true
        updateDeferring(store)
      }
      let result: JournalFailure? =
        switch check {
        case .unchanged: nil
        case .advanced(let batches): advance(store, batches)
        case .forgotten: try reload(store)
        }
      if result == nil || result == .overtaken { metrics.recordCurrent(at: start) }
      return result
    } catch {
      // The next look connects again.
      if !storage.isBrieflyAway { failure = error.failure }
      return error.failure
    }
  }

  /// Applies the batches of other servers to the published version. Their structure is shared with it.
  private func advance(_ store: Store<Root>, _ batches: [ForeignBatch]) -> JournalFailure? {
    lastActivity = Clock.monotonicMilliseconds
    lastForeignChange = lastActivity
    let revisions = batches.flatMap(\.revisions)
    guard let last = revisions.last else { return nil }
    let stored = unsettled.flatMap { $0.revision == store.revision ? $0.root : nil }
    var root = stored ?? store.snapshot.root
    do throws(RestoreError) {
      for revision in revisions {
        try model.shape.restore(&root, try StoredPatch(parsing: revision.patch))
        recordAppended(revision)
      }
      if stored != nil {
        unsettled = (root, last.number)
        do throws(InvalidState) { try model.settle(recovered: &root) } catch {
          throw RestoreError(error.message, at: error.pointer)
        }
      }
    } catch {
      // A server with an older model may have changed a member that this one does not have any more. A start drops it.
      if let recovery = try? Recovery(of: model, in: storage) { return advance(store, to: recovery) }
      unresolved = .foreignBatch
      let reason = JournalFailure.unavailable(
        "Another server has stored a change that does not fit the model of this one: \(error). Update this server.")
      failure = reason
      return reason
    }
    metrics.recordForeign(revisions: revisions.count)
    store.advance(to: root, revision: last.number, batches.flatMap(\.keyedResults))
    return .overtaken
  }

  /// The number of attempts to load the newest state while other servers remove what is no longer needed.
  private static var maximumReloads: Int { 5 }

  /// Loads the newest state from a snapshot, because the revisions that lead to it are no longer stored.
  private func reload(_ store: Store<Root>) throws(StorageFailure) -> JournalFailure? {
    do throws(RecoveryError) {
      var attempt = 1
      while true {
        do throws(RecoveryError) {
          guard let recovery = try Recovery(of: model, in: storage) else { throw .damaged("the state is missing") }
          return advance(store, to: recovery)
        } catch {
          // Another server may have written a newer snapshot meanwhile, and removed what was to be read.
          guard case .damaged = error, attempt < Self.maximumReloads else { throw error }
          attempt += 1
        }
      }
    } catch {
      unresolved = .foreignBatch
      let reason = JournalFailure.outdated("The newest state \(error). Restart this server.")
      failure = reason
      return reason
    }
  }

  /// Publishes a recovered state.
  private func advance(_ store: Store<Root>, to recovery: Recovery<Root>) -> JournalFailure {
    unsettled = recovery.unsettled
    store.advance(to: recovery.root, revision: recovery.revision, recovery.keyedResults)
    return .overtaken
  }

  /// Lets other servers append again.
  func unlockHead(_ store: Store<Root>) {
    guard isHeadLocked else { return }
    isHeadLocked = false
    storage.unlockHead()
    updateDeferring(store)
  }

  /// The maximum number of ends of sessions that wait for the storage. Beyond it the oldest ones are given up.
  private static var maximumSessionEnds: Int { 65_536 }

  /// The maximum number of ends of sessions that are stored together.
  private static var sessionEndsPerBatch: Int { 4_096 }

  /// Stores the ends of sessions, and those of earlier ones that could not be stored.
  func end(_ sessions: [PendingSessionEnd]) {
    sessionEnds += sessions
    guard !sessionEnds.isEmpty, failure == nil || !sessions.isEmpty else { return }
    let patience = sessions.isEmpty ? Self.probeMilliseconds : storage.patienceMilliseconds
    storage.wait(until: Clock.monotonicMilliseconds + patience)
    while !sessionEnds.isEmpty {
      let batch = sessionEnds.prefix(Self.sessionEndsPerBatch)
      do throws(StorageFailure) { try storage.end(batch.map(\.session)) } catch {
        for index in sessionEnds.indices {
          sessionEnds[index].completion?(error.failure)
          sessionEnds[index].completion = nil
        }
        return sessionEnds.removeFirst(max(0, sessionEnds.count - Self.maximumSessionEnds))
      }
      for end in batch { end.completion?(nil) }
      sessionEnds.removeFirst(batch.count)
    }
  }
}

/// The end of a session that the storage does not know yet.
struct PendingSessionEnd: Sendable {
  let session: EndedSession
  /// Called once, with the reason if the end is not stored yet; nil after that.
  var completion: (@Sendable (JournalFailure?) -> Void)?
}
