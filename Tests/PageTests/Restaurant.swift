import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyMenu
import BinderyService
import BinderySystem
import Foundation

/// The menu with its page, served on the loopback; it can be stopped, and started again at the same address with the
/// same state.
final class Restaurant {
  let store: Store<Menu>
  private let key = DigestKey.random()
  private let access: AccessPolicy
  private var service: Service<Menu>
  private var thread: BinderySystem.Thread

  /// In the morning of a Saturday.
  init(_ access: AccessPolicy = .local) throws {
    self.access = access
    let today = Day(year: 2026, month: 11, day: 21)!
    store = Store(Menu(today: today, evening: Date(timeIntervalSince1970: 1_795_287_600)))
    (service, thread) = try Self.start(store, key, access, at: "127.0.0.1:0")
  }

  /// - Parameter streams: how many event streams it takes.
  private static func start(
    _ store: Store<Menu>, _ key: DigestKey, _ access: AccessPolicy, at address: String, streams: Int = 1_000
  ) throws -> (Service<Menu>, BinderySystem.Thread) {
    var limits = StreamLimits()
    limits.streams = streams
    // A stop and an overload ask browsers to stay away; not for as long as in real life.
    limits.laterRetryMilliseconds = 300...600
    var documents: [String: StaticDocument] = [:]
    for file in WebPage.files {
      documents[file.path] = StaticDocument(file.mediaType, policy: WebPage.contentSecurityPolicy, isForAll: true) {
        file.bytes
      }
    }
    let service = try Service(
      store, key: key, listeningOn: [address], eventLoops: 1, documents: documents, streamLimits: limits, access: access
    )
    return (service, try BinderySystem.Thread { try? service.run() })
  }

  /// Host and port.
  var authority: String { service.addresses[0] }

  var address: String { "http://\(authority)/" }

  func stop() {
    service.stop()
    thread.join()
  }

  func startAgain(streams: Int = 1_000) throws {
    (service, thread) = try Self.start(store, key, access, at: authority, streams: streams)
  }

  /// Takes all other tokens back.
  func replaceTokens(_ tokens: [String]) throws { try service.replaceTokens(tokens) }

  var menu: Menu { store.snapshot.root }

  func dish(_ id: String) -> Dish? { menu.dishes[id: UUID(uuidString: id)!] }

  /// Edits a dish beside all browsers.
  func edit(_ id: String, _ change: (inout Dish) -> Void) {
    store.post { $0.dishes.edit(id: UUID(uuidString: id)!, change) }
  }
}

/// The dishes of a new menu.
enum Dishes {
  static let carbonara = "b10de400-0000-8000-8000-000000000001"
  static let parmigiana = "b10de400-0000-8000-8000-000000000002"
  static let pannaCotta = "b10de400-0000-8000-8000-000000000003"
  static let caprese = "b10de400-0000-8000-8000-000000000004"

  /// The selector of a control of a dish, or of the dish itself.
  static func selector(_ id: String, _ control: String? = nil) -> String {
    "[data-id=\"\(id)\"]" + (control.map { " [data-control=\"\($0)\"]" } ?? "")
  }
}
