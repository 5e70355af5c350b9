import BinderySystem

/// Connections that a test keeps open until it lets them go.
final class Connections {
  /// One of them: a reference, because a socket cannot stand in an array.
  final class Held {
    let socket: ClientSocket
    init(_ socket: consuming ClientSocket) { self.socket = socket }
  }

  private(set) var all: [Held] = []

  func add(_ socket: consuming ClientSocket) { all.append(Held(socket)) }

  /// Closes them all.
  func removeAll() { all = [] }
}
