package import BinderyCore
package import BinderyJournal
package import BinderySQLite
import BinderySystem
import BinderyTelemetry

/// A store in an SQLite database file. One server at a time has it open.
public struct SQLiteStore: Sendable {
  /// The path of the database file; nil for the kind of store.
  package let location: String?

  fileprivate init(_ location: String?) { self.location = location }

  /// The path of the database file.
  private var path: String {
    get throws(StoreDriverError) {
      guard let location else {
        throw StoreDriverError(StoreDriverError.Kind.missing, "no database file: use .sqlite(\"state.db\")")
      }
      return location
    }
  }
}

extension StoreDriver where Self == SQLiteStore {
  /// Stores in SQLite database files.
  public static var sqlite: SQLiteStore { SQLiteStore(nil) }

  /// The store in an SQLite database file, which is created if it does not exist.
  public static func sqlite(_ path: String) -> SQLiteStore { SQLiteStore(path) }
}

extension SQLiteStore: StoreDriver {
  /// The operations of the store.
  public var implementation: StoreImplementation { StoreImplementation(self) }
}

extension SQLiteStore: StoreOperations {
  package var usage: String { "Database file" }
  package var files: [String] { location.map { path in ["", "-wal", "-shm", "-journal"].map { path + $0 } } ?? [] }
  package var isShared: Bool { false }
  package func defaultLocation(for program: String) -> String { location ?? program + ".db" }

  package func located(at location: String) -> SQLiteStore? {
    let isOther =
      location == MemoryStore().location || location == ":memory:" || location.hasPrefix("file:")
      || location.contains("://")
    return isOther || location.isEmpty ? nil : SQLiteStore(location)
  }

  package func open<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> OpenStore<Root> {
    let path = try path
    try Self.refuseInterruptedRestore(path)
    // A mistake in the options or the initial state creates no file.
    let planned = FileStatus(path) == nil ? try opening.plan(StoredSettings()) : nil
    let first = try planned?.initial()
    let hasTables = FileStatus.size(path) ?? 0 > 0
    let file: StoreFile
    do throws(StoreError) { file = try StoreFile(path) } catch { throw StoreDriverError(error, path) }
    let stored: [String: String]
    do throws(StoreError) { stored = try file.options(opening.options) } catch { throw StoreDriverError(error, path) }
    // Another program may have created the store in the meantime.
    let isPlanned = stored.isEmpty && planned != nil
    let plan = if isPlanned, let planned { planned } else { try opening.plan(StoredSettings(stored)) }
    func initial() throws -> Root { if isPlanned, let first { first } else { try plan.initial() } }
    if plan.replacesState { _ = try Self.replaceState(in: file, of: opening.model, path) { _ in try initial() } }
    var isNew = false
    let recovery = try Self.recover(
      file, opening.model,
      startingWith: {
        isNew = true
        return try initial()
      }, path)
    // A start that is refused because of the model or the data must not have changed the store.
    let historyID: HistoryID
    let sessionEnds = SessionEnds()
    do throws(StoreError) {
      try file.store(options: plan.options)
      historyID = try file.history()
      sessionEnds.report(try file.endedSessions())
    } catch { throw StoreDriverError(error, path) }
    let logger = plan.logger
    let journal: StorageJournal<Root, SQLiteStorage>
    let store: Store<Root>
    let wasInterrupted = file.storage.wasInterrupted
    file.storage.didKeepWAL = {
      logger.log(
        .warning,
        "\(path)-wal contains commits that could not be moved to \(path), because the disk is full or another program "
          + "uses the store: to copy the store, copy both files, or use bindery backup with a file on another disk")
    }
    do throws(Errno) {
      journal = try StorageJournal(file.storage, recovery, retention: plan.retention) { logger.log($0, of: path) }
      store = Store(
        recovery.root, of: opening.model, revision: recovery.revision, journal: journal, key: file.key,
        history: historyID, keyedResults: recovery.keyedResults)
      try journal.start(store)
    } catch { throw StoreDriverError(.inputOutput, "cannot start the journal: \(error)") }
    if FileStatus(path)?.isReadableByOthers == true {
      logger.log(
        .warning,
        "\(path) is readable by other users of this machine and contains the key of sessions and ETags: run chmod 600 "
          + path)
    }
    if wasInterrupted {
      logger.log(
        .warning,
        "\(path)-wal contained commits, because the last server was killed or could not move them to \(path); they "
          + "were recovered up to revision \(recovery.revision)")
    }
    let replayed = recovery.replayed == 0 ? "" : " (\(recovery.replayed) replayed since the last snapshot)"
    let description = isNew ? "is a new store" : "is at revision \(recovery.revision)\(replayed)"
    logger.log(.info, "\(path) \(description)")
    if isNew, hasTables {
      logger.log(
        .warning,
        "\(path) existed without a state; if it had one, its -wal file is missing: stop the server, and put both back")
    }
    for change in recovery.modelChanges { logger.log(change.isLoss ? .warning : .info, "\(path): \(change.text)") }
    var open = OpenStore(store, journal, sessionEnds)
    open.collectMetrics = { [store] exposition in
      journal.collect(store, into: &exposition)
      Self.collectFiles(path, into: &exposition)
    }
    open.close = { [store] in
      journal.stop()
      store.close()
    }
    return open
  }

  /// Throws if a restore of a store that has no state was interrupted: a server would begin with the initial state.
  private static func refuseInterruptedRestore(_ path: String) throws(StoreDriverError) {
    guard let partial = SQLiteStorage.interruptedRestore(of: path) else { return }
    let advice = "run it again, or remove \(partial)"
    throw StoreDriverError(.unreadable, "\(path): a restore was interrupted and has restored nothing: \(advice)")
  }

  /// Writes the sizes of the files of a store, and the space that is left for them.
  private static func collectFiles(_ path: String, into exposition: inout Exposition) {
    exposition.begin("bindery_store_bytes", .gauge, "Size of the files of the store: the database, and its WAL file.")
    exposition.sample(["file": "database"], FileStatus.size(path) ?? 0)
    exposition.sample(["file": "wal"], FileStatus.size(path + "-wal") ?? 0)
    exposition.single(
      "bindery_store_free_bytes", .gauge, "Free space in the file system of the store.",
      File.freeBytes(at: path) ?? 0)
  }

  private static func recover<Root: Sendable>(
    _ file: borrowing StoreFile, _ model: ModelDefinition<Root>, startingWith initial: () throws -> Root, _ path: String
  ) throws -> Recovery<Root> {
    let existing: Recovery<Root>?
    do throws(RecoveryError) { existing = try Recovery(of: model, in: file.storage) } catch {
      throw StoreDriverError(error, path)
    }
    if let existing { return existing }
    let root = try initial()
    do throws(RecoveryError) {
      return try Recovery(from: file.storage, of: model) { root }
    } catch { throw StoreDriverError(error, path) }
  }

  package func check<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> [String] {
    let path = try path
    do throws(StoreError) { try SQLiteStorage.checkAccess(path) } catch { throw StoreDriverError(error, path) }
    try Self.refuseInterruptedRestore(path)
    let storage = FileStatus(path) == nil ? nil : try Self.reading(path)
    let recovery: Recovery<Root>?
    do throws(RecoveryError) {
      recovery = if let storage { try Recovery(of: opening.model, in: storage) } else { nil }
    } catch { throw StoreDriverError(error, path) }
    var stored: [String: String] = [:]
    do throws(StorageFailure) {
      for name in opening.options { stored[name] = try storage?.option(name) }
    } catch { throw StoreDriverError(.unreadable, "\(path): \(error.failure.reason)") }
    _ = try opening.check(StoredSettings(stored), isNew: recovery == nil)
    return recovery.map { $0.modelChanges.map { "\(path): \($0.text)" } } ?? []
  }

  /// Opens a store for reading; returns nil for an empty file, which is a new store.
  private static func reading(_ path: String) throws(StoreDriverError) -> SQLiteStorage? {
    do throws(StoreError) { return try SQLiteStorage(reading: path) } catch { throw StoreDriverError(error, path) }
  }

  package func export<Root: Sendable>(
    _ model: ModelDefinition<Root>, reportLoss: (String) -> Void
  ) throws(StoreDriverError) -> [UInt8]? {
    let path = try path
    guard let storage = try Self.reading(path) else { return nil }
    do throws(RecoveryError) {
      guard let recovery = try Recovery(of: model, in: storage) else { return nil }
      for change in recovery.modelChanges where change.isLoss { reportLoss("\(path): \(change.text)") }
      return model.shape.stored(recovery.root)
    } catch { throw StoreDriverError(error, path) }
  }

  package func replaceState<Root: Sendable>(
    of model: ModelDefinition<Root>, by make: (Root?) throws -> Root
  ) throws -> Int {
    let path = try path
    var isNew = FileStatus(path) == nil
    // A mistake in the new state creates no file.
    let initial = isNew ? try make(nil) : nil
    let file: StoreFile
    do throws(StoreError) { file = try StoreFile(path) } catch {
      if isNew, error != .inUse { SQLiteStorage.removeFiles(of: path) }
      throw StoreDriverError(error, path)
    }
    do {
      return try Self.replaceState(in: file, of: model, path) { old in
        // Another program may have created the store in the meantime.
        isNew = isNew && old == nil
        if isNew, let initial { return initial }
        return try make(old)
      }
    } catch {
      file.storage.close()
      if isNew { SQLiteStorage.removeFiles(of: path) }
      throw error
    }
  }

  private static func replaceState<Root: Sendable>(
    in file: borrowing StoreFile, of model: ModelDefinition<Root>, _ path: String, by make: (Root?) throws -> Root
  ) throws -> Int {
    var isNew = false
    let recovery = try recover(
      file, model,
      startingWith: {
        isNew = true
        return try make(nil)
      }, path)
    if isNew { return recovery.revision }
    let root = try make(recovery.root)
    // First, so that a crash leaves no revision that clients could take for a commit.
    do throws(StoreError) { try file.beginHistory() } catch { throw StoreDriverError(error, path) }
    guard !model.shape.areSame(recovery.root, root) else { return recovery.revision }
    let revision = Revision(
      number: recovery.revision + 1, at: Clock.wallMilliseconds, from: recovery.storedRoot, to: root, model.shape,
      metadata: CommitMetadata(author: "import"))
    // The snapshot also has what no revision has, such as the largest generated ids.
    do throws(StorageFailure) { try file.storage.append([revision], beginning: model, with: root) } catch {
      throw StoreDriverError(.inputOutput, "\(path): \(error.failure.reason)")
    }
    return revision.number
  }

  package func backUp(to copy: String) throws(StoreDriverError) {
    let path = try path
    try BackupFile.create(copy, of: path) { partial throws(StoreDriverError) in
      do throws(StoreError) { try SQLiteStorage.copy(path, to: partial) } catch .cannotCopy(let reason) {
        throw StoreDriverError(.cannotCreate, "cannot copy \(path) to \(copy): \(reason)")
      } catch { throw StoreDriverError(error, path) }
    }
  }

  package func restore<Root: Sendable>(_ model: ModelDefinition<Root>, from backup: String) throws(StoreDriverError)
    -> Int
  {
    let path = try path
    let recovery: Recovery<Root>?
    let storage = try Self.reading(backup)
    do throws(RecoveryError) {
      recovery = if let storage { try Recovery(of: model, in: storage) } else { nil }
    } catch { throw StoreDriverError(error, backup) }
    guard let recovery else { throw StoreDriverError(.unreadable, "\(backup) contains no state") }
    try refuseOtherModel(model, at: path)
    do throws(StoreError) {
      try SQLiteStorage.restore(path, from: backup)
    } catch .damaged(let reason) {
      let advice = "restore an earlier backup, or import what the command export can read of this one"
      throw StoreDriverError(
        .unreadable, "nothing was restored, because \(backup) is damaged (\(reason)); \(advice)")
    } catch { throw StoreDriverError(error, path) }
    return recovery.revision
  }

  /// Throws if a store has the state of another model, which was probably named by mistake. A damaged store may be
  /// replaced.
  private func refuseOtherModel<Root: Sendable>(
    _ model: ModelDefinition<Root>, at path: String
  ) throws(StoreDriverError) {
    guard let storage = try? Self.reading(path) else { return }
    do throws(RecoveryError) { _ = try Recovery(of: model, in: storage) } catch {
      if case .foreign = error { throw StoreDriverError(error, path) }
    }
  }
}

extension StoreDriverError {
  /// Creates the error of a store that could not be opened or copied.
  package init(_ error: StoreError, _ path: String) {
    let kind: Kind =
      switch error {
      case .inUse: .inUse
      case .missing, .noState: .missing
      case .cannotCopy: .cannotCreate
      case .notAStore, .otherFormat, .otherTables, .damaged: .unreadable
      case .unusable: .inputOutput
      case .missingDirectory, .readOnlyDirectory, .readOnlyFile, .accessDenied, .hardLinks, .networkFileSystem,
        .notAFile, .foreignWAL, .missingDatabase:
        .location
      }
    self.init(kind, "\(path): \(error)")
  }

  /// Creates the error of a store whose state could not be recovered.
  package init(_ error: RecoveryError, _ path: String) {
    let kind: Kind =
      switch error {
      case .damaged: .unreadable
      case .misfit, .readdressed, .foreign: .misfit
      case .cannotRead, .cannotWrite: .inputOutput
      }
    self.init(kind, "\(path) \(error)")
  }
}
