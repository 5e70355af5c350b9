package import BinderyCore
package import BinderyJournal

// The head is the one row that all servers compare and change.

extension PostgreSQLStorage {
  /// The timeline of the server, which changes when a standby is promoted.
  static let timeline = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"

  static let head = "revision, chain, token, history, timeline = \(timeline), format"

  /// Reads the head row.
  ///
  /// - Parameter lock: The clause that locks the row, if it is to be locked.
  /// - Returns: nil if the store is new.
  /// - Throws: `refused` if nothing can be appended at this position, because of a promotion.
  func readHead(_ lock: String = "") throws(StorageFailure) -> Position? {
    try Self.head(
      try query("SELECT \(Self.head) FROM bindery.document WHERE id = $1 \(lock)", [.text(document)]),
      sameAs: position?.history)
  }

  static func head(
    _ rows: PostgreSQLRows, sameAs history: String?
  ) throws(StorageFailure) -> Position? {
    guard rows.count > 0 else { return nil }
    let head = Position(
      revision: rows.integer(0, 0), chain: rows.bytes(0, 1), token: rows.integer(0, 2), history: rows.text(0, 3))
    guard rows.integer(0, 5) == PostgreSQLSchema.format else {
      throw .refused(.unavailable("The store has format \(rows.integer(0, 5)) of another version of this program."))
    }
    if let history, history != head.history {
      throw .refused(.unavailable("The state in the database was replaced (its history is new): restart this server."))
    }
    guard rows.bytes(0, 4) == [1] || history == nil else {
      throw .refused(.unavailable("A standby of the database was promoted: restart this server."))
    }
    return head
  }

  /// Takes the head of the database for the position of this server, which then has to read everything up to it.
  func readPosition() throws(StorageFailure) { position = hasTables ? try readHead() : nil }

  package func reload() throws(StorageFailure) { try readPosition() }

  /// Begins a new history if a standby was promoted since the last one began, because commits may be lost.
  ///
  /// - Returns: Whether a new history was begun.
  package func claimTimeline() throws(StorageFailure) -> Bool {
    let rows = try query(
      """
      UPDATE bindery.document SET timeline = \(Self.timeline), history = $2, token = token + 1
      WHERE id = $1 AND timeline <> \(Self.timeline)
      """, [.text(document), .text(HistoryID.random().text)])
    try adoptHistory()
    return rows.changed > 0
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
    try adoptHistory()
  }

  /// Takes the position of the head, whatever its history is.
  private func adoptHistory() throws(StorageFailure) {
    position = nil
    try readPosition()
  }

  /// The id of the history; nil in a new store.
  package var history: HistoryID? { position.flatMap { HistoryID($0.history) } }

  package func checkHead() throws(StorageFailure) -> HeadCheck {
    guard let position, let head = try readHead() else { return .unchanged }
    return try advance(from: position, to: head)
  }

  private func advance(from position: Position, to head: Position) throws(StorageFailure) -> HeadCheck {
    guard head.revision != position.revision else {
      guard head.chain == position.chain else { throw Self.lost(position) }
      self.position = head
      return .unchanged
    }
    guard head.revision > position.revision else { throw Self.lost(position) }
    return try readBatches(from: position, to: head)
  }

  /// The failure if the database does not have the revisions that this server has published.
  static func lost(_ position: Position) -> StorageFailure {
    .refused(
      .unavailable(
        "The database does not have revision \(position.revision) of this server: it was restored. Restart this server."
      ))
  }

  package func lockHead() throws(StorageFailure) -> HeadCheck {
    try query("BEGIN")
    holdsLock = true
    do throws(StorageFailure) {
      guard let position, let head = try readHead("FOR UPDATE") else { return .unchanged }
      return try advance(from: position, to: head)
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
