import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderyTelemetry
import BinderyTestKit
import Synchronization
import Testing

/// A model with a number and a list.
struct Tally: StateModel, Equatable {
  var count = 0
  var names: [String] = []

  static let shape = EditableShape<Tally>.members(
    Tally.init(count:names:), StoredMember("count", \.count), StoredMember("names", \.names))
}

/// The tally of a later version of the program, which has one more member.
struct NotedTally: StateModel {
  var count = 0
  var names: [String] = []
  var note = ""

  static let shape = EditableShape<NotedTally>.members(
    NotedTally.init(count:names:note:), StoredMember("count", \.count), StoredMember("names", \.names),
    StoredMember("note", \.note, default: ""))
}

/// The tally of a later version of the program, which has one member less.
struct Counter: StateModel {
  var count = 0

  static let shape = EditableShape<Counter>.members(Counter.init(count:), StoredMember("count", \.count))
}

/// A state in the database of the shared server that several servers of this process serve.
struct SharedState {
  let url: String
  let document: String

  init(url: String? = nil, document: String = PostgreSQLServer.newDocument()) throws {
    self.url = try url ?? PostgreSQLServer.shared().url
    self.document = document
  }

  /// Creates a state in a database that no other test uses.
  static func inOwnDatabase() throws -> SharedState {
    let shared = try SharedState()
    let name = "test_" + shared.document.replacing("-", with: "_").lowercased()
    try shared.storage().run(test: "CREATE DATABASE \(name)")
    let server = try #require(shared.url.lastIndex(of: "/"))
    let state = try SharedState(url: shared.url[...server] + name)
    // Creates the tables, for servers that wait less long.
    try state.storage().close()
    return state
  }

  /// A storage of a further server.
  func storage(_ access: PostgreSQLStorage.Access = .writing) throws -> PostgreSQLStorage {
    try PostgreSQLStorage(PostgreSQLAddress(url), document: document, access, timeouts: .patient)
  }

  var driver: PostgreSQLStore { PostgreSQLStore(url, document: document, timeouts: .patient) }

  /// Opens the state for a further server.
  func open() throws -> OpenStore<Tally> { try driver.open(Self.opening) }

  /// A request to open the state.
  static var opening: StoreOpening<Tally> {
    let model = ModelDefinition<Tally>()
    return StoreOpening(model: model, options: []) { _ in
      StoreOpening.Plan(
        of: model, options: [:], retention: Retention(), logger: Logger(level: .error) { _, _, _ in },
        initial: { Tally() })
    }
  }
}

/// Sessions that a storage has reported.
final class Collected: Sendable {
  private let list = Mutex<[[UInt8]]>([])

  func add(_ sessions: [[UInt8]]) { list.withLock { $0 += sessions } }
  var sessions: [[UInt8]] { list.withLock { $0 } }
}
