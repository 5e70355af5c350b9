import BinderyCore
import BinderyCryptography
package import BinderyJournal
import BinderySystem

/// Journal storage in a PostgreSQL database that several servers append to.
///
/// The servers share one row, the head, and append with one statement that compares it with the position that the
/// server has reached. It is confined to the journal's thread.
package final class PostgreSQLStorage {
  let address: PostgreSQLAddress
  /// The id of the document in each table.
  let document: String
  /// The times after which operations give up.
  package var timeouts: DatabaseTimeouts
  /// The id of this start of the server.
  let id = Secrets.random(count: 16)
  /// The time of the last answer of the database.
  package let contact = DatabaseContact()
  private var connection: PostgreSQLConnection?
  /// The connection that is being made, and the time at which it is given up.
  private var opening: (connection: PostgreSQLConnection, deadline: Int64)?
  /// The time of the next attempt to connect; nil if the last one succeeded.
  private var backoff: ConnectionBackoff?
  /// Whether this storage has had a connection.
  private var hasConnected = false
  /// The number of connections that were begun, which decides on the host of the next one.
  private var attempts = 0
  /// The time until which operations wait for a connection, in milliseconds of the monotonic clock; nil for the
  /// default.
  private var patience: Int64?
  /// Tells other servers of appends; nil if there is no need.
  package var notifier: PostgreSQLNotifier?
  /// The position that this server has reached; nil if the store is new.
  var position: Position?
  /// The result of the last statement if it was the check of the head after an append that was overtaken.
  var overtaking: HeadReading?
  /// The appends that were sent and whose outcome this server has not received, in their order.
  var sent: [SentAppend] = []
  /// The appends whose outcome is unknown, in their order.
  var unresolved: [StoredBatch] = []
  /// The beginning of the last batch that the database has refused.
  var refusedLines: [UInt8] = []
  /// The expression for the timeline of the database, which changes when a standby is promoted. Tests replace it.
  package var timeline = PostgreSQLStorage.timeline
  /// The clock of the database, which is read with each check of the head.
  package let clock = DatabaseClock()
  /// The number of the layout of this program's model, which the batches of this server name; nil before
  /// ``declareLayout(_:isNewest:)``.
  var layout: Int?
  /// The digest of that layout.
  var layoutDigest: [UInt8] = []
  /// The number of ended sessions that this server has read.
  var endedSessions = 0
  /// Called with sessions that were ended on any server. nil if they are not needed.
  package var onEndedSessions: (@Sendable (_ sessions: [[UInt8]]) -> Void)?
  /// The revisions that this server has published in the last seconds.
  var recentBatches = RecentBatches()
  /// Where ``recentBatches`` are put before the state is opened again.
  private(set) var record: RevisionRecord?
  /// Called when the state in the database has another history, so that this server must load it, with the reason and
  /// with what became of the revisions that a promoted standby did not have. It may be called again.
  package var onOtherHistory: (@Sendable (_ reason: String, _ missing: MissingRevisions) -> Void)?
  /// The number of appends, which makes their nonces differ.
  var appends = 0
  /// Whether this server holds the lock of the head row, in an open transaction.
  var holdsLock = false
  /// Whether a statement has waited too long for a lock.
  var mustEndStalledLocks = false
  /// The snapshot that is being written, with the hash of its revision.
  var snapshotInProgress: (revision: Int, chain: [UInt8])?

  /// The id of the document of a store.
  package static let document = "state"

  /// The purpose for which a storage is opened.
  package enum Access: Sendable {
    /// Nothing is changed, not even created.
    case reading
    /// As for reading, but the database must let this program write.
    case checking
    case writing
  }

  /// The moments at which a test can interrupt a connection.
  package enum Interruption: Sendable {
    case beforeStatement
    /// The server has executed the statement, and its answer is lost.
    case afterStatement
  }

  /// Returns whether the connection breaks at a statement. For tests.
  package var interrupt: ((_ statement: String) -> Interruption?)?
  let access: Access
  /// Whether the database has the tables of a store.
  private(set) var hasTables = true

  /// Opens a store. Its tables are created if they do not exist.
  ///
  /// - Throws: `refused` or `unknown` if the database cannot be used.
  package init(
    _ address: PostgreSQLAddress, document: String = PostgreSQLStorage.document, _ access: Access = .writing,
    timeouts: DatabaseTimeouts = DatabaseTimeouts()
  ) throws(StorageFailure) {
    (self.address, self.document, self.access, self.timeouts) = (address, document, access, timeouts)
    do throws(PostgreSQLError) { _ = try connected() } catch { throw .refused(error.failure) }
    try readPosition()
  }

  /// Takes over what the process has kept of the state, and keeps it for the next time.
  package func resume(_ record: RevisionRecord) {
    self.record = record
    recentBatches = record.takeBatches()
    if let position { recentBatches.mark(position) }
  }
}

// MARK: The connection

extension PostgreSQLStorage {
  /// The time after which an attempt to connect is given up, in milliseconds.
  static var connectionMilliseconds: Int64 { 3_000 }

  package func wait(until deadline: Int64) { patience = deadline }

  package var isBrieflyAway: Bool { contact.isLost && contact.milliseconds < timeouts.silence }
  package var patienceMilliseconds: Int64 { timeouts.patience }
  package var lockMilliseconds: Int64 { timeouts.lock }
  package var contentionMilliseconds: Int64 { timeouts.contention }

  /// Runs a statement, on a new connection if there is none.
  @discardableResult
  func run(_ statement: String, _ values: [PostgreSQLValue] = []) throws(PostgreSQLError) -> PostgreSQLRows {
    try run([(statement, values)], on: try connected())[0]
  }

  /// Runs statements, which are sent together.
  ///
  /// - Returns: The rows of each.
  /// - Throws: The first error. Within a transaction, the statements after it have no effect.
  func run(
    _ statements: [(text: String, values: [PostgreSQLValue])], on connection: PostgreSQLConnection
  ) throws(PostgreSQLError) -> [PostgreSQLRows] {
    overtaking = nil
    let deadline = deadline(for: statements.flatMap(\.values))
    try connection.discardResults(until: deadline)
    var interruptions: [Interruption?] = []
    for statement in statements {
      interruptions.append(interrupt?(statement.text))
      if interruptions.last == .beforeStatement { throw interrupted(connection) }
      try connection.send(statement.text, statement.values, until: deadline)
    }
    var rows: [PostgreSQLRows] = []
    var failure: PostgreSQLError?
    for interruption in interruptions {
      do throws(PostgreSQLError) {
        let answer = try answer(of: connection, interruption) { () throws(PostgreSQLError) in
          try connection.receive(until: deadline)
        }
        rows.append(answer)
      } catch {
        failure = failure ?? error
        if !connection.isOpen { break }
      }
    }
    if let failure {
      mustEndStalledLocks = mustEndStalledLocks || failure.isLockTimeout
      throw failure
    }
    return rows
  }

  /// Ends connections that have locked the head, or waited for the lock, for a second, and now wait for their client to
  /// read the answer. PostgreSQL does not end them by itself: for its timeouts, such a connection is busy. Nothing is
  /// lost: the server of the connection has not appended yet, and connects again.
  private func endStalledLocks(on connection: PostgreSQLConnection) {
    mustEndStalledLocks = false
    // The role may not be permitted to. The next statement notices if the connection is lost.
    _ = try? connection.run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = current_user AND state = 'active'
        AND wait_event = 'ClientWrite' AND query LIKE '%bindery.read_head(%, true)'
        AND xact_start < clock_timestamp() - interval '1 second'
      """, within: timeouts.answer)
  }

  /// Returns the time at which a statement without an answer is given up, in milliseconds of the monotonic clock.
  func deadline(for values: [PostgreSQLValue]) -> Int64 {
    // A long value takes longer to transfer and to store: a second more for each MiB.
    let size = values.reduce(0) { $0 + $1.byteCount }
    return Clock.monotonicMilliseconds + timeouts.answer + Int64(size / 1_024)
  }

  /// Returns the rows that `receive` returns, and records whether the server answers.
  func answer(
    of connection: PostgreSQLConnection, _ interruption: Interruption?,
    _ receive: () throws(PostgreSQLError) -> PostgreSQLRows
  ) throws(PostgreSQLError) -> PostgreSQLRows {
    let rows: PostgreSQLRows
    do throws(PostgreSQLError) { rows = try receive() } catch {
      if error.isReadOnly { connection.close() }
      if error.isTemporary { contact.recordLoss() }
      throw error
    }
    if interruption == .afterStatement { throw interrupted(connection) }
    contact.record()
    return rows
  }

  /// The connection, if it is open.
  var openConnection: PostgreSQLConnection? { connection.flatMap { $0.isOpen ? $0 : nil } }

  /// Breaks a connection, as the network may.
  func interrupted(_ connection: PostgreSQLConnection) -> PostgreSQLError {
    connection.close()
    return .connection("the connection was interrupted by a test")
  }

  /// Runs a statement of a test.
  package func run(test statement: String) throws(StorageFailure) { try query(statement) }

  /// Runs a statement other than an append.
  @discardableResult
  func query(_ statement: String, _ values: [PostgreSQLValue] = []) throws(StorageFailure) -> PostgreSQLRows {
    do throws(PostgreSQLError) { return try run(statement, values) } catch { throw error.ofStatement }
  }

  /// Returns the connection, or connects again. Tries for a limited time; the next call continues.
  func connected() throws(PostgreSQLError) -> PostgreSQLConnection {
    if let connection, connection.isOpen {
      if mustEndStalledLocks, !holdsLock, sent.isEmpty { endStalledLocks(on: connection) }
      return connection
    }
    holdsLock = false
    let deadline = patience ?? Clock.monotonicMilliseconds + timeouts.connection
    while true {
      if let backoff, opening == nil, case let wait = backoff.nextAttempt - Clock.monotonicMilliseconds, wait > 0 {
        guard backoff.nextAttempt < deadline else { throw backoff.error.whileConnecting }
        Thread.sleep(milliseconds: Int(wait))
      }
      do throws(PostgreSQLError) {
        let opened = try connect(until: deadline)
        try prepare(opened)
        connection = opened
        hasConnected = true
        if mustEndStalledLocks { endStalledLocks(on: opened) }
        backoff = nil
        contact.recordConnection()
        return opened
      } catch {
        contact.recordLoss()
        // An attempt that continues has no result yet.
        if opening == nil { backoff = ConnectionBackoff(error, after: backoff, at: Clock.monotonicMilliseconds) }
        guard error.isTemporary || error.isConflict || error.isLockTimeout, Clock.monotonicMilliseconds < deadline
        else {
          throw (backoff?.error ?? error).whileConnecting
        }
      }
    }
  }

  /// Makes a connection to the next host, or continues to make one.
  private func connect(until deadline: Int64) throws(PostgreSQLError) -> PostgreSQLConnection {
    let (connection, end): (PostgreSQLConnection, Int64)
    if let opening {
      (connection, end) = opening
    } else {
      let parameters = address.parameters[attempts % address.parameters.count]
      attempts += 1
      // A storage that has just been created is given up unless it connects soon, so each host gets a part of the time.
      let limit =
        hasConnected ? Self.connectionMilliseconds : timeouts.connection / Int64(address.parameters.count)
      (connection, end) = (try PostgreSQLConnection(parameters), Clock.monotonicMilliseconds + limit)
    }
    opening = nil
    guard try connection.connect(until: min(deadline, end)) else {
      if Clock.monotonicMilliseconds < end { opening = (connection, end) }
      throw .connection("connecting takes too long")
    }
    return connection
  }

  /// Sets up a connection: creates the tables unless they exist, and writes the row of this server.
  private func prepare(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
    // The settings and the row below are those of one connection of the server, also behind a connection pool.
    if access != .reading { try connection.run(Self.begin, within: timeouts.answer) }
    clock.set(try configure(connection))
    if access != .writing { hasTables = try PostgreSQLSchema.exists(connection, within: timeouts.answer) }
    guard access != .reading else { return }
    try PostgreSQLSchema.create(connection, within: timeouts.answer)
    // After a restart of the server a commit is visible before a synchronous standby has it. The commit of this row
    // waits for the standby, and so for all earlier ones: what is read after it is certain.
    try connection.run(
      "INSERT INTO bindery.replica VALUES ($1, $2, now()) ON CONFLICT (document, id) DO UPDATE SET at = now()",
      [.text(document), .bytes(id)], within: timeouts.answer)
    if access == .writing { try connection.run("COMMIT", within: timeouts.answer) }
    // A transaction of its own: two servers that return after a day would wait for each other's rows.
    do throws(PostgreSQLError) {
      try connection.run(
        "DELETE FROM bindery.replica WHERE document = $1 AND at < now() - interval '1 day'", [.text(document)],
        within: timeouts.answer)
    } catch { guard error.isConflict, connection.isOpen else { throw error } }
    // Only the database can say whether it lets the role do this.
    if access == .checking { try connection.run("ROLLBACK", within: timeouts.answer) }
  }

  /// Checks the settings of the server, and changes those of the session.
  ///
  /// - Returns: The time of the server, in milliseconds since 1970.
  private func configure(_ connection: PostgreSQLConnection) throws(PostgreSQLError) -> Int64 {
    let settings = try connection.run(
      """
      SELECT current_setting('fsync'), set_config('synchronous_commit', CASE
          WHEN current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
        set_config('lock_timeout', '\(min(timeouts.lockWait, timeouts.answer * 9 / 10))', false),
        set_config('idle_in_transaction_session_timeout', '\(DatabaseTimeouts.idleTransaction)', false),
        \(PostgreSQLFunctions.time)
      """, within: timeouts.answer)
    guard settings.text(0, 0) == "on" else {
      throw .unusable("it runs with fsync=off, which loses commits when the machine fails: set fsync = on")
    }
    return Int64(settings.integer(0, 4))
  }

  /// Closes the connection, so that the server gives up its transaction and its locks.
  func disconnect() {
    connection?.close()
    connection = nil
    holdsLock = false
  }

  package func close() { disconnect() }
}
