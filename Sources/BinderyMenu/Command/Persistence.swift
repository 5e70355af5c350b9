import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyJournal
import BinderySQLite
import BinderySystem
import BinderyTelemetry
import FoundationEssentials

/// The menu's store, and where it is kept.
struct Persistence: Sendable {
  let store: Store<Menu>
  let key: DigestKey
  /// nil where the state is kept in memory alone.
  let journal: StorageJournal<Menu, SQLiteStorage>?

  /// A store that ends with the process.
  init(memory root: Menu) {
    store = Store(root)
    key = .random()
    journal = nil
  }

  /// A store in a file, with its journal at work.
  ///
  /// - Parameter initial: the state that a new one begins with.
  init(
    _ file: sending StoreFile, _ options: Options, startingWith initial: Menu, _ logger: Logger
  ) throws(CommandError) {
    let path = options.store
    let recovery: Recovery<Menu>
    do throws(RecoveryError) {
      recovery = try Recovery(from: file.log) { initial }
    } catch { throw CommandError(error, path) }
    key = file.key
    do throws(Errno) {
      let journal = try StorageJournal(file.log, recovery, retention: options.retention) { trouble in
        if let trouble {
          logger.log(.error, "\(path): \(trouble.reason)")
        } else {
          logger.log(.info, "\(path): writing works again")
        }
      }
      store = Store(recovery.root, revision: recovery.revision, journal: journal)
      try journal.start(store)
      self.journal = journal
    } catch { throw CommandError(.osError, "the kernel refuses what the journal needs: \(error)") }
    let replayed = recovery.replayed == 0 ? "" : ", of which \(recovery.replayed) came after the last snapshot"
    if file.log.wasInterrupted { logger.log(.warning, "\(path) was not closed; nothing that was kept is lost") }
    logger.log(.info, "\(path) is at revision \(recovery.revision)\(replayed)")
    for line in recovery.changes.added { logger.log(.info, "\(path): new in the model: \(line)") }
    for line in recovery.changes.removed { logger.log(.warning, "\(path): no longer in the model: \(line)") }
  }

  /// Tells what was counted of the journal, where there is one.
  var metrics: @Sendable (inout Exposition) -> Void {
    { [journal, store] exposition in journal?.collect(store, into: &exposition) }
  }

  /// Why writes cannot be kept just now.
  var trouble: @Sendable () -> String? {
    { [journal] in journal?.trouble?.reason }
  }
}
