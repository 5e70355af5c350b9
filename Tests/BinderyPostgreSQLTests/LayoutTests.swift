import BinderyCore
import BinderyJournal
import BinderyModelFile
import BinderyPostgreSQL
import BinderyService
import BinderyTelemetry
import BinderyTestKit
import Testing

/// Servers whose models differ, as during a rolling deploy.
struct LayoutTests {
  private let state: SharedState

  init() throws { state = try SharedState() }

  private func open(_ model: DynamicModel) throws -> OpenStore<DynamicValue> {
    try state.driver.open(
      StoreOpening(model: model.definition, options: []) { _ in
        StoreOpening.Plan(
          of: model.definition, options: [:], retention: Retention(), logger: Logger(level: .error) { _, _, _ in },
          initial: { try model.initialState() })
      })
  }

  @Test func `the first write of a newer model stops the writes of an older one, which still reads`() throws {
    let old = try Replica(state)
    defer { old.stop() }
    #expect(try old.patch("/count", "1").status == 200)
    let new = try ModelReplica(state, NotedTally())
    defer { new.stop() }
    #expect(try new.get("/count").text == "1")
    // Until the newer model writes, the older one does, and the newer one follows.
    #expect(try old.patch("/count", "2").status == 200)
    #expect(try new.get("/count", ["Prefer": "read=newest"]).text == "2")
    #expect(try old.send("GET", "/readyz").status == 200)
    #expect(try new.patch("/note", #""x""#).status == 200)
    let refused = try old.patch("/count", "3")
    #expect(refused.outcome == "503 unavailable")
    #expect(refused.string("detail")?.contains("A server with a newer model has written") == true, "\(refused)")
    #expect(try old.get("/count").text == "2")
    #expect(try old.get("/note").status == 404)
    var ready = try old.send("GET", "/readyz")
    try waitUntil {
      ready = try old.send("GET", "/readyz")
      return ready.status != 200
    }
    #expect(ready.string("detail")?.contains("A server with a newer model has written") == true, "\(ready)")
    // The newer one goes on.
    #expect(try new.patch("/count", "3").status == 200)
    #expect(try new.send("GET", "/readyz").status == 200)
    #expect(try old.get("/count").text == "2")
    // A read that must not be older than that write would be refused: nothing confirms that the older one is current.
    let check = old.store.checkHead()
    old.store.wakeJournal()
    var outcome = old.store.outcome(of: 0, in: check)
    while case .pending = outcome { outcome = old.store.outcome(of: 0, in: check) }
    guard case .failed = outcome else {
      Issue.record("a server that cannot read the newest state says that it has it")
      return
    }
  }

  /// The layout is the same, so each model reads what the other one stores, but one of them may refuse it.
  @Test(arguments: [
    (#"{"type": "string", "maxLength": 20, "default": ""}"#, #"{"type": "string", "maxLength": 3, "default": ""}"#),
    (
      #"{"type": ["string", "null"]}"#,
      #"{"type": ["string", "null"], "x-bindery": {"reference": {"to": "/rows", "onRemoval": "refuse"}}}"#
    ),
    (
      #"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
      #"{"type": "object", "additionalProperties": {"type": "integer"}, "x-bindery": {"keys": "integer"}}"#
    ),
  ])
  func `the first write of a model with stricter rules stops the writes of an older one`(
    _ before: String, _ after: String
  ) async throws {
    func open(_ value: String) throws -> OpenStore<DynamicValue> {
      let row = #"{"type": "object", "properties": {"id": {"type": "string"}}, "x-bindery": {"id": "id"}}"#
      let members = #""rows": {"type": "array", "items": \#(row)}, "count": {"type": "integer", "default": 0}"#
      let text = #"{"type": "object", "properties": {"value": \#(value), \#(members)}}"#
      return try self.open(try ModelFile.model(Array(text.utf8)))
    }
    func write(_ number: Int, _ open: OpenStore<DynamicValue>) async throws {
      let shape = open.store.model.shape
      try await open.store.commit { draft in
        let text = String(decoding: shape.stored(draft), as: UTF8.self)
        draft = try shape.restore(Array(text.replacing(/"count":\d+/, with: "\"count\":\(number)").utf8))
      }
    }
    let (old, same, new) = (try open(before), try open(before), try open(after))
    defer { for server in [old, same, new] { server.close() } }
    try await write(1, old)
    try await write(2, same)
    try await write(3, old)
    try await write(4, new)
    await #expect { try await write(5, old) } throws: { "\($0)".contains("A server with a newer model has written") }
    #expect(throws: StoreDriverError.self) { try open(before) }
  }

  @Test func `servers of a model with a new remembered member follow an older one`() async throws {
    func open(_ remembered: String) throws -> OpenStore<DynamicValue> {
      let union = #"{"oneOf": [{"const": "none"}, {"type": "object", "properties": {"c": {"type": "integer"}}}]"#
      let text = #"{"type": "object", "properties": {"u": \#(union), "default": "none"}\#(remembered)}}"#
      return try self.open(try ModelFile.model(Array(text.utf8)))
    }
    func write(_ value: String, _ server: OpenStore<DynamicValue>) async throws {
      let patch = try StoredPatch(parsing: Array(#"[{"op":"replace","path":"/u","value":\#(value)}]"#.utf8))
      let shape = server.store.model.shape
      try await server.store.commit { try shape.restore(&$0, patch) }
    }
    func state(_ server: OpenStore<DynamicValue>) -> String {
      String(decoding: server.store.model.shape.stored(server.store.snapshot.root), as: UTF8.self)
    }
    let remembered = #", "rm": {"x-bindery": {"remembered": "/u/c"}}"#
    let old = try open("")
    defer { old.close() }
    try await write(#"{"c":5}"#, old)
    let new = try [open(remembered), open(remembered)]
    defer { for server in new { server.close() } }
    for server in new { #expect(state(server) == #"{"u":{"c":5},"rm":5}"#) }
    try await write(#"{"c":6}"#, old)
    for server in new {
      try await write(#""none""#, server)
      #expect(state(server) == #"{"u":"none","rm":6}"#)
    }
  }

  @Test func `a server follows the writes of an older model to members that it does not have any more`() throws {
    try state.open().close()
    let old = try Replica(state)
    defer { old.stop() }
    let new = try ModelReplica(state, Counter())
    defer { new.stop() }
    #expect(try old.patch("", #"{"count": 1, "names": ["x"]}"#).status == 200)
    #expect(try new.get("/count", ["Prefer": "read=newest"]).text == "1")
    #expect(try new.patch("/count", "2").status == 200)
    #expect(try old.patch("/count", "3").status == 503)
  }

  @Test func `an older model cannot start once a newer one has written, unless its state is imported`() async throws {
    try state.open().close()
    let new = try Service(initial: NotedTally(), store: state.driver, listeningOn: ["127.0.0.1:0"])
    let running = Task { try await new.run(handlesSignals: false) }
    try await new.store.commit { $0.note = "x" }
    let error = try #require(throws: StoreDriverError.self) { try state.open() }
    #expect(error.kind == .misfit)
    #expect(error.description.contains("start that version"))
    #expect(try state.driver.replaceState(of: ModelDefinition<Tally>()) { _ in Tally(count: 7) } == 2)
    // The servers of the newer model serve what they have, and cannot start again.
    await #expect(throws: CommitError.self) { try await new.store.commit { $0.note = "y" } }
    #expect(new.store.snapshot.root.note == "x")
    new.stop()
    try await running.value
    let old = try state.open()
    defer { old.close() }
    #expect(old.store.snapshot.root.count == 7)
    try await old.store.commit { $0.count = 8 }
    #expect {
      try Service(initial: NotedTally(), store: state.driver, listeningOn: ["127.0.0.1:0"])
    } throws: { error in
      if case .store(let error)? = error as? ServiceError { error.kind == .misfit } else { false }
    }
  }

  @Test func `a snapshot of a model that has not written yet does not count`() throws {
    let a = try state.storage()
    try a.declareLayout("old")
    try a.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "old")
    try a.append([Revision(number: 1, at: 1, patch: Array("[]".utf8), undo: Array("[]".utf8), shown: nil)])
    let b = try state.storage()
    try b.declareLayout("new")
    #expect(try !b.leadsMaintenance())
    try b.finish(piece: [2], number: 0, ofSnapshotAt: 1, layout: "new")
    #expect(try b.snapshot()?.content == [1])
    try b.append([Revision(number: 2, at: 1, patch: Array("[]".utf8), undo: Array("[]".utf8), shown: nil)])
    #expect(try b.leadsMaintenance())
    try b.finish(piece: [2], number: 0, ofSnapshotAt: 2, layout: "new")
    #expect(try b.snapshot()?.content == [2])
    #expect(throws: PostgreSQLStorage.otherLayout) { try a.checkHead() }
  }
}
