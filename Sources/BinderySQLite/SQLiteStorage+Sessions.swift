package import BinderyJournal
import BinderySystem

/// The sessions that were ended before they expired.
extension SQLiteStorage {
  package func endSession(_ session: [UInt8], expires: Int64) throws(StorageFailure) {
    try commit { connection throws(SQLiteError) in
      let now = Int(Clock.wallMilliseconds / 1_000)
      try connection.run("DELETE FROM session_end WHERE expires < ?", .integer(now))
      try connection.insert([.blob(session), .integer(Int(expires))], into: .sessionEnd)
    }
  }

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
