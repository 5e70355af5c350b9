import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderySystem
import BinderyTelemetry
import Synchronization
import Testing

/// What the command “check” finds out about a store in PostgreSQL.
struct CheckTests {
  private struct NoDefault: Error {}

  private let state: SharedState

  init() throws { state = try SharedState() }

  private func opening<Root: StateModel>(
    _ initial: @escaping () throws -> Root, replacing: Bool = false
  ) -> StoreOpening<Root> {
    let model = ModelDefinition<Root>()
    return StoreOpening(model: model, options: []) { _ in
      StoreOpening.Plan(
        of: model, options: [:], retention: Retention(), logger: Logger(level: .error) { _, _, _ in },
        replacesState: replacing, initial: initial)
    }
  }

  @Test func `the first state is needed only if a start stores it`() throws {
    let withoutState = opening { () throws -> Tally in throw NoDefault() }
    #expect(throws: NoDefault.self) { try state.driver.check(withoutState) }
    try state.open().close()
    #expect(try state.driver.check(withoutState) == [])
    #expect(throws: NoDefault.self) {
      try state.driver.check(opening({ () throws -> Tally in throw NoDefault() }, replacing: true))
    }
  }

  @Test func `a newer model that has written is found as at a start`() async throws {
    try state.open().close()
    let newer = try state.driver.open(opening { NotedTally() })
    #expect(try state.driver.check(SharedState.opening) == [])
    try await newer.store.commit { $0.note = "new" }
    newer.close()
    let refusal = try #require(throws: StoreDriverError.self) { try state.open() }
    #expect(refusal.kind == .misfit)
    #expect(throws: refusal) { try state.driver.check(SharedState.opening) }
    #expect(try state.driver.check(opening { NotedTally() }) == [])
  }

  @Test func `programs that find no tables at the same moment create them once`() throws {
    let name = "creation_" + state.document.replacing("-", with: "_").lowercased()
    let editor = try state.storage()
    defer { editor.close() }
    try editor.run(test: "CREATE DATABASE \(name)")
    let url = try state.url[...#require(state.url.lastIndex(of: "/"))] + name
    let failures = Mutex<[String]>([])
    for _ in 1...3 {
      let threads = try (1...6).map { number in
        try Thread {
          do {
            let access: PostgreSQLStorage.Access = number.isMultiple(of: 2) ? .checking : .writing
            try SharedState(url: String(url)).storage(access).close()
          } catch { failures.withLock { $0.append("\(error)") } }
        }
      }
      for thread in threads { thread.join() }
      let cleaner = try SharedState(url: String(url)).storage()
      try cleaner.run(test: "DROP SCHEMA bindery CASCADE")
      cleaner.close()
    }
    #expect(failures.withLock { $0 } == [])
  }
}
