import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyMenu
import BinderyService
import BinderySystem
import Foundation

/// A server for the menu and its page on the loopback interface.
///
/// It can be stopped and restarted at the same address with the same state.
final class MenuServer {
  let store: Store<Menu>
  private let key = DigestKey.random()
  private let access: AccessPolicy
  private let basePath: BasePath
  private var service: Service<Menu>
  private var thread: BinderySystem.Thread

  /// Starts a server with a new menu on Saturday, 2026-11-21.
  ///
  /// - Parameter basePath: The base path of the service.
  init(_ access: AccessPolicy = .local, basePath: BasePath = .root) throws {
    self.access = access
    self.basePath = basePath
    let today = CalendarDay(year: 2026, month: 11, day: 21)!
    store = Store(Menu(today: today, evening: Date(timeIntervalSince1970: 1_795_287_600)))
    (service, thread) = try Self.start(store, key, access, basePath, at: "127.0.0.1:0")
  }

  /// Starts the service on a thread.
  ///
  /// - Parameters:
  ///   - streams: The maximum number of event streams.
  ///   - eventBytes: The maximum length of an event of several places.
  private static func start(
    _ store: Store<Menu>, _ key: DigestKey, _ access: AccessPolicy, _ basePath: BasePath,
    at address: String, streams: Int = 1_000,
    eventBytes: Int = StreamLimits().maximumSnapshotBytes
  ) throws -> (Service<Menu>, BinderySystem.Thread) {
    var limits = StreamLimits()
    limits.maximumStreams = streams
    limits.maximumSnapshotBytes = eventBytes
    // On shutdown and overload the server tells clients when to reconnect.
    limits.laterRetryMilliseconds = 1_000...1_000
    limits.stopRetryMilliseconds = 1_000...1_000
    var documents = ClientDocuments.byPath
    for file in WebPage.files {
      documents[file.path] = StaticDocument(file.mediaType, policy: file.contentSecurityPolicy, isPublic: true) {
        file.content
      }
    }
    let service = try Service(
      store, key: key, listeningOn: [address], eventLoops: 1, documents: documents,
      basePath: basePath, streamLimits: limits, access: access)
    return (service, try BinderySystem.Thread { try? service.runBlocking() })
  }

  /// The host and port.
  var authority: String { service.addresses[0] }

  var address: String { "http://\(authority)\(basePath.text)/" }

  /// Waits until a number of event streams is open.
  func waitForStreams(_ count: Double) throws { try service.waitForStreams(count) }

  func stop() {
    service.stop()
    thread.join()
  }

  func restart(streams: Int = 1_000, eventBytes: Int = StreamLimits().maximumSnapshotBytes) throws {
    (service, thread) = try Self.start(
      store, key, access, basePath, at: authority, streams: streams, eventBytes: eventBytes)
  }

  /// Replaces all tokens.
  func replaceTokens(_ tokens: [String]) throws { try service.replaceTokens(tokens) }

  var menu: Menu { store.snapshot.root }

  /// Waits until the state fulfills a condition. The page shows a write before the server has it.
  func wait(until condition: (Menu) -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(40)
    while !condition(menu) {
      guard ContinuousClock.now < deadline else { throw Window.TimeoutError(description: "timeout: \(menu)") }
      BinderySystem.Thread.sleep(milliseconds: 5)
    }
  }

  /// Edits a dish directly in the store, like another client.
  func edit(_ id: String, _ change: (inout Dish) -> Void) {
    store.post { $0.dishes.edit(id: UUID(uuidString: id)!, change) }
  }
}

extension Menu {
  func dish(_ id: String) -> Dish? { dishes[id: UUID(uuidString: id)!] }
}

/// The ids of the dishes of a new menu.
enum Dishes {
  static let carbonara = "b10de400-0000-8000-8000-000000000001"
  static let parmigiana = "b10de400-0000-8000-8000-000000000002"
  static let pannaCotta = "b10de400-0000-8000-8000-000000000003"
  static let caprese = "b10de400-0000-8000-8000-000000000004"

  /// Returns the CSS selector of a dish, or of one of its controls.
  static func selector(_ id: String, _ control: String? = nil) -> String {
    "[data-id=\"\(id)\"]" + (control.map { " [data-control=\"\($0)\"]" } ?? "")
  }
}
