import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation
import Testing

/// What the errors of the database mean for an append.
struct ErrorTests {
  private let state: SharedState

  /// Its database is its own: an append of another test, which locks one table after the other, would wait for a
  /// trigger that waits for the append.
  init() throws { state = try SharedState.inOwnDatabase() }

  private func revision(_ number: Int) -> Revision {
    Revision(number: number, at: 1, patch: Array("[\(number)]".utf8), undo: Array("[]".utf8), shown: nil)
  }

  private func storage() throws -> PostgreSQLStorage {
    let storage = try state.storage()
    try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
    return storage
  }

  private func failure(of append: () throws -> Void) throws -> StorageFailure {
    try #require(throws: StorageFailure.self, performing: append)
  }

  @Test(arguments: ["40003", "08006", "08007", "57P01", "57P02"])
  func `an append has an unknown outcome if the database does not know it`(_ code: String) throws {
    let a = try storage()
    try state.trigger("RAISE EXCEPTION 'fault' USING ERRCODE = '\(code)'", atCommit: true)
    guard case .unknown = try failure(of: { try a.append([revision(1)]) }) else {
      Issue.record("\(code) is not taken for an unknown outcome")
      return
    }
    try state.removeTrigger()
    #expect(try a.reopen() == 0)
    try a.append([revision(1)])
  }

  @Test func `an append has an unknown outcome if an administrator ends the connection at the commit`() throws {
    let a = try storage()
    try state.trigger("PERFORM pg_terminate_backend(pg_backend_pid())", atCommit: true)
    guard case .unknown = try failure(of: { try a.append([revision(1)]) }) else {
      Issue.record("the outcome is not unknown")
      return
    }
    try state.removeTrigger()
    let found = try a.reopen()
    try a.append([revision(found + 1)])
  }

  @Test(arguments: ["40001", "40P01", "25P03"])
  func `an append that another transaction prevents is overtaken`(_ code: String) throws {
    let a = try storage()
    try state.trigger("RAISE EXCEPTION 'fault' USING ERRCODE = '\(code)'")
    #expect(try failure(of: { try a.append([revision(1)]) }) == .overtaken)
    try state.removeTrigger()
    guard case .unchanged = try a.checkHead() else {
      Issue.record("something was stored")
      return
    }
    try a.append([revision(1)])
  }

  @Test(arguments: [("53100", true), ("53200", true), ("23514", false), ("55P03", false)])
  func `an append that the database refuses has stored nothing`(_ code: String, _ isFull: Bool) throws {
    let a = try storage()
    try state.trigger("RAISE EXCEPTION 'the reason' USING ERRCODE = '\(code)'")
    guard case .refused(let reason) = try failure(of: { try a.append([revision(1)]) }) else {
      Issue.record("\(code) is not taken for a refusal")
      return
    }
    #expect(reason.reason.contains("the reason"))
    if case .full = reason { #expect(isFull) } else { #expect(!isFull) }
    try state.removeTrigger()
    try a.append([revision(1)])
  }

  @Test func `a server that has become read-only is left, and the append is refused`() throws {
    let a = try storage()
    // As after the demotion of the primary. The next connection may be to the new one.
    try a.run(test: "SET default_transaction_read_only = on")
    guard case .refused(let reason) = try failure(of: { try a.append([revision(1)]) }) else {
      Issue.record("the outcome is not certain")
      return
    }
    #expect(reason.reason.contains("read-only"))
    try a.append([revision(1)])
  }

  @Test func `a database that cannot be reached is named in plain words`() throws {
    var timeouts = DatabaseTimeouts()
    timeouts.connection = 100
    #expect {
      try PostgreSQLStore("postgres://bindery@127.0.0.1:1/bindery", timeouts: timeouts).exportTally()
    } throws: { error in
      let text = "\(error)"
      return text.contains("Cannot connect to the database: ") && text.contains("Connection refused")
    }
    let refused = try #require(throws: StoreDriverError.self) {
      let url = try SharedState().url.dropLast("bindery".count) + "missing"
      timeouts.connection = 60_000
      _ = try PostgreSQLStore(String(url), timeouts: timeouts).exportTally()
    }
    #expect(refused.description.contains(#"Cannot connect to the database: "#), "\(refused)")
    #expect(refused.description.contains(#"database "missing" does not exist"#), "\(refused)")
  }

  @Test func `a role that may not create the schema is told the statement that does`() throws {
    let role = "role_" + state.document.replacing("-", with: "_").lowercased()
    let editor = try state.storage()
    try editor.run(test: "CREATE ROLE \(role) LOGIN")
    try editor.run(test: "DROP SCHEMA IF EXISTS bindery CASCADE")
    let store = PostgreSQLStore(state.url.replacing("//bindery@", with: "//\(role)@"))
    for isCheck in [false, true] {
      let refused = try #require(throws: StoreDriverError.self) {
        if isCheck { _ = try store.check(SharedState.opening) } else { _ = try store.open(SharedState.opening) }
      }
      #expect(refused.description.contains("the schema “bindery” does not exist"), "\(refused)")
      #expect(refused.description.contains("CREATE SCHEMA bindery AUTHORIZATION \(role)"), "\(refused)")
    }
    try editor.run(test: "CREATE SCHEMA bindery")
    let refused = try #require(throws: StoreDriverError.self) { _ = try store.open(SharedState.opening) }
    #expect(refused.description.contains("ALTER SCHEMA bindery OWNER TO \(role)"), "\(refused)")
    try editor.run(test: "ALTER SCHEMA bindery OWNER TO \(role)")
    #expect(try store.check(SharedState.opening) == [])
    // The check has created nothing.
    #expect(try store.exportTally() == nil)
    try editor.run(test: "DROP SCHEMA bindery RESTRICT")
  }

  @Test func `a password file that others can read is named, and not used`() throws {
    let folder = try TemporaryFolder()
    let path = folder("pgpass")
    try Data("*:*:*:*:secret\n".utf8).write(to: URL(filePath: path))
    let store = PostgreSQLStore(state.url + "?passfile=\(path)", document: state.document)
    for mode in [0o640, 0o604] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let refused = try #require(throws: StoreDriverError.self) { try store.exportTally() }
      #expect(refused.description.contains("the password file \(path) is ignored"), "\(refused)")
      #expect(refused.description.contains("chmod 600 \(path)"), "\(refused)")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try store.exportTally() == nil)
  }

  /// As behind a connection pool, which may run an append on a connection on which this program has set nothing.
  @Test func `an append is durable, whatever the settings of its connection are`() throws {
    let a = try storage()
    for setting in ["synchronous_commit = off", "lock_timeout = 0", "idle_in_transaction_session_timeout = 0"] {
      try a.run(test: "SET \(setting)")
    }
    try state.trigger(
      """
      IF current_setting('synchronous_commit') <> 'on' OR current_setting('lock_timeout') = '0'
        OR current_setting('idle_in_transaction_session_timeout') = '0'
      THEN RAISE EXCEPTION 'not set'; END IF
      """)
    try a.append([revision(1)])
    _ = try a.lockHead()
    try a.run(
      test: """
        DO $$ BEGIN
          IF current_setting('lock_timeout') = '0' OR current_setting('idle_in_transaction_session_timeout') = '0'
          THEN RAISE EXCEPTION 'not set'; END IF;
        END $$
        """)
    try a.append([revision(2)])
    try a.run(test: "SET synchronous_commit = remote_apply")
    try state.removeTrigger()
    try state.trigger(
      "IF current_setting('synchronous_commit') <> 'remote_apply' THEN RAISE EXCEPTION 'changed'; END IF")
    try a.append([revision(3)])
  }

  @Test func `an append has an unknown outcome if the database warns at the commit`() throws {
    let a = try storage()
    // As a server does that no longer waits for its standby.
    try state.trigger("RAISE WARNING 'the transaction has already committed locally'", atCommit: true)
    guard case .unknown(let reason) = try failure(of: { try a.append([revision(1)]) }) else {
      Issue.record("the outcome is not unknown")
      return
    }
    #expect(reason.reason.contains("committed locally"))
    try state.removeTrigger()
    #expect(try a.reopen() == 1)
  }

  @Test func `an append without an answer in time has an unknown outcome, and may be stored`() throws {
    let (proxy, url) = try state.proxy()
    defer { proxy.stop() }
    let a = try SharedState(url: url, document: state.document).storage()
    try a.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
    #expect(DatabaseTimeouts().answer == 2_000)
    a.timeouts.answer = 50
    proxy.set(.withholdAnswer(to: "SELECT bindery.append"))
    guard case .unknown = try failure(of: { try a.append([revision(1)]) }) else {
      Issue.record("the outcome is not unknown")
      return
    }
    a.timeouts.answer = 30_000
    #expect(try a.reopen() == 1)
  }

  @Test func `a connection that breaks is told from one that cannot be made`() throws {
    let (proxy, url) = try state.proxy()
    defer { proxy.stop() }
    let a = try SharedState(url: url, document: state.document).storage()
    try a.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
    a.interrupt = { $0.contains("SELECT bindery.append") ? .afterStatement : nil }
    let lost = try failure { try a.append([revision(1)]) }
    #expect(lost.failure.reason.hasPrefix("The connection to the database was lost: "), "\(lost)")
    a.interrupt = nil
    proxy.set(.refuse)
    proxy.cut()
    a.wait(until: Clock.monotonicMilliseconds)
    let away = try failure { _ = try a.reopen() }
    #expect(away.failure.reason.hasPrefix("Cannot connect to the database: "), "\(away)")
  }

  @Test func `what has arrived is taken also by a thread that runs after its deadline`() throws {
    let a = try storage()
    a.interrupt = { _ in .beforeStatement }
    #expect(throws: StorageFailure.self) { try a.run(test: "SELECT 1") }
    a.interrupt = nil
    // Each attempt continues the one before, as far as the database has answered.
    a.wait(until: 0)
    let end = Clock.monotonicMilliseconds + 60_000
    var isConnected = false
    while !isConnected, Clock.monotonicMilliseconds < end { isConnected = (try? a.run(test: "SELECT 1")) != nil }
    #expect(isConnected)
  }
}

extension PostgreSQLStore {
  fileprivate func exportTally() throws -> [UInt8]? {
    try export(ModelDefinition<Tally>(), reportLoss: { _ in })
  }
}
