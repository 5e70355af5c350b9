import BinderyCore
import BinderySystem

/// What a journal does because other servers append to the same storage.
extension JournalWorker {
  /// The number of times in a row that other servers may append first. Then this server locks the head, so that it is
  /// not overtaken forever.
  static var lossLimit: Int { 3 }

  /// The time for which the head stays locked while overtaken writes are decided again, in milliseconds.
  static var lockMilliseconds: Int { 200 }

  /// The interval between looks at the head, in milliseconds: short for a while after each change.
  private var checkInterval: Int64 { Clock.monotonicMilliseconds - lastActivity < 60_000 ? 20 : 1_000 }

  /// The time until the thread has work without being woken; negative if there is none.
  var millisecondsUntilWork: Int {
    if failure != nil { return Self.retryInterval }
    guard storage.isShared else { return -1 }
    return Int(max(0, lastCheck + checkInterval - Clock.monotonicMilliseconds))
  }

  /// Publishes what other servers have appended, if it is time to look.
  func followOthers(_ store: Store<Root>) {
    guard storage.isShared, failure == nil, Clock.monotonicMilliseconds - lastCheck >= checkInterval else { return }
    _ = checkHead(store)
  }

  /// Looks at the head of a shared storage, and publishes what other servers have appended.
  ///
  /// - Parameter isLocking: Whether other servers cannot append until the next append of this one.
  /// - Returns: nil if the store was at the head at some moment after the call; `overtaken` if it was not, but has
  ///   moved there now.
  func checkHead(_ store: Store<Root>, locking isLocking: Bool = false) -> JournalFailure? {
    guard storage.isShared else { return nil }
    if let failure { return failure.ofLaterCommits }
    defer { lastCheck = Clock.monotonicMilliseconds }
    do throws(StorageFailure) {
      let check = isLocking ? try storage.lockHead() : try storage.checkHead()
      if isLocking { isHeadLocked = true }
      switch check {
      case .unchanged: return nil
      case .advanced(let batches): return advance(store, batches)
      case .forgotten: return try reload(store)
      }
    } catch {
      // Without an answer, the readiness of the service depends on the time of the last one.
      if case .unknown = error {} else { failure = error.failure }
      return error.failure
    }
  }

  /// Applies the batches of other servers to the published version. Their structure is shared with it.
  private func advance(_ store: Store<Root>, _ batches: [ForeignBatch]) -> JournalFailure? {
    lastActivity = Clock.monotonicMilliseconds
    let revisions = batches.flatMap(\.revisions)
    guard let last = revisions.last else { return nil }
    var root = store.snapshot.root
    do throws(RestoreError) {
      for revision in revisions {
        try model.shape.restore(&root, try StoredPatch(parsing: revision.patch))
        recordAppended(revision)
      }
    } catch {
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

  /// Moves to the newest state, because what leads to it is not stored any more.
  private func reload(_ store: Store<Root>) throws(StorageFailure) -> JournalFailure? {
    do throws(RecoveryError) {
      guard let recovery = try Recovery(of: model, in: storage) else {
        throw .damaged("the state is missing")
      }
      store.advance(to: recovery.root, revision: recovery.revision, recovery.keyedResults)
      return .overtaken
    } catch {
      unresolved = .foreignBatch
      let reason = JournalFailure.unavailable("The newest state \(error). Restart this server.")
      failure = reason
      return reason
    }
  }

  /// Lets other servers append again.
  func unlockHead() {
    guard isHeadLocked else { return }
    isHeadLocked = false
    storage.unlockHead()
  }
}
