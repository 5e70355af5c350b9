package import BinderyCore
package import BinderyJournal
import BinderySystem

// The head is the one row that all servers compare and change.

extension PostgreSQLStorage {
  /// The timeline of the server, which changes when a standby is promoted.
  static let timeline = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"

  var headColumns: String {
    "revision, chain, token, history, timeline, \(timeline), format, \(PostgreSQLFunctions.time), fence, ended"
  }

  /// Reads the head, and the first batches after the position of this server.
  ///
  /// - Throws: `refused` if the head belongs to another history than the position of this server.
  func readHead() throws(StorageFailure) -> HeadReading {
    let statement = lookStatement(locking: false)
    let rows = try query(statement.text, statement.values)
    return HeadReading(head: try head(rows), rows: rows)
  }

  private func lookStatement(locking: Bool) -> (text: String, values: [PostgreSQLValue]) {
    (
      "SELECT * FROM bindery.read_head($1, \(timeline), $2, \(locking))",
      [.text(document), .integer(position?.revision ?? .max)]
    )
  }

  /// Returns the head in a row that begins with ``headColumns``; nil if the store is new.
  ///
  /// - Throws: `refused` if it belongs to another history than the position of this server.
  func head(_ rows: PostgreSQLRows) throws(StorageFailure) -> Position? {
    guard rows.count > 0 else { return nil }
    guard rows.integer(0, 6) == PostgreSQLSchema.format else {
      throw .refused(.outdated("The store has format \(rows.integer(0, 6)) of another version of this program."))
    }
    clock.set(Int64(rows.integer(0, 7)))
    try readEndedSessions(upTo: rows.integer(0, 9))
    let isReplaced = position.map { rows.text(0, 3) != $0.history } ?? false
    try checkLayout(against: rows.integer(0, 8), isReplaced: isReplaced)
    let head = Position(
      revision: rows.integer(0, 0), chain: rows.bytes(0, 1), token: rows.integer(0, 2), history: rows.text(0, 3),
      timeline: rows.text(0, 4))
    guard let position else { return head }
    // Where no server has begun a history on the timeline of a promoted standby, nothing can be appended.
    // Commands that only read append nothing.
    let isPromoted = access == .writing && Self.isPromoted(rows, since: position)
    if !isPromoted, head.history == position.history { return head }
    guard let onOtherHistory else {
      // A command reads the state again.
      throw isPromoted ? .refused(.unavailable("\(Self.promotion): repeat the command.")) : .overtaken
    }
    // Timelines of different standbys can have the same number. What is missing then is only reported: appended again,
    // it could undo an import after a restore of the database.
    let missing = try appendAgain(onlyReporting: !isPromoted)
    record?.put(recentBatches)
    let reason = isPromoted ? Self.promotion : "The state in the database was replaced (import or restore)"
    onOtherHistory(reason, missing)
    throw .refused(.unavailable("\(reason), and this server starts again to load it."))
  }

  private static let promotion = "A standby of the database was promoted"

  /// Returns whether a standby was promoted since a position, according to a row that begins with ``headColumns``.
  private static func isPromoted(_ rows: PostgreSQLRows, since position: Position) -> Bool {
    rows.text(0, 5) != position.timeline || rows.text(0, 5) != rows.text(0, 4)
  }

  /// Takes the head of the database for the position of this server, which then has to read everything up to it.
  func readPosition() throws(StorageFailure) { position = hasTables ? try readHead().head : nil }

  /// Begins a new history if a standby was promoted since the last one began, because commits may be lost.
  ///
  /// - Returns: Whether a new history was begun.
  package func claimTimeline() throws(StorageFailure) -> Bool {
    let hasBegun = try beginHistoryOfTimeline()
    try adoptHistory()
    return hasBegun
  }

  /// Begins a new history unless the present one began on this timeline.
  func beginHistoryOfTimeline() throws(StorageFailure) -> Bool {
    try query(
      """
      UPDATE bindery.document SET timeline = \(timeline), history = $2, token = token + 1
      WHERE id = $1 AND timeline <> \(timeline)
      """, [.text(document), .text(HistoryID.random().text)]
    ).changed > 0
  }

  /// Begins another history, because the state is replaced in another way than by commits.
  ///
  /// - Throws: `overtaken` if another server has appended since.
  package func beginHistory() throws(StorageFailure) {
    guard let position else { return }
    let rows = try query(
      """
      UPDATE bindery.document SET history = $2, token = token + 1
      WHERE id = $1 AND revision = $3 AND chain = $4 AND history = $5
      """,
      [
        .text(document), .text(HistoryID.random().text), .integer(position.revision), .bytes(position.chain),
        .text(position.history),
      ])
    guard rows.changed == 1 else { throw .overtaken }
    if holdsLock {
      holdsLock = false
      try query("COMMIT")
    }
    try adoptHistory()
  }

  /// Locks the head row until the next append, so that the state can be replaced while other servers write.
  package func lockForReplacement() throws(StorageFailure) {
    try query(Self.begin)
    holdsLock = true
    // The new state may take longer to make than other transactions may be idle.
    try query("SET LOCAL idle_in_transaction_session_timeout = '60s'")
    try query("SELECT 1 FROM bindery.document WHERE id = $1 FOR UPDATE", [.text(document)])
  }

  /// Takes the position of the head, whatever its history is.
  package func adoptHistory() throws(StorageFailure) {
    position = nil
    try readPosition()
  }

  /// The id of the history; nil in a new store.
  package var history: HistoryID? { position.flatMap { HistoryID($0.history) } }

  package func checkHead() throws(StorageFailure) -> HeadCheck { try advance(readHead()) }

  package func readOvertaking() throws(StorageFailure) -> HeadCheck {
    if let overtaking { return try advance(overtaking) }
    return try checkHead()
  }

  private func advance(_ reading: HeadReading) throws(StorageFailure) -> HeadCheck {
    guard let position else { return .unchanged }
    guard let head = reading.head else { throw Self.lost(position) }
    guard head.revision != position.revision else {
      guard head.chain == position.chain else { throw Self.lost(position) }
      self.position = head
      return .unchanged
    }
    guard head.revision > position.revision else { throw Self.lost(position) }
    return try readBatches(from: position, to: head, reading)
  }

  /// The failure if the database does not have the revisions that this server has published.
  static func lost(_ position: Position) -> StorageFailure {
    .refused(
      .outdated(
        "The database does not have revision \(position.revision) of this server: its state was restored or deleted. "
          + "Stop all servers, export the state, and import it, which begins a new history."))
  }

  /// Begins a transaction in which each statement sees what was committed before it, whatever the default of the
  /// database is: what is read after the head was locked is the newest state.
  static var begin: String { "BEGIN ISOLATION LEVEL READ COMMITTED" }

  package func lockHead() throws(StorageFailure) -> HeadCheck {
    do throws(StorageFailure) {
      let rows: [PostgreSQLRows]
      do throws(PostgreSQLError) {
        let connection = try connected()
        holdsLock = true
        rows = try run([(Self.begin, []), lookStatement(locking: true)], on: connection)
      } catch { throw error.ofStatement }
      let reading = rows[1]
      if let position, reading.count > 0, Self.isPromoted(reading, since: position) {
        // What this server appends again for the new history is in transactions of its own.
        unlockHead()
        return try checkHead()
      }
      return try advance(HeadReading(head: try head(reading), rows: reading))
    } catch {
      disconnect()
      throw error
    }
  }

  package func unlockHead() {
    guard holdsLock else { return }
    holdsLock = false
    if (try? run("ROLLBACK")) == nil { disconnect() }
  }
}
