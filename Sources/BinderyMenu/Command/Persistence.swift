import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyJournal
import BinderySQLite
import BinderySystem
import BinderyTelemetry
import FoundationEssentials

/// The store of the menu and its journal.
struct Persistence: Sendable {
  let store: Store<Menu>
  /// The key of the digests in entity tags.
  let key: DigestKey
  /// The journal. Nil if the state is only in memory.
  let journal: StorageJournal<Menu, SQLiteStorage>?

  /// Creates a store in memory, without a journal.
  init(memory root: Menu) {
    store = Store(root)
    key = .random()
    journal = nil
  }

  /// Recovers the state from a file and starts the journal.
  ///
  /// - Parameters:
  ///   - initial: The initial state of a new store.
  ///   - logger: Receives the result of the recovery, and later write failures of the journal.
  init(
    _ file: sending StoreFile, _ options: Options, startingWith initial: Menu, _ logger: Logger
  ) throws(CommandError) {
    let path = options.store
    let recovery: Recovery<Menu>
    do throws(RecoveryError) {
      recovery = try Recovery(from: file.storage) { initial }
    } catch { throw CommandError(error, path) }
    key = file.key
    do throws(Errno) {
      let journal = try StorageJournal(file.storage, recovery, retention: options.retention) { failure in
        if let failure {
          logger.log(.error, "\(path): \(failure.reason)")
        } else {
          logger.log(.info, "\(path): writes succeed again")
        }
      }
      store = Store(recovery.root, revision: recovery.revision, journal: journal)
      try journal.start(store)
      self.journal = journal
    } catch { throw CommandError(.osError, "cannot start the journal: \(error)") }
    let replayed = recovery.replayed == 0 ? "" : " (\(recovery.replayed) replayed since the last snapshot)"
    if FileStatus(file.storage.path)?.isReadableByOthers == true {
      logger.log(
        .warning,
        "\(path) is readable by other users of this machine and contains the key of sessions and ETags: run chmod 600 "
          + path)
    }
    if file.storage.wasInterrupted {
      logger.log(.warning, "\(path) was not closed cleanly; all committed revisions were recovered")
    }
    logger.log(.info, "\(path) is at revision \(recovery.revision)\(replayed)")
    for line in recovery.changes.added { logger.log(.info, "\(path): member added to the model: \(line)") }
    for line in recovery.changes.removed { logger.log(.warning, "\(path): member removed from the model: \(line)") }
  }

  /// Writes the metrics of the journal, if there is one.
  var metrics: @Sendable (inout Exposition) -> Void {
    { [journal, store] exposition in journal?.collect(store, into: &exposition) }
  }

  /// Returns the reason why the journal cannot write at the moment, or nil if it can. Nil if there is no journal.
  var journalFailure: (@Sendable () -> String?)? {
    guard let journal else { return nil }
    return { journal.failure?.reason }
  }
}
