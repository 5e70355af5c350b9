package import BinderyCore
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
  /// The id of this start of the server.
  let id = Secrets.random(count: 16)
  /// The time of the last answer of the database.
  package let contact = DatabaseContact()
  private var connection: PostgreSQLConnection?
  /// The position that this server has reached; nil if the store is new.
  var position: Position?
  /// The append whose outcome is unknown.
  private var unresolved: (last: Int, chain: [UInt8])?
  /// The number of appends, which makes their nonces differ.
  private var appends = 0
  /// Whether this server holds the lock of the head row, in an open transaction.
  var holdsLock = false
  /// The snapshot that is being written, with the hash of its revision.
  var snapshotInProgress: (revision: Int, chain: [UInt8])?

  /// The id of the document of a store.
  package static let document = "state"

  /// What a storage is opened for.
  package enum Access: Sendable {
    /// Nothing is changed, not even created.
    case reading
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
  private let access: Access
  /// Whether the database has the tables of a store.
  private(set) var hasTables = true

  /// Opens a store. Its tables are created if they do not exist.
  ///
  /// - Throws: `refused` or `unknown` if the database cannot be used.
  package init(
    _ address: PostgreSQLAddress, document: String = PostgreSQLStorage.document, _ access: Access = .writing
  ) throws(StorageFailure) {
    (self.address, self.document, self.access) = (address, document, access)
    do throws(PostgreSQLError) { _ = try connected() } catch { throw .refused(error.failure) }
    try readPosition()
  }
}

// MARK: The connection

extension PostgreSQLStorage {
  /// The time that a write waits for a connection to the database, in milliseconds.
  static var connectionMilliseconds: Int64 { 2_000 }

  /// The time after which a connection without an answer is given up, in milliseconds. A commit that waits for a
  /// synchronous standby is not cancelled: its outcome is then unknown.
  static var answerMilliseconds: Int64 { 2_500 }

  /// Runs a statement, on a new connection if there is none.
  @discardableResult
  func run(_ statement: String, _ values: [PostgreSQLValue] = []) throws(PostgreSQLError) -> PostgreSQLRows {
    try run(statement, values, on: try connected())
  }

  private func run(
    _ statement: String, _ values: [PostgreSQLValue], on connection: PostgreSQLConnection
  ) throws(PostgreSQLError) -> PostgreSQLRows {
    let interruption = interrupt?(statement)
    if interruption == .beforeStatement { throw interrupted(connection) }
    let rows: PostgreSQLRows
    do throws(PostgreSQLError) {
      // A long value takes longer to transfer and to store: a second more for each MiB.
      let size = values.reduce(0) { $0 + $1.byteCount }
      let milliseconds = Self.answerMilliseconds + Int64(size / 1_024)
      rows = try connection.run(statement, values, until: Clock.monotonicMilliseconds + milliseconds)
    } catch {
      if error.isReadOnly { connection.close() }
      throw error
    }
    if interruption == .afterStatement { throw interrupted(connection) }
    contact.record()
    return rows
  }

  /// Breaks a connection, as the network may.
  private func interrupted(_ connection: PostgreSQLConnection) -> PostgreSQLError {
    connection.close()
    return .connection("the connection was interrupted by a test")
  }

  /// Runs a statement of a test.
  package func run(test statement: String) throws(StorageFailure) { try query(statement) }

  /// Runs a statement other than an append.
  @discardableResult
  func query(_ statement: String, _ values: [PostgreSQLValue] = []) throws(StorageFailure) -> PostgreSQLRows {
    do throws(PostgreSQLError) { return try run(statement, values) } catch {
      throw error.mayBeCommitted ? .unknown(error.failure) : .refused(error.failure)
    }
  }

  /// Returns the connection, or connects again. Tries for a limited time.
  private func connected() throws(PostgreSQLError) -> PostgreSQLConnection {
    if let connection, connection.isOpen { return connection }
    holdsLock = false
    let deadline = Clock.monotonicMilliseconds + Self.connectionMilliseconds
    var delay = 20
    while true {
      do throws(PostgreSQLError) {
        let opened = try PostgreSQLConnection(address.parameters, until: deadline)
        try prepare(opened, until: deadline + Self.connectionMilliseconds)
        connection = opened
        contact.record()
        contact.recordConnection()
        return opened
      } catch {
        // Randomly delayed, so that servers do not reconnect at the same moment.
        let wait = Int.random(in: delay / 2...delay)
        guard error.isTemporary, Clock.monotonicMilliseconds + Int64(wait) < deadline else { throw error }
        Thread.sleep(milliseconds: wait)
        delay = min(2 * delay, 500)
      }
    }
  }

  private func prepare(_ connection: PostgreSQLConnection, until deadline: Int64) throws(PostgreSQLError) {
    try Self.configure(connection, until: deadline)
    if case .reading = access {
      hasTables = try PostgreSQLSchema.exists(connection, until: deadline)
      return
    }
    try PostgreSQLSchema.create(connection, until: deadline)
    // After a restart of the server a commit is visible before a synchronous standby has it. This commit waits for the
    // standby, and so for all earlier ones: what is read after it is certain.
    try connection.run(
      "INSERT INTO bindery.replica VALUES ($1, $2, now()) ON CONFLICT (document, id) DO UPDATE SET at = now()",
      [.text(document), .bytes(id)], until: deadline)
    try connection.run(
      "DELETE FROM bindery.replica WHERE document = $1 AND at < now() - interval '1 day'", [.text(document)],
      until: deadline)
  }

  /// Checks the settings of the server, and changes those of the session.
  static func configure(_ connection: PostgreSQLConnection, until deadline: Int64) throws(PostgreSQLError) {
    let settings = try connection.run(
      """
      SELECT current_setting('fsync'), set_config('synchronous_commit', CASE
          WHEN current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
        set_config('lock_timeout', '2s', false), set_config('idle_in_transaction_session_timeout', '1s', false)
      """, until: deadline)
    guard settings.text(0, 0) == "on" else {
      throw .unusable("it runs with fsync=off, which loses commits when the machine fails: set fsync = on")
    }
  }

  /// Closes the connection, so that the server gives up its transaction and its locks.
  func disconnect() {
    connection?.close()
    connection = nil
    holdsLock = false
  }

  package func close() { disconnect() }
}

// MARK: Appending

extension PostgreSQLStorage: JournalStorage {
  package var isShared: Bool { true }

  package func append(_ revisions: [Revision]) throws(StorageFailure) {
    guard let row = BatchRow.rows(of: revisions, startingAt: 0, fullBytes: .max).first else { return }
    guard let start = position, start.revision == row.first - 1 else {
      throw .refused(
        .unavailable(
          "The store is at revision \(position?.revision ?? 0), so revision \(row.first) cannot be appended."))
    }
    let results = revisions.compactMap(\.metadata.keyedResult)
    while let position {
      appends += 1
      let nonce = id + Array("\(appends)".utf8)
      let chain = Position.chain(after: position.chain, nonce, first: row.first, last: row.last, row.lines)
      unresolved = (row.last, chain)
      if try append(row, results, nonce, chain, at: position) {
        unresolved = nil
        self.position?.revision = row.last
        self.position?.chain = chain
        return
      }
      unresolved = nil
      unlockHead()
      guard let head = try readHead() else { throw Self.lost(position) }
      // Only the token differs if another server had to resolve an append of unknown outcome.
      guard head.revision == position.revision, head.chain == position.chain, head.token != position.token else {
        throw .overtaken
      }
      self.position = head
    }
  }

  /// Appends a row if the head is at a position.
  ///
  /// - Returns: Whether the row is stored.
  private func append(
    _ row: BatchRow, _ results: [KeyedResult], _ nonce: [UInt8], _ chain: [UInt8], at position: Position
  ) throws(StorageFailure) -> Bool {
    var values: [PostgreSQLValue] = [
      .text(document), .integer(position.revision), .bytes(position.chain), .integer(position.token),
      .text(position.history), .integer(row.last), .bytes(chain), .integer(row.first), .integer(Int(row.at)),
      .integer(row.lines.count), .bytes(nonce), .bytes(row.lines),
    ]
    if !results.isEmpty {
      let time = results.reduce(Int64.min) { max($0, $1.time) }
      values += [.integer(results.count), .integer(Int(time)), .bytes(KeyedResult.json(results))]
    }
    let connection: PostgreSQLConnection
    let heldLock = holdsLock
    do throws(PostgreSQLError) {
      connection = try connected()
      // The transaction ended with its connection, and another server may have appended since.
      guard holdsLock == heldLock else { throw .connection("the connection was lost") }
    } catch { throw .refused(error.failure) }
    do throws(PostgreSQLError) {
      _ = connection.takeWarnings()
      let rows = try run(Self.append(withResults: !results.isEmpty), values, on: connection)
      if holdsLock {
        holdsLock = false
        _ = try run("COMMIT", [], on: connection)
      }
      // A server that does not wait any longer for its standby reports success, with a warning.
      if let warning = connection.takeWarnings().first { throw .connection(warning) }
      return rows.integer(0, 0) == 1
    } catch {
      // Ends the transaction, if there is one.
      if heldLock { disconnect() }
      if error.isConflict { throw .overtaken }
      throw error.mayBeCommitted ? .unknown(error.failure) : .refused(error.failure)
    }
  }

  private static func append(withResults hasResults: Bool) -> String {
    """
    WITH won AS (
      UPDATE bindery.document SET revision = $6, chain = $7
      WHERE id = $1 AND revision = $2 AND chain = $3 AND token = $4 AND history = $5 AND timeline = \(timeline)
      RETURNING 1),
    row AS (
      INSERT INTO bindery.batch
      SELECT $1, $6, $8, $9, coalesce((
        SELECT start + size FROM bindery.batch WHERE document = $1 ORDER BY last DESC LIMIT 1), 0),
        $10, $11, $3, $7, $12
      FROM won)\(hasResults ? ", " + results : "")
    SELECT count(*) FROM won
    """
  }

  private static let results = """
    results AS (
      INSERT INTO bindery.keyed
      SELECT $1, $6, $13 + coalesce((
        SELECT total FROM bindery.keyed WHERE document = $1 ORDER BY last DESC LIMIT 1), 0), $14, $15
      FROM won)
    """

  /// Finds out whether the append of unknown outcome is stored, and makes sure that it will not be stored later.
  ///
  /// - Returns: The last revision that is stored of those that this server knows of. Other servers may have appended
  ///   more.
  package func reopen() throws(StorageFailure) -> Int {
    guard let position else { throw .unknown(.unavailable("The store is new.")) }
    do throws(PostgreSQLError) {
      // Waits for the other attempt, whose transaction holds the lock of this row, and changes what it compares. A
      // commit that waits for a standby holds the lock too, and is not visible to a statement that does not lock.
      let rows = try run(
        "UPDATE bindery.document SET token = token + 1 WHERE id = $1 RETURNING \(Self.head)", [.text(document)])
      if let unresolved {
        // A statement of its own: the one above sees the tables as they were before it waited.
        let found = try run(
          "SELECT chain, first FROM bindery.batch WHERE document = $1 AND last >= $2 ORDER BY last LIMIT 1",
          [.text(document), .integer(unresolved.last)])
        if found.count > 0, found.bytes(0, 0) == unresolved.chain {
          self.position = Position(
            revision: unresolved.last, chain: unresolved.chain, token: position.token, history: position.history)
        } else if found.count > 0, found.integer(0, 1) > unresolved.last {
          throw .connection("the batch with revision \(unresolved.last) was removed; restart this server")
        }
      }
      // On another timeline a batch that is not found may have been stored on the previous one.
      let isKept = self.position != position
      do throws(StorageFailure) {
        if let head = try Self.head(rows, sameAs: position.history) { self.position?.token = head.token }
      } catch {
        if !isKept { throw PostgreSQLError.connection(error.failure.reason) }
      }
      unresolved = nil
    } catch { throw .unknown(error.failure) }
    return self.position?.revision ?? 0
  }

  package func probe() throws(StorageFailure) -> Int {
    _ = try readHead()
    try query(
      "UPDATE bindery.replica SET at = now() WHERE document = $1 AND id = $2", [.text(document), .bytes(id)])
    return position?.revision ?? 0
  }

  package func makeRevisionReader() -> any RevisionReader {
    PostgreSQLRevisionReader(address: address, document: document)
  }
}
