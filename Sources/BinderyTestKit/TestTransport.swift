package import BinderyCore

/// The transport between a test's client and the service. The same test runs with each of them.
package enum TestTransport: String, CaseIterable, Sendable {
  /// Request parser and responder in memory, without sockets.
  case memory
  /// The complete server over a raw socket.
  case socket
  /// The complete server through libcurl.
  case curl

  /// Runs a service of a state while `body` sends requests with a client.
  package func serve<Root: StateModel>(_ root: Root, _ body: (any Client, Store<Root>) throws -> Void) throws {
    guard self != .memory else {
      let store = Store(root)
      return try body(MemoryClient(store), store)
    }
    let live = try LiveService(root)
    defer { live.stop() }
    try body(self == .socket ? SocketClient(live.address) : CurlClient(live.address), live.store)
  }
}
