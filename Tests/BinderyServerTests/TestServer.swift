import BinderyHTTP
import BinderyServer
import BinderySystem
import BinderyTestKit

/// A server with an `EchoResponder` on a free loopback port, running on its own thread.
final class TestServer: Sendable {
  let server: Server
  let log = EchoResponder.Log()
  private let thread: Thread

  init(limits: Limits = Limits(), loopCount: Int = 1, host: String = "127.0.0.1") throws {
    let log = log
    let configuration = ServerConfiguration(
      addresses: [.internet(host: host, port: 0)], loopCount: loopCount, limits: limits)
    let server = try Server(configuration: configuration) { EchoResponder(context: $0, log: log) }
    self.server = server
    thread = try Thread { try? server.run() }
  }

  /// Stops the server and waits until it has stopped.
  func stop() {
    server.stop()
    thread.join()
  }

  func connect() throws -> ClientSocket { try ClientSocket(to: server.addresses[0]) }

  /// Sends bytes and returns everything that the server sends until it closes the connection.
  func exchange(_ request: String, endWriting: Bool = false) throws -> String {
    let client = try connect()
    try client.send(Array(request.utf8))
    if endWriting { client.endWriting() }
    return try client.receiveAll()
  }

  /// Waits until the log contains an event `count` times.
  func wait(for event: String, count: Int = 1) throws {
    try waitUntil { log.all.count(where: { $0 == event }) >= count }
  }
}

extension ClientSocket {
  /// Receives all bytes until the server closes the connection.
  borrowing func receiveAll() throws -> String {
    var all: [UInt8] = []
    while true {
      let bytes = try receive()
      if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
      all += bytes
    }
  }

  /// Receives bytes until they end in a text.
  ///
  /// - Throws: `.connectionReset` also if the server closes the connection before.
  borrowing func receive(until end: String) throws -> String {
    var all: [UInt8] = []
    while !all.suffix(end.utf8.count).elementsEqual(end.utf8) {
      let bytes = try receive()
      if bytes.isEmpty { throw Errno.connectionReset }
      all += bytes
    }
    return String(decoding: all, as: UTF8.self)
  }

  borrowing func send(_ text: String) throws { try send(Array(text.utf8)) }
}
