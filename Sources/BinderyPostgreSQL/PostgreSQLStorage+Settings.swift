import BinderyCore
import BinderyCryptography
package import BinderyJournal
import BinderyText

// What servers share in addition to the state: settings, the layouts of their models, and the sessions that have ended.

extension PostgreSQLStorage {
  /// Returns a setting; nil if it was never set.
  func setting(_ name: String) throws(StorageFailure) -> [UInt8]? {
    guard hasTables else { return nil }
    let rows = try query(
      "SELECT value FROM bindery.setting WHERE document = $1 AND name = $2", [.text(document), .text(name)])
    return rows.count > 0 ? rows.bytes(0, 0) : nil
  }

  /// Stores a setting unless it has a value.
  ///
  /// - Returns: The stored value.
  func setting(_ name: String, orInsert value: [UInt8]) throws(StorageFailure) -> [UInt8] {
    try query(
      "INSERT INTO bindery.setting VALUES ($1, $2, $3) ON CONFLICT (document, name) DO NOTHING",
      [.text(document), .text(name), .bytes(value)])
    return try setting(name) ?? value
  }

  /// The prefix of the names of the settings with the values of options.
  private static let optionPrefix = "option:"

  /// Returns the stored values of options of the program.
  func options() throws(StorageFailure) -> [String: String] {
    guard hasTables else { return [:] }
    let rows = try query(
      "SELECT name, value FROM bindery.setting WHERE document = $1 AND starts_with(name, $2)",
      [.text(document), .text(Self.optionPrefix)])
    var options: [String: String] = [:]
    for row in 0..<rows.count {
      options[String(rows.text(row, 0).dropFirst(Self.optionPrefix.count))] = rows.text(row, 1)
    }
    return options
  }

  /// Stores the value of an option of the program, unless it has one.
  ///
  /// - Parameter isReplacing: Whether to replace another value.
  func set(option name: String, to value: String, isReplacing: Bool) throws(StorageFailure) {
    try query(
      """
      INSERT INTO bindery.setting VALUES ($1, $2, $3)
      ON CONFLICT (document, name) DO \(isReplacing ? "UPDATE SET value = $3" : "NOTHING")
      """, [.text(document), .text(Self.optionPrefix + name), .bytes(Array(value.utf8))])
  }
}

// MARK: Layouts

extension PostgreSQLStorage {
  /// Gives the layout of this program's model a number, unless it has one. A layout gets a higher number than all
  /// earlier ones.
  ///
  /// - Parameter isNewest: Whether to give it the highest number in any case, because this program replaces the state.
  /// - Throws: `refused` if a server with a newer layout has written.
  package func declareLayout(_ text: String, isNewest: Bool = false) throws(StorageFailure) {
    let digest = SHA256.digest(Array(text.utf8))
    var number: Int?
    while number == nil {
      // Does nothing if another server is adding a layout at the same moment.
      try query(
        """
        INSERT INTO bindery.layout SELECT $1, coalesce(max(number), 0) + 1, $2, $3
        FROM bindery.layout WHERE document = $1 ON CONFLICT DO NOTHING
        """, [.text(document), .bytes(digest), .text(text)])
      number = try self.number(ofLayout: digest)
    }
    if isNewest, let fence = try fence(), let previous = number, previous < fence {
      let rows = try query(
        """
        UPDATE bindery.layout SET number = (SELECT max(number) + 1 FROM bindery.layout WHERE document = $1)
        WHERE document = $1 AND digest = $2 RETURNING number
        """, [.text(document), .bytes(digest)])
      number = rows.integer(0, 0)
    }
    (layout, layoutDigest) = (number, digest)
    if let fence = try fence() { try checkLayout(against: fence, isReplaced: false) }
  }

  /// Checks that no server with a newer layout has written, without giving this one a number. A layout that has none
  /// would be the newest.
  func checkLayout(_ text: String) throws(StorageFailure) {
    guard hasTables, let fence = try fence(), let number = try number(ofLayout: SHA256.digest(Array(text.utf8))),
      number < fence
    else { return }
    throw Self.otherLayout
  }

  private func number(ofLayout digest: [UInt8]) throws(StorageFailure) -> Int? {
    let rows = try query(
      "SELECT number FROM bindery.layout WHERE document = $1 AND digest = $2", [.text(document), .bytes(digest)])
    return rows.count > 0 ? rows.integer(0, 0) : nil
  }

  /// Checks that no server with a newer layout has written.
  ///
  /// - Parameters:
  ///   - fence: The number of the newest layout that a server has written.
  ///   - isReplaced: Whether the history is another one. Then an import may have given the layout another number.
  /// - Throws: ``otherLayout`` if it is newer than the layout of this server.
  func checkLayout(against fence: Int, isReplaced: Bool) throws(StorageFailure) {
    guard let layout, fence > layout else { return }
    guard isReplaced, let number = try number(ofLayout: layoutDigest), number >= fence else { throw Self.otherLayout }
  }

  /// Returns the number of the newest layout that a server has written; nil in a new store.
  private func fence() throws(StorageFailure) -> Int? {
    let rows = try query("SELECT fence FROM bindery.document WHERE id = $1", [.text(document)])
    return rows.count > 0 ? rows.integer(0, 0) : nil
  }

  /// The failure of a server whose model is older than that of a server that has written.
  package static let otherLayout = StorageFailure.refused(
    .outdated(
      "A server with a newer model has written to the state, so this one stays at the revision that it has, and stores "
        + "nothing: start the newer version."))
}

// MARK: Sessions

extension PostgreSQLStorage {
  /// The time for which the end of a session is kept after the session would have expired, in seconds. The clocks of
  /// servers may differ by that much.
  static var sessionGraceSeconds: Int { 3_600 }

  package func end(_ sessions: [EndedSession]) throws(StorageFailure) {
    let ids = sessions.map { "\"\\\\x\($0.id.hexadecimal)\"" }.joined(separator: ",")
    let times = sessions.map { String($0.expires) }.joined(separator: ",")
    // The lock of the head row keeps the numbers in the order in which they become visible.
    try query(
      """
      WITH ended AS (UPDATE bindery.document SET ended = ended + $4 WHERE id = $1 RETURNING ended)
      INSERT INTO bindery.session_end SELECT $1, id, ended - $4 + position, expires
        FROM ended, unnest($2::text::bytea[], $3::text::bigint[]) WITH ORDINALITY AS sessions (id, expires, position)
        ON CONFLICT DO NOTHING
      """, [.text(document), .text("{\(ids)}"), .text("{\(times)}"), .integer(sessions.count)])
    notifier?.announce()
  }

  /// Reports all sessions that have ended.
  package func readEndedSessions() throws(StorageFailure) {
    let rows = try query("SELECT ended FROM bindery.document WHERE id = $1", [.text(document)])
    if rows.count > 0 { try readEndedSessions(upTo: rows.integer(0, 0)) }
  }

  /// Returns the ends of sessions that are stored.
  func storedSessionEnds() throws(StorageFailure) -> [EndedSession] {
    let rows = try query("SELECT session, expires FROM bindery.session_end WHERE document = $1", [.text(document)])
    return (0..<rows.count).map { EndedSession(id: rows.bytes($0, 0), expires: Int64(rows.integer($0, 1))) }
  }

  /// Reports the sessions that have ended since the last call.
  ///
  /// - Parameter count: The number of sessions that have ended, from the head row.
  func readEndedSessions(upTo count: Int) throws(StorageFailure) {
    guard count > endedSessions, let onEndedSessions else { return }
    let rows = try query(
      "SELECT session FROM bindery.session_end WHERE document = $1 AND number > $2",
      [.text(document), .integer(endedSessions)])
    endedSessions = count
    onEndedSessions((0..<rows.count).map { rows.bytes($0, 0) })
  }
}
