import BinderyCore
package import BinderyJournal
import BinderySystem

extension PostgreSQLStorage {
  package func snapshot() throws(StorageFailure) -> StoredSnapshot? {
    try readPosition()
    guard let position else { return nil }
    let found = try query(
      """
      SELECT revision, writer, layout, pieces FROM bindery.snapshot WHERE document = $1 AND revision <= $2
      ORDER BY revision DESC, writer LIMIT 1
      """, [.text(document), .integer(position.revision)])
    guard found.count > 0 else { throw .damaged("there is no snapshot") }
    let (revision, writer) = (found.integer(0, 0), found.bytes(0, 1))
    var content: [UInt8] = []
    for number in 0..<found.integer(0, 3) {
      let piece = try query(
        """
        SELECT content FROM bindery.piece WHERE document = $1 AND revision = $2 AND writer = $3 AND number = $4
        """, [.text(document), .integer(revision), .bytes(writer), .integer(number)])
      // Another server may have written a newer snapshot, and removed this one.
      guard piece.count > 0 else { throw .damaged("the snapshot of revision \(revision)") }
      content += piece.bytes(0, 0)
    }
    return StoredSnapshot(revision: revision, content: content, layout: found.text(0, 2))
  }

  package func write(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(StorageFailure) {
    try beginSnapshot(at: revision)
    try query(
      """
      INSERT INTO bindery.piece VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (document, revision, writer, number) DO UPDATE SET content = $5
      """, [.text(document), .integer(revision), .bytes(id), .integer(number), .bytes(piece)])
  }

  package func finish(
    piece: [UInt8], number: Int, ofSnapshotAt revision: Int, layout: String
  ) throws(StorageFailure) {
    try write(piece: piece, number: number, ofSnapshotAt: revision)
    guard position != nil else { return try create(pieces: number + 1, layout) }
    guard let chain = snapshotInProgress?.chain else { return }
    snapshotInProgress = nil
    // A batch that a failover has lost, and a snapshot with a missing piece, must not count. A snapshot of a newer
    // layout could not be read by the servers that still write.
    try query(
      """
      INSERT INTO bindery.snapshot SELECT $1, $2, $3, $4, $5, $6
      WHERE EXISTS (SELECT 1 FROM bindery.document WHERE id = $1 AND fence = $7)
        AND EXISTS (SELECT 1 FROM bindery.batch WHERE document = $1 AND first <= $2 AND last >= $2 AND chain = $4)
        AND NOT EXISTS (SELECT 1 FROM bindery.snapshot WHERE document = $1 AND revision >= $2)
        AND $6 = (SELECT count(*) FROM bindery.piece WHERE document = $1 AND revision = $2 AND writer = $3)
      """,
      [
        .text(document), .integer(revision), .bytes(id), .bytes(chain), .text(layout), .integer(number + 1),
        .integer(self.layout ?? 0),
      ])
  }

  /// Remembers the hash of the revision of a snapshot.
  private func beginSnapshot(at revision: Int) throws(StorageFailure) {
    guard let position, snapshotInProgress?.revision != revision else { return }
    var chain = position.chain
    if revision != position.revision {
      let rows = try query(
        "SELECT chain FROM bindery.batch WHERE document = $1 AND last >= $2 ORDER BY last LIMIT 1",
        [.text(document), .integer(revision)])
      guard rows.count > 0 else {
        throw .refused(.unavailable("The database does not have revision \(revision) of the snapshot."))
      }
      chain = rows.bytes(0, 0)
    }
    snapshotInProgress = (revision, chain)
  }

  /// Creates the document with its first snapshot, whose pieces are written.
  ///
  /// - Throws: `refused` if another server was faster.
  private func create(pieces: Int, _ layout: String) throws(StorageFailure) {
    let rows = try query(
      """
      WITH created AS (
        INSERT INTO bindery.document VALUES ($1, $2, 0, $3, 0, $4, \(timeline), 0, $8, 0)
        ON CONFLICT (id) DO NOTHING RETURNING 1),
      snapshot AS (INSERT INTO bindery.snapshot SELECT $1, 0, $5, $3, $6, $7 FROM created)
      SELECT count(*) FROM created
      """,
      [
        .text(document), .integer(PostgreSQLSchema.format), .bytes(id + id), .text(HistoryID.random().text),
        .bytes(id), .text(layout), .integer(pieces), .integer(self.layout ?? 0),
      ])
    guard rows.integer(0, 0) == 1 else {
      throw .refused(.unavailable("Another server has created the state at the same moment."))
    }
    try readPosition()
  }

  /// The time for which a server writes snapshots for all, in seconds.
  private static var leaseSeconds: Int { 60 }

  package func leadsMaintenance() throws(StorageFailure) -> Bool {
    try query(
      """
      INSERT INTO bindery.lease SELECT $1, $2, now() + interval '\(Self.leaseSeconds) seconds'
      WHERE EXISTS (SELECT 1 FROM bindery.document WHERE id = $1 AND fence = $3)
      ON CONFLICT (document) DO UPDATE SET holder = $2, until = now() + interval '\(Self.leaseSeconds) seconds'
      WHERE lease.holder = $2 OR lease.until < now()
      """, [.text(document), .bytes(id), .integer(layout ?? 0)]
    ).changed == 1
  }

  /// Returns whether commits wait for a standby of the database.
  func hasSynchronousStandby() throws(StorageFailure) -> Bool {
    try query("SELECT current_setting('synchronous_standby_names') <> ''").bytes(0, 0) == [1]
  }

  package func removeExpired(_ retention: Retention, atMost limit: Int) throws(StorageFailure) -> Bool {
    guard let position else { return false }
    // Only the oldest rows are examined: where nothing can be removed, a scan of all rows would be wasted.
    let batches = try query(
      """
      DELETE FROM bindery.batch WHERE document = $1 AND last IN (
        SELECT last FROM (
          SELECT last, at, start FROM bindery.batch WHERE document = $1 ORDER BY last LIMIT $6) AS oldest
        WHERE last <= (SELECT max(revision) FROM bindery.snapshot WHERE document = $1)
          AND (last < $2 OR at < $3
            OR start < (SELECT max(start + size) FROM bindery.batch WHERE document = $1) - $4)
          AND start < (SELECT min(start) FROM bindery.batch WHERE document = $1) + $5)
      """,
      [
        .text(document), .integer(position.revision - retention.revisions + 1),
        .integer(Int(retention.expiryTime(now: wallMilliseconds))), .integer(retention.bytes),
        .integer(limit), .integer(JournalStep.rows(limit)),
      ])
    let pieces = try query(
      """
      DELETE FROM bindery.piece WHERE document = $1 AND (revision, writer, number) IN (
        SELECT revision, writer, number FROM bindery.piece
        WHERE document = $1 AND revision < (SELECT max(revision) FROM bindery.snapshot WHERE document = $1) LIMIT $2)
      """, [.text(document), .integer(JournalStep.pieces(limit))])
    let snapshots = try query(
      """
      DELETE FROM bindery.snapshot WHERE document = $1
        AND revision < (SELECT max(revision) FROM bindery.snapshot WHERE document = $1)
      """, [.text(document)])
    // The newest row stays, because the total continues from it.
    let results = try query(
      """
      DELETE FROM bindery.keyed WHERE document = $1
        AND last IN (SELECT last FROM bindery.keyed WHERE document = $1 ORDER BY last LIMIT 64)
        AND last < (SELECT max(last) FROM bindery.keyed WHERE document = $1)
        AND (at < $2 OR total <= (SELECT max(total) FROM bindery.keyed WHERE document = $1) - $3)
      """,
      [
        .text(document), .integer(Int(wallMilliseconds / 1_000 - KeyedResult.lifetime)),
        .integer(KeyedResult.maximumCount),
      ])
    let sessions = try query(
      "DELETE FROM bindery.session_end WHERE document = $1 AND expires < $2",
      [.text(document), .integer(Int(wallMilliseconds / 1_000) - Self.sessionGraceSeconds)])
    return [batches, pieces, snapshots, results, sessions].contains { $0.changed > 0 }
  }
}
