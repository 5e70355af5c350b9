import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderyTestKit
import Synchronization
import Testing

/// A standby of the database is promoted, and the state is replaced, while servers run.
struct PromotionTests {
  /// Collects what servers report about another history.
  private final class Reports: Sendable {
    private let lines = Mutex<[String]>([])
    private let reported = Mutex(false)

    /// Whether a server has reported, perhaps without lines.
    var isReported: Bool { reported.withLock { $0 } }
    func report() { reported.withLock { $0 = true } }
    func add(_ more: [String]) { lines.withLock { $0 += more } }
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  private let state: SharedState
  private let reports = Reports()

  init() throws {
    state = try SharedState()
    try state.storage().finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
  }

  private func storage() throws -> PostgreSQLStorage {
    let storage = try state.storage()
    storage.onOtherHistory = { [reports] _, missing in reports.add(missing.lines) }
    return storage
  }

  private func revision(_ number: Int, _ text: String = "") -> Revision {
    Revision(number: number, at: 1, patch: Array("[\(number)\(text)]".utf8), undo: Array("[]".utf8), shown: nil)
  }

  /// Lets the database be a standby that was promoted, for some servers: it is on another timeline, and does not have
  /// the revisions after one.
  private func promote(after revision: Int, _ storages: [PostgreSQLStorage]) throws {
    let editor = try state.storage()
    try editor.run(
      test: """
        UPDATE bindery.document SET revision = \(revision), chain = (
          SELECT chain FROM bindery.batch WHERE document = '\(state.document)' AND last = \(revision))
        WHERE id = '\(state.document)'
        """)
    try editor.run(test: "DELETE FROM bindery.batch WHERE document = '\(state.document)' AND last > \(revision)")
    editor.close()
    for storage in storages { storage.timeline = "'00000002'" }
  }

  /// Opens the state on the timeline of the promoted standby, and returns the patches after a revision.
  private func patches(after revision: Int) throws -> (patches: [String], history: HistoryID?) {
    let reader = try state.storage()
    var patches: [String] = []
    let failure = reader.forEachPatch(after: revision) { patches.append(String(decoding: $1, as: UTF8.self)) }
    #expect(failure == nil)
    return (patches, reader.history)
  }

  @Test func `servers append again what they have published and the standby does not have`() throws {
    let (a, b) = (try storage(), try storage())
    let history = a.history
    for number in 1...3 { try a.append([revision(number)]) }
    _ = try b.checkHead()
    try a.append([revision(4)])
    try promote(after: 1, [a, b])
    // Server b has not seen the last revision; each appends what it has.
    #expect(throws: StorageFailure.self) { try b.checkHead() }
    #expect(reports.take() == ["appended again: revisions 2 to 3"])
    #expect(throws: StorageFailure.self) { try a.append([revision(5)]) }
    #expect(reports.take() == ["appended again: revision 4"])
    #expect(throws: StorageFailure.self) { try a.checkHead() }
    #expect(reports.take().isEmpty)
    let found = try patches(after: 0)
    #expect(found.patches == ["[1]", "[2]", "[3]", "[4]"])
    #expect(found.history != history)
  }

  @Test func `a batch is appended again although another server resolves an unknown outcome meanwhile`() throws {
    let (a, b) = (try storage(), try storage())
    for number in 1...3 { try a.append([revision(number)]) }
    try promote(after: 1, [a])
    var count = 0
    a.interrupt = { statement in
      if statement.contains("SELECT bindery.append") {
        count += 1
        // Changes the token after this server has read it.
        if count == 2 {
          try? b.run(test: "UPDATE bindery.document SET token = token + 1 WHERE id = '\(state.document)'")
        }
      }
      return nil
    }
    #expect(throws: StorageFailure.self) { try a.checkHead() }
    #expect(count == 3)
    #expect(reports.take() == ["appended again: revisions 2 to 3"])
    #expect(try patches(after: 0).patches == ["[1]", "[2]", "[3]"])
  }

  @Test func `revisions whose numbers other commits have taken are reported as lost`() throws {
    let a = try storage()
    for number in 1...3 { try a.append([revision(number)]) }
    try promote(after: 1, [a])
    let c = try storage()
    c.timeline = a.timeline
    #expect(try c.claimTimeline())
    try c.append([revision(2, "x")])
    #expect(throws: StorageFailure.self) { try a.checkHead() }
    #expect(reports.take() == ["lost, replaced by other commits: revision 2", "perhaps lost: revision 3"])
    #expect(try patches(after: 0).patches == ["[1]", "[2x]"])
  }

  /// Two standbys of one primary get the same number when each is promoted.
  @Test func `a promotion to a timeline of the same number is not taken for an import`() throws {
    let (a, b) = (try storage(), try storage())
    for number in 1...4 { try a.append([revision(number)]) }
    _ = try b.checkHead()
    try promote(after: 2, [])
    // Another server has begun the history, so that no number tells server a and b. Appended again, the revisions could
    // undo an import.
    let c = try storage()
    try c.beginHistory()
    for server in [a, b] {
      #expect(throws: StorageFailure.self) { try server.checkHead() }
      #expect(reports.take() == ["perhaps lost: revisions 3 to 4"])
    }
    #expect(try patches(after: 0).patches == ["[1]", "[2]"])
  }

  @Test func `all revisions that a server has published since its start are reported`() throws {
    let first = try storage()
    for number in 1...3 { try first.append([revision(number)]) }
    let a = try storage()
    a.resume(RevisionRecord())
    // The mark of a batch has its last revision alone.
    try a.append([revision(4), revision(5)])
    for number in 6...7 { try a.append([revision(number)]) }
    a.forgetBatches(upTo: 5)
    try promote(after: 3, [a])
    #expect(throws: StorageFailure.self) { try a.checkHead() }
    #expect(reports.take() == ["perhaps lost: revisions 4 to 7"])
  }

  @Test func `what a server had published before one promotion is appended again after the next one`() throws {
    let (a, record) = (try storage(), RevisionRecord())
    a.resume(record)
    for number in 1...4 { try a.append([revision(number)]) }
    try promote(after: 4, [a])
    #expect(throws: StorageFailure.self) { try a.checkHead() }
    #expect(reports.take().isEmpty)
    // The process opens the state again.
    let next = try storage()
    next.timeline = "'00000002'"
    try next.adoptHistory()
    next.resume(record)
    try next.append([revision(5)])
    try promote(after: 2, [])
    next.timeline = "'00000003'"
    #expect(throws: StorageFailure.self) { try next.checkHead() }
    #expect(reports.take() == ["appended again: revisions 3 to 5"])
    #expect(try patches(after: 0).patches == ["[1]", "[2]", "[3]", "[4]", "[5]"])
  }

  @Test func `revisions are reported as lost however old they are`() throws {
    let (a, old) = (try storage(), 50)
    for number in 1...old + 2 { try a.append([revision(number)]) }
    a.forgetBatches(upTo: old)
    try promote(after: 7, [a])
    #expect(throws: StorageFailure.self) { try a.checkHead() }
    #expect(reports.take() == ["perhaps lost: revisions 8 to \(old + 2)"])
    #expect(throws: StorageFailure.self) { try a.checkHead() }
    #expect(reports.take().isEmpty)
    #expect(try patches(after: 6).patches == ["[7]"])
  }

  @Test func `servers append different parts again, and each counts its own`() throws {
    let (a, b) = (try storage(), try storage())
    for number in 1...4 { try a.append([revision(number)]) }
    _ = try b.checkHead()
    try promote(after: 1, [a, b])
    var isFirst = true
    a.interrupt = { [reports] statement in
      // After server a has found that revision 2 is missing, server b appends revisions 2 to 4.
      guard isFirst, statement.contains("SELECT bindery.append") else { return nil }
      isFirst = false
      #expect(throws: StorageFailure.self) { try b.checkHead() }
      #expect(reports.take() == ["appended again: revisions 2 to 4"])
      return nil
    }
    #expect(throws: StorageFailure.self) { try a.checkHead() }
    #expect(!isFirst && reports.take().isEmpty)
    #expect(try patches(after: 0).patches == ["[1]", "[2]", "[3]", "[4]"])
  }

  @Test func `nothing is appended on a new timeline under the previous history`() throws {
    let (a, b) = (try storage(), try storage())
    try a.append([revision(1)])
    try promote(after: 1, [a, b])
    #expect(throws: StorageFailure.self) { try a.append([revision(2)]) }
    #expect(throws: StorageFailure.self) { try b.append([revision(2)]) }
    #expect(try patches(after: 0).patches == ["[1]"])
    #expect(reports.take().isEmpty)
  }

  @Test func `a write whose outcome is unknown at a promotion stays unknown unless it is found`() throws {
    let a = try storage()
    try a.append([revision(1)])
    a.interrupt = { $0.contains("SELECT bindery.append") ? .afterStatement : nil }
    #expect(throws: StorageFailure.self) { try a.append([revision(2)]) }
    a.interrupt = nil
    try promote(after: 1, [a])
    #expect {
      try a.reopen()
    } throws: { error in
      if case .unknown? = error as? StorageFailure { true } else { false }
    }
    #expect(try patches(after: 0).patches == ["[1]"])
  }

  @Test func `nothing is lost or appended twice if the connection breaks at a statement after a promotion`() throws {
    var number = 0
    var isSent = true
    while isSent {
      for cut in MessageProxy.Cut.places(atStatement: number) {
        let test = try PromotionTests()
        let (proxy, url) = try test.state.messageProxy()
        defer { proxy.stop() }
        let a = try SharedState(url: url, document: test.state.document).storage()
        let reports = test.reports
        a.onOtherHistory = { _, missing in
          reports.add(missing.lines)
          reports.report()
        }
        for number in 1...3 { try a.append([revision(number)]) }
        try test.promote(after: 1, [a])
        proxy.cut([cut])
        // The journal looks again in the same way.
        while !reports.isReported { _ = try? a.checkHead() }
        isSent = proxy.remaining == 0
        #expect(reports.take().allSatisfy { $0.hasPrefix("appended again") }, "\(cut)")
        #expect(try test.patches(after: 0).patches == ["[1]", "[2]", "[3]"], "\(cut)")
        a.close()
      }
      number += 1
    }
    #expect(number > 5)
  }

  @Test func `a running service ends when an import replaces the state`() async throws {
    let state = try SharedState()
    let service = try Service(initial: Tally(), store: state.driver, listeningOn: ["127.0.0.1:0"])
    let running = Task { try await service.run(handlesSignals: false) }
    _ = try state.driver.replaceState(of: ModelDefinition<Tally>()) { _ in Tally(count: 5) }
    await #expect {
      try await running.value
    } throws: { error in
      if case .stateReplaced? = error as? ServiceError { true } else { false }
    }
    let next = try Service(initial: Tally(), store: state.driver, listeningOn: ["127.0.0.1:0"])
    #expect(next.store.snapshot.root.count == 5)
    #expect(next.store.history != service.store.history)
  }
}
