import BinderyCore
import BinderyPostgreSQL
import BinderyService
import BinderySystem
import BinderyTestKit
import Synchronization
import Testing

/// One of several servers of the tally.
typealias Replica = ModelReplica<Tally>

/// One of several servers of a state, over HTTP, with a proxy between it and the database.
final class ModelReplica<Root: StateModel> {
  let proxy: FaultyProxy
  let service: Service<Root>
  let client: SocketClient
  /// What the server has logged.
  let log = LogLines()
  private let thread: Thread

  init(
    _ state: SharedState, _ initial: Root, access: AccessPolicy = .local, timeouts: DatabaseTimeouts = .patient
  ) throws {
    let url: String
    (proxy, url) = try state.proxy()
    var configuration = ServiceConfiguration<Root>()
    configuration.eventLoops = 1
    configuration.log = { [log] level, message, _ in log.add(level, message) }
    let service = try Service(
      initial: initial, store: PostgreSQLStore(url, document: state.document, timeouts: timeouts),
      listeningOn: ["127.0.0.1:0"], access: access, configuration: configuration)
    self.service = service
    client = try SocketClient(service.addresses[0])
    thread = try Thread { try? service.runBlocking() }
  }

  var store: Store<Root> { service.store }
  var address: String { service.addresses[0] }

  /// Stops the server.
  func stop() {
    service.stop()
    thread.join()
    proxy.stop()
  }

  func get(_ path: String, _ fields: KeyValuePairs<String, String> = [:]) throws -> Reply {
    try client.send(Self.read(path, fields))
  }

  func patch(_ path: String, _ json: String, _ fields: KeyValuePairs<String, String> = [:]) throws -> Reply {
    try client.send(
      Request("PATCH", "/state\(path)", fields: fields.map { (name: $0.key, value: $0.value) }, body: Array(json.utf8)))
  }

  static func read(_ path: String, _ fields: KeyValuePairs<String, String> = [:]) -> Request {
    Request("GET", "/state\(path)", fields: fields.map { (name: $0.key, value: $0.value) })
  }

  /// Asks whether the server is ready.
  func readiness() throws -> Reply { try send("GET", "/readyz") }

  /// Sends a request without a body.
  func send(_ method: String, _ target: String, _ fields: KeyValuePairs<String, String> = [:]) throws -> Reply {
    try client.send(Request(method, target, fields: fields.map { (name: $0.key, value: $0.value) }))
  }

  /// Returns the value of a metric without labels.
  func metric(_ name: String) throws -> Double? {
    let line = try send("GET", "/metrics").text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line.flatMap { Double($0.dropFirst(name.count + 1)) }
  }
}

extension ModelReplica<Tally> {
  convenience init(
    _ state: SharedState, access: AccessPolicy = .local, timeouts: DatabaseTimeouts = .patient
  ) throws {
    try self.init(state, Tally(), access: access, timeouts: timeouts)
  }
}

/// What a server has logged about its failures.
final class LogLines: Sendable {
  private let list = Mutex<[(level: LogSeverity, message: String)]>([])

  func add(_ level: LogSeverity, _ message: String) { list.withLock { $0.append((level, message)) } }

  /// Waits for the message that writes fail, and checks that it is the only one.
  func expectFailure() throws { try expect([.error]) }

  /// Waits for the message that writes succeed again, and checks that there is one about the failure before.
  func expectEndOfFailure() throws { try expect([.error, .info]) }

  private func expect(_ levels: [LogSeverity]) throws {
    // A failure is visible to clients before it is logged.
    try waitUntil { ofFailures.count >= levels.count }
    #expect(ofFailures.map(\.level) == levels, "\(ofFailures)")
  }

  /// The messages about writes that fail or succeed again, each with its level.
  var ofFailures: [(level: LogSeverity, message: String)] {
    list.withLock { lines in lines.filter { $0.level == .error || $0.message.hasSuffix(": writes succeed again") } }
  }
}

extension DatabaseTimeouts {
  /// Times for tests that are not about time: many tests use the database at once, on a machine that may be busy.
  static var patient: DatabaseTimeouts {
    var timeouts = DatabaseTimeouts()
    (timeouts.connection, timeouts.answer, timeouts.lockWait) = (60_000, 60_000, 50_000)
    (timeouts.patience, timeouts.silence) = (60_000, 60_000)
    return timeouts
  }

  /// Times after which a server that has lost the database gives up at once.
  static var short: DatabaseTimeouts {
    var timeouts = patient
    (timeouts.connection, timeouts.patience, timeouts.silence) = (2_000, 1, 0)
    return timeouts
  }
}

extension SharedState {
  /// Starts a proxy in front of the database.
  ///
  /// - Returns: The proxy and the URL of the database behind it.
  func proxy(replacing replacement: FaultyProxy.Replacement? = nil) throws -> (FaultyProxy, url: String) {
    let port = Int(url.split(separator: ":")[2].prefix { $0.isNumber }) ?? 0
    let proxy = try FaultyProxy(toPort: port, replacing: replacement)
    return (proxy, url.replacing(":\(port)/", with: ":\(proxy.port)/"))
  }
}

extension Reply {
  /// The fields with which a client says what it has seen.
  var seen: KeyValuePairs<String, String> {
    ["State-Revision": self["State-Revision"] ?? "", "State-History": self["State-History"] ?? ""]
  }
}
