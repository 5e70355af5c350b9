import BinderyCore
import BinderyDigest
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderyTelemetry
import BinderyTestKit
import FoundationEssentials
import Testing

/// Options that a store keeps, and the clock, which are the same for all servers.
struct SharedSettingsTests {
  private let state: SharedState

  init() throws { state = try SharedState() }

  /// A request to open the state with an option.
  ///
  /// - Parameter onPlan: Called before the plan is made, with the stored value.
  private func opening(
    zone: String?, otherwise fallback: String = "UTC", onPlan: @escaping (String?) throws -> Void = { _ in }
  ) -> StoreOpening<Tally> {
    let model = ModelDefinition<Tally>()
    return StoreOpening(model: model, options: ["time-zone"]) { stored in
      let value = zone ?? stored.options["time-zone"] ?? fallback
      try onPlan(stored.options["time-zone"])
      return StoreOpening.Plan(
        of: model, options: ["time-zone": value], retention: Retention(),
        logger: Logger(level: .error) { _, _, _ in }, initial: { Tally(names: [value]) })
    }
  }

  private func open(
    zone: String?, otherwise fallback: String = "UTC", onPlan: @escaping (String?) throws -> Void = { _ in }
  ) throws -> OpenStore<Tally> {
    try state.driver.open(opening(zone: zone, otherwise: fallback, onPlan: onPlan))
  }

  private func storedZone() throws -> String? {
    var stored: String?
    #expect(try state.driver.check(opening(zone: nil) { stored = $0 }) == [])
    return stored
  }

  @Test func `the first server stores an option, and the others use its value`() throws {
    try open(zone: "Europe/Rome").close()
    #expect(try storedZone() == "Europe/Rome")
    let other = try open(zone: nil, otherwise: "Asia/Tokyo")
    defer { other.close() }
    #expect(other.store.snapshot.root.names == ["Europe/Rome"])
    #expect(try storedZone() == "Europe/Rome")
  }

  @Test func `a server with another value of a stored option is refused, and changes nothing`() throws {
    try open(zone: "Europe/Rome").close()
    let error = try #require(throws: StoreDriverError.self) { try open(zone: "Asia/Tokyo") }
    #expect(error.kind == .location)
    #expect(error.description.contains("have --time-zone Europe/Rome, and this one --time-zone Asia/Tokyo"))
    // The command “check” says the same before.
    #expect(throws: error) { try state.driver.check(opening(zone: "Asia/Tokyo")) }
    #expect(try storedZone() == "Europe/Rome")
  }

  @Test func `of two servers that start at the same moment, the slower one uses the value of the faster one`() throws {
    var seen: [String?] = []
    let slow = try open(zone: nil, otherwise: "Asia/Tokyo") { stored in
      seen.append(stored)
      // The other server starts after this one has read that nothing is stored.
      if stored == nil { try open(zone: "Europe/Rome").close() }
    }
    defer { slow.close() }
    #expect(seen == [nil, "Europe/Rome"])
    #expect(slow.store.snapshot.root.names == ["Europe/Rome"])
    #expect(try storedZone() == "Europe/Rome")
  }

  @Test func `the digest key of the first server stays`() throws {
    let keys = try (0..<2).map { _ in
      let open = try state.open()
      defer { open.close() }
      return open.store.key.secret
    }
    #expect(keys[0] == keys[1])
  }

  @Test func `the time of a service, of its launch and of its commits is that of the database`() async throws {
    let storage = try state.storage()
    // A clock that is three days ahead, for connections that look there first.
    try storage.run(test: "CREATE SCHEMA IF NOT EXISTS ahead")
    try storage.run(
      test: """
        CREATE OR REPLACE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT pg_catalog.clock_timestamp() + interval '3 days' $$
        """)
    let url = state.url + "?options=-csearch_path%3Dahead,pg_catalog"
    let service = try Service(
      initial: Tally(), store: PostgreSQLStore(url, document: state.document), listeningOn: ["127.0.0.1:0"])
    let ahead: ClosedRange<Double> = 2.99...3.01
    #expect(ahead.contains(service.now.timeIntervalSinceNow / 86_400))
    var atStart: Int64 = 0
    let model = ModelDefinition<Tally>()
    let open = try PostgreSQLStore(url, document: state.document).open(
      StoreOpening(model: model, options: []) { stored in
        atStart = stored.clock()
        return StoreOpening.Plan(
          of: model, options: [:], retention: Retention(), logger: Logger(level: .error) { _, _, _ in },
          initial: { Tally() })
      })
    defer { open.close() }
    let difference = Double(atStart) / 1_000 - service.now.timeIntervalSince1970
    #expect(abs(difference) < 60)
    #expect(abs(Double(open.clock()) / 1_000 - service.now.timeIntervalSince1970) < 60)
  }
}
