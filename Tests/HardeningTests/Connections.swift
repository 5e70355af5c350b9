import BinderySystem

/// Connections that a test keeps open.
final class Connections {
  /// A reference to a connection, because an array cannot contain a noncopyable socket.
  final class Client {
    let socket: ClientSocket
    init(_ socket: consuming ClientSocket) { self.socket = socket }
  }

  private(set) var all: [Client] = []

  func add(_ socket: consuming ClientSocket) { all.append(Client(socket)) }

  /// Closes all connections.
  func removeAll() { all = [] }
}
