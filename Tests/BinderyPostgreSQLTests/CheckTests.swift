import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderyTelemetry
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
}
