package import BinderyTelemetry
import Synchronization

/// What the loops of a server count of their connections.
package final class ServerMetrics: Sendable {
  /// What one loop counts; only that loop writes.
  final class Loop: Sendable {
    let accepted = Counter()
    let closed = Counter()
    /// Dropped because the peer took nothing for too long.
    let stalled = Counter()
    /// How often accepting had to rest.
    let pauses = Counter()
  }

  /// Guards the list; held only to add a loop and to go through it.
  private let loops = Mutex<[Loop]>([])

  package init() {}

  /// What one more loop counts in.
  func loop() -> Loop {
    let loop = Loop()
    loops.withLock { $0.append(loop) }
    return loop
  }

  /// Tells what was counted.
  package func collect(into exposition: inout Exposition) {
    let loops = loops.withLock { $0 }
    let sum = { (count: (Loop) -> Int) in loops.reduce(0) { $0 + count($1) } }
    // Closed first: a connection that ends meanwhile is then still open, and never less than none are.
    let closed = sum(\.closed.value)
    let accepted = sum(\.accepted.value)
    exposition.single(
      "bindery_connections_accepted_total", .counter, "Connections that were accepted.", accepted)
    exposition.single("bindery_connections_open", .gauge, "Connections that are open.", accepted - closed)
    exposition.single(
      "bindery_connections_stalled_total", .counter,
      "Connections that were dropped because the peer took nothing for too long.", sum(\.stalled.value))
    exposition.single(
      "bindery_accept_pauses_total", .counter,
      "How often accepting rested because descriptors, or places for connections, had run out.", sum(\.pauses.value))
  }
}
