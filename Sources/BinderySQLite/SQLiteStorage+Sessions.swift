package import BinderyJournal
import BinderySystem

/// The sessions that were ended before they expired.
extension SQLiteStorage {
  package func end(_ sessions: [EndedSession]) throws(StorageFailure) {
    let now = Clock.wallMilliseconds / 1_000
    let isRemovalDue = now / Self.secondsPerRemoval != lastSessionRemoval / Self.secondsPerRemoval
    try commit { connection throws(SQLiteError) in
      // Examines all rows.
      if isRemovalDue { try connection.run("DELETE FROM session_end WHERE expires < ?", .integer(Int(now))) }
      try connection.insert(
        rows: sessions.map { [.blob($0.id), .integer(Int($0.expires))] }, into: .sessionEnd)
    }
    lastSessionRemoval = now
  }

  /// The interval at which expired sessions are removed.
  private static var secondsPerRemoval: Int64 { 3_600 }

  /// Returns the bytes that identify the sessions that have ended.
  package func endedSessions() throws(StorageFailure) -> [[UInt8]] {
    try read { connection throws(SQLiteError) in
      var sessions: [[UInt8]] = []
      let error = try connection.query("SELECT session, expires, checksum FROM session_end") {
        row throws(SQLiteError) in
        guard row.hasValidChecksum(columns: Table.sessionEnd.width), let session = row.bytes(0) else {
          throw .damaged("the end of a session")
        }
        sessions.append(session)
        return true
      }
      if let error { throw error }
      return sessions
    }
  }
}
