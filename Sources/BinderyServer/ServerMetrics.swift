package import BinderyTelemetry
import Synchronization

/// The connection metrics of a server.
package final class ServerMetrics: Sendable {
  /// The counters of one event loop. Only that loop writes them.
  final class Loop: Sendable {
    let accepted = Counter()
    let closed = Counter()
    /// Connections dropped because the peer received too little, or because memory had to be freed.
    let stalled = Counter()
    /// The number of pauses in accepting connections.
    let pauses = Counter()
  }

  /// Guards the list. Held only to add a loop and to copy the list.
  private let loops = Mutex<[Loop]>([])

  package init() {}

  /// Creates the counters of another loop.
  func loop() -> Loop {
    let loop = Loop()
    loops.withLock { $0.append(loop) }
    return loop
  }

  /// Writes the metrics.
  package func collect(into exposition: inout Exposition) {
    let loops = loops.withLock { $0 }
    let sum = { (count: (Loop) -> Int) in loops.reduce(0) { $0 + count($1) } }
    // `closed` is read before `accepted`: a connection that closes in between still counts as open. In the other order
    // the number of open connections could be negative.
    let closed = sum(\.closed.value)
    let accepted = sum(\.accepted.value)
    exposition.single(
      "bindery_connections_accepted_total", .counter, "Accepted connections.", accepted)
    exposition.single("bindery_connections_open", .gauge, "Open connections.", accepted - closed)
    exposition.single(
      "bindery_connections_stalled_total", .counter,
      "Connections dropped because the client read too little.", sum(\.stalled.value))
    exposition.single(
      "bindery_accept_pauses_total", .counter,
      "Pauses in accepting because the limit of file descriptors or connections was reached.", sum(\.pauses.value))
  }
}
