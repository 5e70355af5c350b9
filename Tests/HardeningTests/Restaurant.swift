import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyMenu
import BinderyServer
import BinderySystem
import FoundationEssentials

/// The site that all attacks go to: the menu on a fixed day.
enum Restaurant {
  static let menu = Menu(
    today: Day(year: 2026, month: 11, day: 21)!, evening: Date(timeIntervalSince1970: 1_795_287_600))
  static let dish = "/state/dishes/b10de400-0000-8000-8000-000000000001"

  static func api(_ store: Store<Menu> = Store(menu)) -> StateAPI<Menu> {
    StateAPI(StateResource(store, key: .random()), documents: [:]) { .ready }
  }
}

/// The restaurant behind real sockets, on a thread of its own, with limits of the test's choice.
final class LiveRestaurant: Sendable {
  let store = Store(Restaurant.menu)
  private let server: Server
  private let thread: Thread

  init(limits: Limits = Limits(), loopCount: Int = 1) throws {
    let api = Restaurant.api(store)
    let configuration = ServerConfiguration(
      addresses: [.internet(host: "127.0.0.1", port: 0)], loopCount: loopCount, limits: limits)
    let server = try Server(configuration: configuration) { APIResponder(api, context: $0) }
    self.server = server
    thread = try Thread { try? server.run() }
  }

  var address: BinderySystem.SocketAddress { server.addresses[0] }

  func connect() throws -> ClientSocket { try ClientSocket(to: address) }

  /// All that the server sends until it closes, for these pieces, each sent by itself.
  func exchange(_ pieces: [ArraySlice<UInt8>], endWriting: Bool = false) throws -> [UInt8] {
    let client = try connect()
    // A server that refuses early may close before all is sent; what it said is there to be read.
    for piece in pieces { try? client.send(Array(piece)) }
    if endWriting { client.endWriting() }
    return try client.receiveAll()
  }

  func exchange(_ text: String, endWriting: Bool = false) throws -> [Reply] {
    try Replies.read(try exchange([Array(text.utf8)[...]], endWriting: endWriting))
  }

  /// Whether somebody who behaves is served now, as always.
  func servesOthers() throws -> Bool {
    let request = "GET \(Restaurant.dish)/name HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    return try exchange(request).map(\.status) == [200]
  }

  /// Stops the server and waits until it has ended.
  func stop() {
    server.stop()
    thread.join()
  }
}

extension ClientSocket {
  /// All bytes until the server ends; a reset is an end that the test will see by what is missing.
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

  /// All bytes until a text has come.
  borrowing func receive(until text: String) throws(Errno) -> [UInt8] {
    var all: [UInt8] = []
    while all.firstRange(of: Array(text.utf8)) == nil {
      let bytes = try receive()
      if bytes.isEmpty { break }
      all += bytes
    }
    return all
  }

  borrowing func send(_ text: String) throws(Errno) { try send(Array(text.utf8)) }
}
