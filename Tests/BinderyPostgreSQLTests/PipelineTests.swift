import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderySystem
import BinderyTestKit
import Synchronization
import Testing

/// Appends that are sent before the outcome of those before them is known.
struct PipelineTests {
  private func revision(_ number: Int, _ text: String? = nil) -> Revision {
    Revision(number: number, at: 1, patch: Array((text ?? "[\(number)]").utf8), undo: Array("[]".utf8), shown: nil)
  }

  /// Opens a storage with an initial snapshot.
  private func storage(_ state: SharedState) throws -> PostgreSQLStorage {
    let storage = try state.storage()
    try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
    return storage
  }

  /// The patches that are stored.
  private func patches(_ state: SharedState) throws -> [String] {
    var found: [String] = []
    #expect(
      try state.storage().forEachPatch(after: 0) { _, patch in found.append(String(decoding: patch, as: UTF8.self)) }
        == nil)
    return found
  }

  /// Sends two revisions and then asks for their outcome, as the journal does.
  private func appendTwo(_ storage: PostgreSQLStorage, after last: Int) throws(StorageFailure) {
    storage.send([revision(last + 1)])
    storage.send([revision(last + 2)])
    for number in last + 1...last + 2 {
      do throws(StorageFailure) { try storage.append([revision(number)]) } catch {
        guard case .unknown = error else { throw error }
        var found: Int?
        while found == nil { found = try? storage.reopen() }
        if let found, found < number { try storage.append([revision(number)]) }
      }
    }
  }

  @Test func `two appends are stored in their order`() throws {
    let state = try SharedState()
    let a = try storage(state)
    #expect(a.answerDescriptor == nil)
    a.send([revision(1)])
    a.send([revision(2)])
    // Neither of them follows the second one.
    a.send([revision(2)])
    a.send([revision(4)])
    try a.append([revision(1)])
    try a.append([revision(2)])
    #expect(a.answerDescriptor == nil)
    try a.append([revision(3)])
    #expect(try patches(state) == ["[1]", "[2]", "[3]"])
  }

  @Test func `an append behind one that is overtaken is not stored`() throws {
    let state = try SharedState()
    let (a, b) = (try storage(state), try state.storage())
    try b.append([revision(1, "[\"b\"]")])
    a.send([revision(1)])
    a.send([revision(2)])
    #expect(throws: StorageFailure.overtaken) { try a.append([revision(1)]) }
    _ = try a.checkHead()
    try a.append([revision(2, "[\"a\"]")])
    #expect(try patches(state) == ["[\"b\"]", "[\"a\"]"])
  }

  @Test func `the answer to an append behind a refused one is not taken for that of the next one`() throws {
    let state = try SharedState()
    let (a, b) = (try storage(state), try state.storage())
    _ = try b.lockHead()
    try a.run(test: "SET lock_timeout = '50ms'")
    a.send([revision(1)])
    a.send([revision(2)])
    #expect {
      try a.append([revision(1)])
    } throws: { error in
      if case .refused? = error as? StorageFailure { true } else { false }
    }
    b.unlockHead()
    a.send([revision(1, "[\"again\"]")])
    try a.append([revision(1, "[\"again\"]")])
    #expect(try patches(state) == ["[\"again\"]"])
  }

  @Test func `after a verdict of another server both appends are sent again with the new token`() throws {
    let state = try SharedState()
    let (a, b) = (try storage(state), try state.storage())
    #expect(try b.reopen() == 0)
    try appendTwo(a, after: 0)
    #expect(try patches(state) == ["[1]", "[2]"])
  }

  @Test(arguments: [1, 2], [PostgreSQLStorage.Interruption.beforeStatement, .afterStatement])
  func `two appends are stored once if the connection breaks`(
    at number: Int, _ interruption: PostgreSQLStorage.Interruption
  ) throws {
    let state = try SharedState()
    let a = try storage(state)
    var count = 0
    a.interrupt = { statement in
      guard statement.contains("SELECT bindery.append") else { return nil }
      count += 1
      return count == number ? interruption : nil
    }
    try appendTwo(a, after: 0)
    #expect(try patches(state) == ["[1]", "[2]"])
  }

  @Test(arguments: [0, 1])
  func `two appends are stored once if the connection breaks at a message`(of skipped: Int) throws {
    let state = try SharedState()
    let (proxy, url) = try state.messageProxy()
    defer { proxy.stop() }
    let a = try storage(SharedState(url: url, document: state.document))
    var last = 0
    for cut in MessageProxy.Cut.places(at: "SELECT bindery.append", skipping: skipped) {
      proxy.cut([cut])
      try appendTwo(a, after: last)
      last += 2
      #expect(try patches(state) == (1...last).map { "[\($0)]" }, "\(cut)")
    }
  }

  // MARK: The journal

  /// What the journal's thread does at each append. Set after the journal was created.
  private final class Hook: Sendable {
    let action = Mutex<(@Sendable (_ number: Int) -> PostgreSQLStorage.Interruption?)?>(nil)
    private let count = Mutex(0)

    func run() -> PostgreSQLStorage.Interruption? {
      let number = count.withLock { count in
        count += 1
        return count
      }
      return action.withLock { $0 }?(number)
    }
  }

  private static let faults: [(append: Int, interruption: PostgreSQLStorage.Interruption?)] = [
    (1, nil), (1, .beforeStatement), (1, .afterStatement), (2, .beforeStatement), (2, .afterStatement),
  ]

  @Test(arguments: faults)
  func `a commit is sent while the one before it is stored`(
    faultAt append: Int, _ interruption: PostgreSQLStorage.Interruption?
  ) async throws {
    let state = try SharedState()
    let hook = Hook()
    let storage = try state.storage()
    storage.interrupt = { $0.contains("SELECT bindery.append") ? hook.run() : nil }
    // The outcome is found out, however long the tasks of this test wait for a thread.
    (storage.timeouts.connection, storage.timeouts.answer, storage.timeouts.patience) = (600_000, 600_000, 600_000)
    let recovery = try Recovery(from: storage) { Tally() }
    let journal = try StorageJournal(storage, recovery)
    let store = Store(recovery.root, journal: journal)
    let second = Mutex<Task<Bool, Never>?>(nil)
    let publishedAtSecond = Mutex<Int?>(nil)
    @Sendable func increment() async -> Bool {
      do { try await store.commit { $0.count += 1 } } catch {
        Issue.record("\(error)")
        return false
      }
      return true
    }
    hook.action.withLock { action in
      action = { number in
        if number == 1 {
          second.withLock { $0 = Task { await increment() } }
          try? waitUntil(seconds: nil) { store.pendingCount > 0 }
        } else if number == 2 {
          publishedAtSecond.withLock { $0 = store.revision }
        }
        return number == append ? interruption : nil
      }
    }
    try journal.start(store)
    let first = await increment()
    let other = await second.withLock { $0 }?.value
    journal.stop()
    let kept = [first, other].count { $0 == true }
    #expect(store.snapshot.root.count == kept)
    #expect(try Recovery<Tally>(of: state.storage())?.root.count == kept)
    guard interruption == nil else { return }
    #expect(kept == 2)
    // The first commit was not known to be stored when the second one was sent.
    #expect(publishedAtSecond.withLock { $0 } == 0)
  }
}
