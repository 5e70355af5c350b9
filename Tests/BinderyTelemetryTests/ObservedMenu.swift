import BinderyCore
import BinderyDigest
import BinderyMenu
import BinderyService
import BinderySystem
import BinderyTelemetry
import BinderyTestKit
import FoundationEssentials

/// A menu served over a socket, with metrics and an access log.
final class ObservedMenu {
  static let dishes = (1...4).map { "b10de400-0000-8000-8000-00000000000\($0)" }
  static let menu = Menu(
    today: CalendarDay(year: 2026, month: 11, day: 21)!, evening: Date(timeIntervalSince1970: 1_795_287_600))

  let store: Store<Menu>
  let lines = LogRecorder()
  private let service: Service<Menu>
  private let thread: BinderySystem.Thread

  init(
    _ store: Store<Menu> = Store(ObservedMenu.menu), eventLoops: Int = 1, accessLog format: LogFormat? = nil,
    metrics: [@Sendable (inout Exposition) -> Void] = []
  ) throws {
    let service = try Service(
      store, key: .random(), listeningOn: ["127.0.0.1:0"], eventLoops: eventLoops, documents: [:],
      metrics: metrics, accessLog: format.map { [lines] in lines.logger($0) })
    self.store = store
    self.service = service
    thread = try BinderySystem.Thread { try? service.runBlocking() }
  }

  var address: String { service.addresses[0] }

  func client() throws -> SocketClient { try SocketClient(address) }

  func scrape() throws -> Scrape {
    let reply = try client().get("/metrics")
    return try Scrape(reply.text)
  }

  /// Sends raw bytes, and returns everything that the server sends until it closes the connection.
  func exchange(_ bytes: [UInt8]) throws -> String {
    let socket = try ClientSocket(to: SocketAddress(address)!)
    try socket.send(bytes)
    socket.endWriting()
    var response: [UInt8] = []
    while true {
      let bytes = try socket.receive()
      if bytes.isEmpty { return String(decoding: response, as: UTF8.self) }
      response += bytes
    }
  }

  func stop() {
    service.stop()
    thread.join()
  }
}
