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

  package init(_ location: String?, document: String = PostgreSQLStorage.document) {
    (self.location, self.document) = (location, document)
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
    PostgreSQLAddress.isURL(location) ? PostgreSQLStore(location, document: document) : nil
  }

  package func open<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> OpenStore<Root> {
    let (storage, name) = try connect()
    let stored = try Self.options(in: storage, name)
    let plan = try opening.plan(stored.filter { opening.options.contains($0.key) })
    if try attempt(name, { () throws(StorageFailure) in try storage.claimTimeline() }) {
      plan.logger.log(
        .warning,
        "\(name): a standby of the database was promoted, and commits of the last moments may be lost: the history of "
          + "the state is a new one")
    }
    if plan.replacesState {
      _ = try Self.replaceState(in: storage, of: opening.model, name) { _ in try plan.initial() }
    }
    let recovery = try Self.recover(storage, opening.model, startingWith: plan.initial, name)
    try Self.store(plan.options, in: storage, name)
    let secret = try attempt(name) { () throws(StorageFailure) in
      try storage.setting(Self.secretName, orInsert: DigestKey.random().secret)
    }
    guard let history = storage.history else {
      throw StoreDriverError(.unreadable, "\(name): the state has no history")
    }
    let (logger, contact) = (plan.logger, storage.contact)
    do throws(Errno) {
      let journal = try StorageJournal(storage, recovery, retention: plan.retention) { failure in
        if let failure {
          logger.log(.error, "\(name): \(failure.reason)")
        } else {
          logger.log(.info, "\(name): writes succeed again")
        }
      }
      let store = Store(
        recovery.root, of: opening.model, revision: recovery.revision, journal: journal,
        key: DigestKey(secret: secret), history: history, keyedResults: recovery.keyedResults)
      try journal.start(store)
      logger.log(.info, "\(name) is at revision \(recovery.revision)")
      var open = OpenStore(store)
      open.history = journal
      open.journalFailure = { journal.failure?.reason ?? Self.silence(contact) }
      open.collectMetrics = { [store] exposition in
        journal.collect(store, into: &exposition)
        Self.collect(contact, into: &exposition)
      }
      open.close = { [store] in
        journal.stop()
        store.close()
      }
      return open
    } catch { throw StoreDriverError(.inputOutput, "cannot start the journal: \(error)") }
  }

  package func check<Root: Sendable>(
    _ model: ModelDefinition<Root>, options: [String]
  ) throws(StoreDriverError) -> StoreCheck {
    let (storage, name) = try connect(.reading)
    var check = StoreCheck()
    guard let recovery = try Self.recovery(of: model, in: storage, name) else { return check }
    check.changes =
      recovery.changes.added.map { "\(name): added to the model: \($0)" }
      + recovery.changes.removed.map { "\(name): removed from the model: \($0)" }
      + recovery.dropped.map { "\(name): removed from the state: \($0)" }
    check.options = try Self.options(in: storage, name).filter { options.contains($0.key) }
    return check
  }

  package func export<Root: Sendable>(_ model: ModelDefinition<Root>) throws(StoreDriverError) -> [UInt8]? {
    let (storage, name) = try connect(.reading)
    return try Self.recovery(of: model, in: storage, name).map { model.shape.stored($0.root) }
  }

  package func replaceState<Root: Sendable>(
    of model: ModelDefinition<Root>, by make: (Root?) throws -> Root
  ) throws -> Int {
    let (storage, name) = try connect()
    _ = try attempt(name) { () throws(StorageFailure) in try storage.claimTimeline() }
    return try Self.replaceState(in: storage, of: model, name, by: make)
  }

  package func backUp(to copy: String) throws(StoreDriverError) {
    let (storage, name) = try connect(.reading)
    guard FileStatus(copy) == nil else { throw StoreDriverError(.cannotCreate, "\(copy) already exists") }
    // Written to a temporary name and renamed at the end, so that an incomplete copy never has the final name.
    let partial = copy + ".partial"
    File.remove(partial)
    let options = try Self.options(in: storage, name)
    let secret = try attempt(name) { () throws(StorageFailure) in try storage.setting(Self.secretName) }
    do throws(StoreError) {
      do throws(Errno) { try File.createPrivate(partial) } catch { throw .unusable("\(error)") }
      let file = try StoreFile(partial, secret: secret)
      defer { file.storage.close() }
      try file.store(options: options)
      do throws(StorageFailure) { try storage.copyState(to: file.storage) } catch {
        throw .unusable(error.failure.reason)
      }
    } catch { throw StoreDriverError(.cannotCreate, "cannot create \(copy) from \(name): \(error)") }
    do throws(Errno) { try File.replace(copy, with: partial) } catch {
      throw StoreDriverError(.cannotCreate, "cannot create \(copy): \(error)")
    }
  }

  package func restore<Root: Sendable>(
    _ model: ModelDefinition<Root>, from path: String
  ) throws(StoreDriverError) -> Int {
    let backup: SQLiteStorage?
    do throws(StoreError) { backup = try SQLiteStorage(reading: path) } catch {
      throw StoreDriverError(.unreadable, "\(path): \(error)")
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

  /// The time without an answer after which the service is not ready, in milliseconds.
  private static let silenceMilliseconds: Int64 = 5_000

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
      return (try PostgreSQLStorage(address, document: document, access), address.url)
    } catch { throw StoreDriverError(error, address.url) }
  }

  /// Returns why the service is not ready; nil if the database has answered recently.
  private static func silence(_ contact: DatabaseContact) -> String? {
    let milliseconds = contact.milliseconds
    guard milliseconds >= silenceMilliseconds else { return nil }
    return "The database has not answered for \(milliseconds / 1_000) seconds."
  }

  private static func collect(_ contact: DatabaseContact, into exposition: inout Exposition) {
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
      do throws(RecoveryError) { return try Recovery(of: model, in: storage) } catch {
        attempts += 1
        // A server may have removed a part of what was being read, after it had written a newer snapshot.
        guard case .damaged = error, attempts < 3 else { throw StoreDriverError(error, name) }
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

  private static func replaceState<Root: Sendable>(
    in storage: PostgreSQLStorage, of model: ModelDefinition<Root>, _ name: String, by make: (Root?) throws -> Root
  ) throws -> Int {
    var isNew = false
    let recovery = try recover(
      storage, model,
      startingWith: {
        isNew = true
        return try make(nil)
      }, name)
    if isNew { return recovery.revision }
    let root = try make(recovery.root)
    // First, so that servers that run stop with the state that they have.
    try attempt(name) { () throws(StorageFailure) in try storage.beginHistory() }
    guard !model.shape.areSame(recovery.root, root) else { return recovery.revision }
    let revision = Revision(
      number: recovery.revision + 1, at: Clock.wallMilliseconds, from: recovery.root, to: root, model.shape,
      metadata: CommitMetadata(author: "import"))
    try attempt(name) { () throws(StorageFailure) in try storage.append([revision]) }
    return revision.number
  }

  /// Returns the stored values of options.
  private static func options(in storage: PostgreSQLStorage, _ name: String) throws(StoreDriverError) -> [String:
    String]
  {
    try attempt(name) { () throws(StorageFailure) in try storage.options() }
  }

  /// Stores the values of options, where they differ from the stored ones.
  private static func store(
    _ options: [String: String], in storage: PostgreSQLStorage, _ name: String
  ) throws(StoreDriverError) {
    let stored = try self.options(in: storage, name)
    try attempt(name) { () throws(StorageFailure) in
      for (option, value) in options where stored[option] != value { try storage.set(option: option, to: value) }
    }
  }
}

extension StoreDriverError {
  /// Creates the error of a database that could not be used.
  fileprivate init(_ failure: StorageFailure, _ name: String) {
    let kind: Kind = if case .damaged = failure { .unreadable } else { .inputOutput }
    self.init(kind, "\(name): \(failure.failure.reason)")
  }
}
