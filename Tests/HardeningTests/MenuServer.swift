import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyMenu
import BinderyServer
import BinderySystem
import BinderyTestKit
import FoundationEssentials

/// The state that all attacks are sent to: the menu of a fixed day.
enum TestMenu {
  static let menu = Menu(
    today: CalendarDay(year: 2026, month: 11, day: 21)!, evening: Date(timeIntervalSince1970: 1_795_287_600))
  static let dish = "/state/dishes/b10de400-0000-8000-8000-000000000001"

  static func api(
    _ store: Store<Menu> = Store(menu), _ accessControl: AccessControl = AccessControl(clock: { 0 })
  ) -> StateAPI<Menu> {
    StateAPI(StateResource(store, key: .random(), processorTime: { 0 }), documents: [:], accessControl: accessControl) {
      .none
    }
  }
}

/// A server for the test menu on real sockets, running on its own thread.
final class MenuServer: Sendable {
  let store = Store(TestMenu.menu)
  private let server: Server
  private let thread: Thread

  init(limits: Limits = Limits(), loopCount: Int = 1, accessControl: AccessControl = AccessControl(clock: { 0 })) throws
  {
    let api = TestMenu.api(store, accessControl)
    let configuration = ServerConfiguration(
      addresses: [.internet(host: "127.0.0.1", port: 0)], loopCount: loopCount, limits: limits)
    let server = try Server(configuration: configuration) { APIResponder(api, context: $0) }
    self.server = server
    thread = try Thread { try? server.run() }
  }

  var address: BinderySystem.SocketAddress { server.addresses[0] }

  func connect() throws -> ClientSocket { try ClientSocket(to: address) }

  /// Sends pieces one by one and returns everything that the server sends until it closes the connection.
  func exchange(_ pieces: [ArraySlice<UInt8>], endWriting: Bool = false) throws -> [UInt8] {
    let client = try connect()
    // A server that rejects a request early may close before everything is sent. Its response can still be read.
    for piece in pieces { try? client.send(Array(piece)) }
    if endWriting { client.endWriting() }
    return try client.receiveAll()
  }

  /// Sends a text and returns the responses.
  func exchange(_ text: String, endWriting: Bool = false) throws -> [Reply] {
    try Replies.read(try exchange([Array(text.utf8)[...]], endWriting: endWriting))
  }

  /// The bytes of incomplete requests and unsent responses.
  var bufferedByteCount: Int { server.bufferedByteCount }

  /// Waits until the server has received a number of bytes of incomplete requests.
  func waitForBufferedBytes(_ count: Int) throws {
    try waitUntil { server.bufferedByteCount >= count }
  }

  /// Returns whether a valid request on a new connection is served.
  func servesOthers() throws -> Bool {
    let request = "GET \(TestMenu.dish)/name HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    return try exchange(request).map(\.status) == [200]
  }

  /// Stops the server and waits until it has stopped.
  func stop() {
    server.stop()
    thread.join()
  }
}

extension ClientSocket {
  /// Receives all bytes until the server closes the connection. A reset counts as the end: tests notice missing bytes.
  borrowing func receiveAll() throws(Errno) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      do throws(Errno) {
        let bytes = try receive()
        if bytes.isEmpty { return all }
        all += bytes
      } catch .connectionReset {
        return all
      }
    }
  }

  /// Receives bytes until they contain a text.
  ///
  /// - Throws: `.connectionReset` also if the server closes the connection before.
  borrowing func receive(until text: String) throws(Errno) -> [UInt8] {
    var all: [UInt8] = []
    while all.firstRange(of: Array(text.utf8)) == nil {
      let bytes = try receive()
      if bytes.isEmpty { throw .connectionReset }
      all += bytes
    }
    return all
  }

  borrowing func send(_ text: String) throws(Errno) { try send(Array(text.utf8)) }
}
