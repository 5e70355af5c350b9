package import BinderyCore
import BinderyDigest
import BinderyJournal
import BinderySQLite
public import BinderyService
import BinderySystem
import BinderyTelemetry

/// A store in a PostgreSQL database. Any number of servers can serve its state at the same time.
public struct PostgreSQLStore: Sendable {
  /// The URL of the database; nil for the kind of store.
  package let location: String?
  /// The id of the state in the database.
  private let document: String
  private let timeouts: DatabaseTimeouts

  package init(
    _ location: String?, document: String = PostgreSQLStorage.document, timeouts: DatabaseTimeouts = DatabaseTimeouts()
  ) {
    (self.location, self.document, self.timeouts) = (location, document, timeouts)
  }
}

extension StoreDriver where Self == PostgreSQLStore {
  /// Stores in PostgreSQL databases.
  public static var postgres: PostgreSQLStore { PostgreSQLStore(nil) }

  /// The store in a PostgreSQL database, such as `postgres://bindery@db.example.com/bindery`. Its tables are created if
  /// they do not exist.
  public static func postgres(_ url: String) -> PostgreSQLStore { PostgreSQLStore(url) }
}

extension PostgreSQLStore: StoreDriver {
  /// The operations of the store.
  public var implementation: StoreImplementation { StoreImplementation(self) }
}

extension PostgreSQLStore: StoreOperations {
  package var usage: String { "postgres://USER@HOST/NAME" }
  package var files: [String] { [] }
  package var isShared: Bool { true }
  package func defaultLocation(for program: String) -> String { location ?? "postgres:///\(program)" }

  package func located(at location: String) -> PostgreSQLStore? {
    PostgreSQLAddress.isURL(location) ? PostgreSQLStore(location, document: document, timeouts: timeouts) : nil
  }

  package func open<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> OpenStore<Root> {
    let (storage, name) = try connect()
    try declareLayout(of: opening.model, in: storage, name)
    let clock = storage.clock
    let stored = try Self.options(in: storage, name).filter { opening.options.contains($0.key) }
    let first = try opening.plan(StoredSettings(stored, clock: { clock.milliseconds }))
    if try attempt(name, { () throws(StorageFailure) in try storage.claimTimeline() }) {
      first.logger.log(
        .warning,
        "\(name): a standby of the database was promoted, and commits of the last moments may be lost: the history of "
          + "the state is a new one")
    }
    if !(try attempt(name, { () throws(StorageFailure) in try storage.hasSynchronousStandby() })) {
      first.logger.log(
        .warning,
        "\(name): the database has no synchronous standby (synchronous_standby_names is empty): if it fails over to a "
          + "standby, the last commits can be lost")
    }
    if first.replacesState {
      _ = try Self.replaceState(in: storage, of: opening.model, name) { _ in try first.initial() }
    }
    // A start that is refused because of the model must not have changed the store.
    let existing = try Self.recovery(of: opening.model, in: storage, name)
    // If another server was faster, this one uses its values.
    let winner = try Self.store(first.options, unlike: stored, replacing: first.replacesState, in: storage, name)
    let plan =
      if let winner {
        try opening.plan(
          StoredSettings(winner.filter { opening.options.contains($0.key) }, clock: { clock.milliseconds }))
      } else { first }
    if let winner { _ = try Self.store(plan.options, unlike: winner, replacing: false, in: storage, name) }
    let recovery =
      if let existing { existing } else {
        try Self.recover(storage, opening.model, startingWith: plan.initial, name)
      }
    let secret = try attempt(name) { () throws(StorageFailure) in
      try storage.setting(Self.secretName, orInsert: DigestKey.random().secret)
    }
    guard let history = storage.history else {
      throw StoreDriverError(.unreadable, "\(name): the state has no history")
    }
    let (logger, contact) = (plan.logger, storage.contact)
    do {
      let notifier = try PostgreSQLNotifier(storage.address, document: document) { reason in
        logger.log(
          .warning,
          "\(name): commits of other servers are noticed by polling only, because LISTEN does not work (\(reason)): "
            + "connect without a connection pool in transaction mode")
      }
      storage.notifier = notifier
      let (replacement, record) = (StateReplacement(), RevisionRecord.of(document, at: name))
      storage.resume(record)
      storage.onOtherHistory = { reason, revisions in
        guard replacement.report(reason) else { return }
        record.add(revisions)
        for line in revisions.lines { logger.log(.warning, "\(name): the database has lost revisions; \(line)") }
      }
      let sessionEnds = SessionEnds()
      storage.onEndedSessions = { sessionEnds.report($0) }
      try attempt(name) { () throws(StorageFailure) in try storage.readEndedSessions() }
      let journal = try StorageJournal(storage, recovery, retention: plan.retention) { logger.log($0, of: name) }
      let store = Store(
        recovery.root, of: opening.model, revision: recovery.revision, journal: journal,
        key: DigestKey(secret: secret), history: history, keyedResults: recovery.keyedResults)
      try journal.start(store)
      // The notifier and the sessions belong to the storage of the journal.
      try notifier.start { [weak journal] in journal?.checkHead() }
      logger.log(.info, "\(name) is at revision \(recovery.revision)")
      for change in recovery.modelChanges { logger.log(change.isLoss ? .warning : .info, "\(name): \(change.text)") }
      var open = OpenStore(store, journal, sessionEnds)
      open.replacement = replacement
      open.clock = { clock.milliseconds }
      open.collectMetrics = { [store] exposition in
        journal.collect(store, into: &exposition)
        Self.collect(contact, isListening: notifier.isListening, into: &exposition)
        record.collect(into: &exposition)
      }
      open.close = { [store] in
        // Both may wait for a connection.
        notifier.beginStop()
        journal.stop()
        notifier.stop()
        store.close()
      }
      return open
    } catch { throw StoreDriverError(.inputOutput, "cannot start the journal: \(error)") }
  }

  package func check<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> [String] {
    let (storage, name) = try connect(.checking)
    defer { storage.close() }
    let layout = LayoutChanges.requirements(of: opening.model)
    try attempt(name) { () throws(StorageFailure) in try storage.checkLayout(layout) }
    let recovery = try Self.recovery(of: opening.model, in: storage, name)
    let clock = storage.clock
    let stored = try Self.options(in: storage, name).filter { opening.options.contains($0.key) }
    let plan = try opening.check(
      StoredSettings(stored, clock: { clock.milliseconds }), isNew: recovery == nil)
    try Self.check(plan.options, unlike: stored, replacing: plan.replacesState, name)
    guard let recovery else { return [] }
    return recovery.modelChanges.map { "\(name): \($0.text)" }
  }

  package func export<Root: Sendable>(
    _ model: ModelDefinition<Root>, reportLoss: (String) -> Void
  ) throws(StoreDriverError) -> [UInt8]? {
    let (storage, name) = try connect(.reading)
    guard let recovery = try Self.recovery(of: model, in: storage, name) else { return nil }
    for change in recovery.modelChanges where change.isLoss { reportLoss("\(name): \(change.text)") }
    return model.shape.stored(recovery.root)
  }

  package func replaceState<Root: Sendable>(
    of model: ModelDefinition<Root>, by make: (Root?) throws -> Root
  ) throws -> Int {
    let (storage, name) = try connect()
    try declareLayout(of: model, isNewest: true, in: storage, name)
    _ = try attempt(name) { () throws(StorageFailure) in try storage.claimTimeline() }
    return try Self.replaceState(in: storage, of: model, name, by: make)
  }

  package func backUp(to copy: String) throws(StoreDriverError) {
    let (storage, name) = try connect(.reading)
    let options = try Self.options(in: storage, name)
    let secret = try attempt(name) { () throws(StorageFailure) in try storage.setting(Self.secretName) }
    try BackupFile.create(copy, of: name) { partial throws(StoreDriverError) in
      var attempts = 0
      var failure: StoreDriverError?
      while true {
        do throws(StoreError) {
          do throws(Errno) { try File.createPrivate(partial) } catch { throw .cannotCopy("\(error)") }
          let file = try StoreFile(partial, secret: secret)
          defer { file.storage.close() }
          try file.store(options: options)
          do throws(StorageFailure) {
            if try storage.copyState(to: file.storage) { return try file.storage.finishBackup() }
            failure = StoreDriverError(StoreDriverError.Kind.missing, "\(name) contains no state")
          } catch {
            attempts += 1
            // As in ``recovery(of:in:_:)``.
            switch error {
            case .damaged where attempts < 3, .overtaken where attempts < 10: break
            default: failure = StoreDriverError(notCopied: name, error)
            }
          }
        } catch { throw StoreDriverError(.cannotCreate, "cannot create \(copy) from \(name): \(error)") }
        if let failure { throw failure }
        SQLiteStorage.removeFiles(of: partial)
        try attempt(name) { () throws(StorageFailure) in try storage.adoptHistory() }
      }
    }
  }

  package func restore<Root: Sendable>(
    _ model: ModelDefinition<Root>, from path: String
  ) throws(StoreDriverError) -> Int {
    let backup: SQLiteStorage?
    do throws(StoreError) { backup = try SQLiteStorage(reading: path) } catch {
      throw StoreDriverError(error, path)
    }
    let recovery: Recovery<Root>?
    do throws(RecoveryError) {
      recovery = if let backup { try Recovery(of: model, in: backup) } else { nil }
    } catch { throw StoreDriverError(error, path) }
    guard let root = recovery?.root else { throw StoreDriverError(.unreadable, "\(path) contains no state") }
    do { return try replaceState(of: model) { _ in root } } catch let error as StoreDriverError { throw error } catch {
      throw StoreDriverError(.inputOutput, "\(error)")
    }
  }
}

// MARK: Helpers

/// Runs an operation on a storage.
private func attempt<Result>(
  _ name: String, _ body: () throws(StorageFailure) -> Result
) throws(StoreDriverError) -> Result {
  do throws(StorageFailure) { return try body() } catch { throw StoreDriverError(error, name) }
}

extension PostgreSQLStore {
  /// The setting with the secret key of the ETag digests.
  private static let secretName = "secret"

  /// Connects to the database.
  private func connect(
    _ access: PostgreSQLStorage.Access = .writing
  ) throws(StoreDriverError) -> (storage: PostgreSQLStorage, name: String) {
    guard let location else {
      throw StoreDriverError(
        StoreDriverError.Kind.missing, "no database: use .postgres(\"postgres://bindery@db.example.com/bindery\")")
    }
    let address: PostgreSQLAddress
    do throws(InvalidPostgreSQLAddress) { address = try PostgreSQLAddress(location) } catch {
      throw StoreDriverError(StoreDriverError.Kind.location, "--store postgres://…: \(error)")
    }
    do throws(StorageFailure) {
      return (try PostgreSQLStorage(address, document: document, access, timeouts: timeouts), address.url)
    } catch { throw StoreDriverError(error, address.url) }
  }

  private static func collect(
    _ contact: DatabaseContact, isListening: Bool, into exposition: inout Exposition
  ) {
    exposition.single(
      "bindery_database_listening", .gauge,
      "1 if other servers announce their commits (LISTEN), 0 if they are noticed by polling.", isListening ? 1 : 0)
    exposition.single(
      "bindery_database_up", .gauge, "1 if the last attempt to reach the database succeeded.", contact.isLost ? 0 : 1)
    exposition.single(
      "bindery_database_silence_seconds", .gauge, "Time since the last answer of the database, in whole seconds.",
      Int(contact.milliseconds / 1_000))
    exposition.single(
      "bindery_database_reconnections_total", .counter, "Connections to the database after the first one.",
      contact.reconnections)
  }

  /// Recovers the state; nil if the store is new.
  private static func recovery<Root: Sendable>(
    of model: ModelDefinition<Root>, in storage: PostgreSQLStorage, _ name: String
  ) throws(StoreDriverError) -> Recovery<Root>? {
    var attempts = 0
    while true {
      attempts += 1
      do throws(RecoveryError) { return try Recovery(of: model, in: storage) } catch {
        switch error {
        // A server may have removed a part of what was being read, after it had written a newer snapshot.
        case .damaged where attempts < 3: break
        // Another command may have replaced the state.
        case .cannotRead(.overtaken) where attempts < 10:
          try attempt(name) { () throws(StorageFailure) in try storage.adoptHistory() }
        default: throw StoreDriverError(error, name)
        }
      }
    }
  }

  /// Recovers the state. A new store gets a first one, unless another server is faster.
  private static func recover<Root: Sendable>(
    _ storage: PostgreSQLStorage, _ model: ModelDefinition<Root>, startingWith initial: () throws -> Root,
    _ name: String
  ) throws -> Recovery<Root> {
    if let existing = try recovery(of: model, in: storage, name) { return existing }
    let root = try initial()
    do throws(RecoveryError) { return try Recovery(from: storage, of: model) { root } } catch {
      guard case .cannotWrite = error, let existing = try recovery(of: model, in: storage, name) else {
        throw StoreDriverError(error, name)
      }
      return existing
    }
  }

  /// Replaces the state under a new history, while other servers may write.
  private static func replaceState<Root: Sendable>(
    in storage: PostgreSQLStorage, of model: ModelDefinition<Root>, _ name: String, by make: (Root?) throws -> Root
  ) throws -> Int {
    var attempts = 0
    while true {
      attempts += 1
      do throws(StorageFailure) {
        // Other servers wait meanwhile, so that they cannot be faster forever.
        if attempts > 3 { try storage.lockForReplacement() }
        try storage.adoptHistory()
      } catch { throw StoreDriverError(error, name) }
      var isNew = false
      let recovery = try recover(
        storage, model,
        startingWith: {
          isNew = true
          return try make(nil)
        }, name)
      if isNew { return recovery.revision }
      let root = try make(recovery.root)
      do throws(StorageFailure) {
        guard !model.shape.areSame(recovery.root, root) else {
          try storage.beginHistory()
          return recovery.revision
        }
        // One statement for the state and its history: servers that run load the new state, and none takes the
        // revision for a commit.
        let revision = Revision(
          number: recovery.revision + 1, at: storage.wallMilliseconds, from: recovery.storedRoot, to: root, model.shape,
          metadata: CommitMetadata(author: "import"))
        try storage.replaceState(by: revision)
        // It also has what no revision has, such as the largest generated ids. The state is replaced without it, too.
        _ = try? storage.writeSnapshot(of: root, model, at: revision.number)
        return revision.number
      } catch .overtaken where attempts < 10 {
        storage.unlockHead()
      } catch .unknown(let failure) {
        throw StoreDriverError(
          .inputOutput,
          "\(name): \(failure.reason) It is not known whether the state was replaced: repeat the command.")
      } catch { throw StoreDriverError(error, name) }
    }
  }

  /// Returns the stored values of options.
  private static func options(in storage: PostgreSQLStorage, _ name: String) throws(StoreDriverError) -> [String:
    String]
  {
    try attempt(name) { () throws(StorageFailure) in try storage.options() }
  }

  /// Stores the values of options that are not stored yet. All servers of a state have the same values.
  ///
  /// - Parameters:
  ///   - known: The stored values that the program knew when it determined its own.
  ///   - isReplacing: Whether to replace other values.
  /// - Returns: nil if these values are stored; the stored values if another server was faster.
  /// - Throws: ``StoreDriverError`` if another value was stored before.
  private static func store(
    _ values: [String: String], unlike known: [String: String], replacing isReplacing: Bool,
    in storage: PostgreSQLStorage, _ name: String
  ) throws(StoreDriverError) -> [String: String]? {
    try check(values, unlike: known, replacing: isReplacing, name)
    for (option, value) in values where known[option] != value {
      try attempt(name) { () throws(StorageFailure) in
        try storage.set(option: option, to: value, isReplacing: isReplacing)
      }
    }
    let stored = try options(in: storage, name)
    return values.allSatisfy { stored[$0.key] == $0.value } ? nil : stored
  }

  /// Checks that no other value of an option was stored before, unless it is replaced.
  private static func check(
    _ values: [String: String], unlike known: [String: String], replacing isReplacing: Bool, _ name: String
  ) throws(StoreDriverError) {
    guard !isReplacing else { return }
    for (option, value) in values {
      guard let other = known[option], other != value else { continue }
      throw StoreDriverError(
        .location,
        "\(name): the servers of this state have --\(option) \(other), and this one --\(option) \(value): leave the "
          + "option out, or stop all servers and delete the row “option:\(option)” of the table bindery.setting")
    }
  }

  /// Gives the layout of a model a number.
  private func declareLayout<Root: Sendable>(
    of model: ModelDefinition<Root>, isNewest: Bool = false, in storage: PostgreSQLStorage, _ name: String
  ) throws(StoreDriverError) {
    try attempt(name) { () throws(StorageFailure) in
      try storage.declareLayout(LayoutChanges.requirements(of: model), isNewest: isNewest)
    }
  }
}
