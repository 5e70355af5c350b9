import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderyTelemetry
import BinderyTestKit

/// A model with a number and a list.
struct Tally: StateModel {
  var count = 0
  var names: [String] = []

  static let shape = EditableShape<Tally>.members(
    Tally.init(count:names:), StoredMember("count", \.count), StoredMember("names", \.names))
}

/// A state in the database of the shared server that several servers of this process serve.
struct SharedState {
  let url: String
  let document: String

  init(url: String? = nil) throws {
    self.url = try url ?? PostgreSQLServer.shared().url
    document = PostgreSQLServer.newDocument()
  }

  /// A storage of a further server.
  func storage() throws -> PostgreSQLStorage { try PostgreSQLStorage(PostgreSQLAddress(url), document: document) }

  var driver: PostgreSQLStore { PostgreSQLStore(url, document: document) }

  /// Opens the state for a further server.
  func open() throws -> OpenStore<Tally> {
    let model = ModelDefinition<Tally>()
    return try driver.open(
      StoreOpening(model: model, options: []) { _ in
        StoreOpening.Plan(
          of: model, options: [:], retention: Retention(), logger: Logger(level: .error) { _, _, _ in },
          initial: { Tally() })
      })
  }
}
