import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderyTestKit
import Foundation
import Testing

/// An import or a restore while servers run.
struct ReplacementTests {
  private let state: SharedState
  private let model = ModelDefinition<Tally>()

  init() throws { state = try SharedState() }

  @Test func `an import succeeds although servers write all the time`() async throws {
    let servers = [try state.open(), try state.open()]
    let writers = servers.map { server in
      Task {
        // Ends when the import has replaced the history.
        var count = 0
        while (try? await server.store.commit({ $0.count += 1 })) != nil { count += 1 }
        return count
      }
    }
    try await waitUntil { servers[0].store.revision >= 20 }
    let revision = try state.driver.replaceState(of: model) { old in
      Tally(count: -1, names: ["imported after \(old?.count ?? 0)"])
    }
    var acknowledged = 0
    for writer in writers { acknowledged += await writer.value }
    for server in servers { server.close() }
    let next = try state.open()
    defer { next.close() }
    // No acknowledged write came between the state that the import has seen and the import, or after it.
    #expect(next.store.snapshot.root.count == -1)
    #expect(next.store.snapshot.root.names == ["imported after \(revision - 1)"])
    #expect(acknowledged == revision - 1)
    #expect(next.store.revision == revision)
  }

  @Test func `after three losses an import keeps the writers away`() throws {
    try state.open().close()
    var (attempts, wasLocked) = (0, false)
    let revision = try state.driver.replaceState(of: model) { old in
      attempts += 1
      let (base, other) = (try #require(old), try state.storage())
      defer { other.close() }
      try other.declareLayout(LayoutChanges.requirements(of: model))
      let commit = Revision(
        number: base.count + 1, at: 1, from: base, to: Tally(count: base.count + 1), Tally.shape)
      // The first attempts are overtaken.
      if attempts > 3 { try other.run(test: "SET lock_timeout = '1ms'") }
      do throws(StorageFailure) { try other.append([commit]) } catch {
        wasLocked = error.failure.reason.contains("lock timeout")
      }
      return Tally(count: -1)
    }
    #expect(attempts == 4)
    #expect(wasLocked)
    #expect(revision == 4)
    let next = try state.open()
    defer { next.close() }
    #expect(next.store.snapshot.root.count == -1)
  }

  @Test func `imports at the same time come one after the other`() async throws {
    try state.open().close()
    let imports = (1...4).map { number in
      Task {
        try (0..<5).map { round in
          try state.driver.replaceState(of: model) { _ in Tally(count: number * 10 + round) }
        }
      }
    }
    var revisions: [Int] = []
    for task in imports { revisions += try await task.value }
    #expect(revisions.sorted() == Array(1...20))
  }

  @Test func `servers that run end when a backup is restored, and load it when they start again`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "bindery-\(UUID().uuidString).db").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let services = try (0..<2).map { _ in
      try Service(initial: Tally(), store: state.driver, listeningOn: ["127.0.0.1:0"])
    }
    let running = services.map { service in Task { try await service.run(handlesSignals: false) } }
    try await services[0].store.commit { $0.names = ["kept"] }
    try state.driver.backUp(to: path)
    try await services[1].store.commit { $0.names = ["later"] }
    let history = services[0].store.history
    #expect(try state.driver.restore(model, from: path) == 3)
    let storage = try state.storage()
    #expect(try storage.snapshot()?.revision == 3)
    storage.close()
    for task in running {
      await #expect {
        try await task.value
      } throws: { error in
        if case .stateReplaced(let reason)? = error as? ServiceError { reason.contains("restore") } else { false }
      }
    }
    let next = try state.open()
    defer { next.close() }
    #expect(next.store.snapshot.root.names == ["kept"])
    #expect(next.store.revision == 3)
    #expect(next.store.history != history)
  }

  @Test func `an import of the same state begins a new history without a revision`() async throws {
    let a = try state.open()
    try await a.store.commit { $0.count = 1 }
    let history = a.store.history
    a.close()
    #expect(try state.driver.replaceState(of: model) { $0 ?? Tally() } == 1)
    let b = try state.open()
    defer { b.close() }
    #expect(b.store.revision == 1)
    #expect(b.store.history != history)
  }
}
