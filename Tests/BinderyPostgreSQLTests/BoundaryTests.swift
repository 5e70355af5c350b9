import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// The connection of a server breaks at messages of the protocol, for each statement that its journal sends while it
/// runs: before the statement, within it, before its answer and after it. `make replicas` breaks it at each message.
///
/// Whatever breaks, each acknowledged write is stored once, no refused one is stored, and the server works again.
struct BoundaryTests {
  /// A server behind a proxy, and clients that append different values to a list.
  private final class Rig {
    let proxy: MessageProxy
    let service: Service<Tally>
    let other: OpenStore<Tally>
    private let thread: Thread
    private let client: SocketClient
    private var count = 0
    private(set) var acknowledged: [String] = []

    init(_ state: SharedState) throws {
      // Both are asked for before the start of the session.
      let url: String
      (proxy, url) = try state.messageProxy()
      var configuration = ServiceConfiguration<Tally>()
      configuration.eventLoops = 1
      let service = try Service(
        initial: Tally(), store: PostgreSQLStore(url, document: state.document, timeouts: .patient),
        listeningOn: ["127.0.0.1:0"],
        configuration: configuration)
      self.service = service
      other = try state.open()
      client = try SocketClient(service.addresses[0])
      thread = try Thread { try? service.runBlocking() }
    }

    func stop() {
      service.stop()
      thread.join()
      proxy.stop()
      other.close()
    }

    /// Appends a value, and repeats the request until its outcome is known and it is stored.
    ///
    /// - Returns: All replies.
    @discardableResult
    func append() throws -> [Reply] {
      count += 1
      let value = "\(count)"
      let request = Request(
        "PATCH", "/state/names",
        fields: [("Content-Type", "application/json-patch+json"), ("Idempotency-Key", "append-\(value)")],
        body: Array(#"[{"op": "add", "path": "/-", "value": "\#(value)"}]"#.utf8))
      var replies = [try client.send(request)]
      while replies.last?.status == 503 { replies.append(try client.send(request)) }
      #expect(replies.last?.status == 200, "\(replies)")
      acknowledged.append(value)
      return replies
    }

    /// The values that are stored.
    func stored() async throws -> [String] {
      // Confirms that this server has the newest state.
      let tag = try await other.store.commit { _ in }
      #expect(!tag.isChanged)
      return other.store.snapshot.root.names
    }
  }

  /// Breaks the connection at each message of a statement, and appends a value each time.
  ///
  /// - Parameters:
  ///   - first: Where the connection breaks before, for statements that follow a failure.
  ///   - prepare: Called before each break.
  private func check(
    _ statement: String, after first: MessageProxy.Cut? = nil, prepare: (Rig) async throws -> Void = { _ in }
  ) async throws {
    let rig = try Rig(SharedState())
    defer { rig.stop() }
    for cut in MessageProxy.Cut.places(at: statement) {
      rig.proxy.cut([first, cut].compactMap(\.self))
      try await prepare(rig)
      try rig.append()
      // Statements of the background follow by themselves.
      try await waitUntil { [proxy = rig.proxy] in proxy.remaining == 0 }
      try rig.append()
      #expect(try await rig.stored() == rig.acknowledged, "\(cut)")
    }
  }

  /// The answer of an append is lost.
  private static let lostAnswer = MessageProxy.Cut(
    statement: "SELECT bindery.append", direction: .toClient, message: 0, isWithin: false)

  @Test func `a write whose outcome is unknown can be repeated with its idempotency key`() async throws {
    let rig = try Rig(SharedState())
    defer { rig.stop() }
    try rig.append()
    rig.proxy.cut([
      Self.lostAnswer,
      MessageProxy.Cut(statement: "SET token = token + 1", direction: .toServer, message: 0, isWithin: false),
    ])
    let replies = try rig.append()
    let unknown = try #require(replies.first)
    #expect(unknown.outcome == "503 unknown-outcome")
    // Other servers use the same revisions.
    #expect(unknown.revision == nil)
    #expect(unknown.string("detail")?.contains("Idempotency-Key can be sent again") == true)
    let repeated = try #require(replies.last)
    #expect(repeated["Idempotency-Replayed"] == "?1")
    #expect(repeated.revision == 2)
    #expect(try await rig.stored() == rig.acknowledged)
  }

  @Test func `an append`() async throws { try await check("SELECT bindery.append") }

  @Test func `a check of the head`() async throws { try await check("SELECT * FROM bindery.read_head") }

  @Test func `the verdict about an append whose answer was lost`() async throws {
    try await check("SET token = token + 1", after: Self.lostAnswer)
  }

  @Test func `the search for an append whose answer was lost`() async throws {
    try await check("SELECT batch.chain", after: Self.lostAnswer)
  }

  @Test(arguments: [
    "current_setting('fsync')", "BEGIN", "tablename = 'replica'", "INSERT INTO bindery.replica",
    "DELETE FROM bindery.replica", "COMMIT",
  ])
  func `the statements of a new connection`(_ statement: String) async throws {
    try await check(statement, after: Self.lostAnswer)
  }

  // MARK: A storage alone

  private func revision(_ number: Int) -> Revision {
    Revision(number: number, at: 1, patch: Array("[\(number)]".utf8), undo: Array("[]".utf8), shown: nil)
  }

  /// Breaks the connection of a storage at each message of a statement.
  ///
  /// - Parameter operation: Sends the statement, with the next revision to append. Returns whether it appends it.
  private func checkStorage(
    _ statement: String, _ operation: (PostgreSQLStorage, Int) throws(StorageFailure) -> Bool
  ) throws {
    let state = try SharedState()
    let (proxy, url) = try state.messageProxy()
    defer { proxy.stop() }
    let storage = try SharedState(url: url, document: state.document).storage()
    try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
    let (other, reader) = (try state.storage(), try state.storage())
    var last = 1
    try storage.append([revision(last)])
    for cut in MessageProxy.Cut.places(at: statement) {
      proxy.cut([cut])
      var isKept: Bool?
      do throws(StorageFailure) {
        isKept = try operation(storage, last + 1)
      } catch .unknown {
        // As the journal does.
        storage.unlockHead()
        while isKept == nil { isKept = (try? storage.reopen()).map { $0 > last } }
      } catch {
        storage.unlockHead()
        isKept = false
      }
      try #require(proxy.remaining == 0, "\(cut): the statement was not sent")
      if isKept == true { last += 1 }
      // The lock has ended, and the other server sees what is stored.
      try reader.adoptHistory()
      var found = 0
      #expect(reader.forEachPatch(after: 0) { number, _ in found = number } == nil)
      #expect(found == last, "\(cut)")
      _ = try? other.checkHead()
      last += 1
      try other.append([revision(last)])
      while true {
        guard case .advanced? = try? storage.checkHead() else { continue }
        break
      }
    }
  }

  @Test func `reading more batches of other servers than a check of the head reads`() throws {
    let state = try SharedState()
    let (proxy, url) = try state.messageProxy()
    defer { proxy.stop() }
    let storage = try SharedState(url: url, document: state.document).storage()
    try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
    let other = try state.storage()
    var last = 0
    for cut in MessageProxy.Cut.places(at: "LEFT JOIN bindery.keyed") {
      let first = last + 1
      for number in first...first + 16 { try other.append([revision(number)]) }
      last = first + 16
      proxy.cut([cut])
      var found: [Int] = []
      while found.isEmpty {
        if case .advanced(let batches)? = try? storage.checkHead() {
          found = batches.flatMap(\.revisions).map(\.number)
        }
      }
      #expect(proxy.remaining == 0, "\(cut): the statement was not sent")
      #expect(found == Array(first...last), "\(cut)")
    }
  }

  /// Appends under the lock of the head, as servers that append at the same time.
  private func appendLocked(_ storage: PostgreSQLStorage, _ number: Int) throws(StorageFailure) -> Bool {
    _ = try storage.lockHead()
    try storage.append([revision(number)])
    return true
  }

  @Test(arguments: ["BEGIN", "SELECT * FROM bindery.read_head", "SELECT bindery.append", "COMMIT"])
  func `an append under the lock of the head`(_ statement: String) throws {
    try checkStorage(statement) { storage, number throws(StorageFailure) in try appendLocked(storage, number) }
  }

  @Test func `giving up the lock of the head`() throws {
    try checkStorage("ROLLBACK") { storage, _ throws(StorageFailure) in
      _ = try storage.lockHead()
      storage.unlockHead()
      return false
    }
  }

  @Test(arguments: ["INSERT INTO bindery.piece", "INSERT INTO bindery.snapshot"])
  func `writing a snapshot`(_ statement: String) throws {
    try checkStorage(statement) { storage, number throws(StorageFailure) in
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: number - 1, layout: "x")
      return false
    }
  }

  @Test(arguments: [
    "INSERT INTO bindery.lease", "DELETE FROM bindery.batch", "DELETE FROM bindery.piece",
    "DELETE FROM bindery.snapshot", "DELETE FROM bindery.keyed", "DELETE FROM bindery.session_end",
    "SELECT coalesce(max(start",
  ])
  func `the statements of maintenance`(_ statement: String) throws {
    try checkStorage(statement) { storage, _ throws(StorageFailure) in
      _ = try storage.leadsMaintenance()
      _ = try storage.removeExpired(Retention(), atMost: JournalStep.bytes)
      _ = try storage.historySize()
      return false
    }
  }

  @Test(arguments: ["INSERT INTO bindery.session_end", "UPDATE bindery.replica"])
  func `the end of a session, and the check whether writes would succeed`(_ statement: String) throws {
    try checkStorage(statement) { storage, number throws(StorageFailure) in
      try storage.end([EndedSession(id: Array("\(number)".utf8), expires: 1)])
      _ = try storage.probe()
      return false
    }
  }
}

extension SharedState {
  /// Starts a proxy in front of the database that breaks connections at messages.
  ///
  /// - Returns: The proxy and the URL of the database behind it.
  func messageProxy() throws -> (MessageProxy, url: String) {
    let port = Int(url.split(separator: ":")[2].prefix { $0.isNumber }) ?? 0
    let proxy = try MessageProxy(toPort: port)
    return (proxy, url.replacing(":\(port)/", with: ":\(proxy.port)/") + "?sslmode=disable&gssencmode=disable")
  }
}
