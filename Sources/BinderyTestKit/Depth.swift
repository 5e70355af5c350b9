package import BinderyCore

/// How much of the service lies between a test and the state: the same scenario runs at each.
package enum Depth: String, CaseIterable, Sendable {
  /// Parser and responder, without sockets.
  case memory
  /// The whole server, over a raw socket.
  case socket
  /// The whole server, through libcurl.
  case curl

  /// Serves a state while `body` asks.
  package func serve<Root: Model>(_ root: Root, _ body: (any Client, Store<Root>) throws -> Void) throws {
    guard self != .memory else {
      let store = Store(root)
      return try body(MemoryClient(store), store)
    }
    let live = try LiveService(root)
    defer { live.stop() }
    try body(self == .socket ? SocketClient(live.address) : CurlClient(live.address), live.store)
  }
}
