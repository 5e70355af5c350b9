import BinderyAPI
package import BinderyCore
package import BinderyDigest

/// A client that passes bytes directly to the request parser and responder, without sockets, on the caller's thread.
package final class MemoryClient<Root: Sendable>: Client {
  /// The reason why a request failed.
  package enum Failure: Error {
    case noResponse(String)
  }

  package let origin = "http://memory"
  private var connection: MemoryConnection<Root>
  private var reader = ReplyReader()

  /// Creates a client of a new service of a store.
  package init(_ store: Store<Root>, key: DigestKey = .random()) {
    let state = StateResource(store, key: key, processorTime: { 0 })
    connection = MemoryConnection(
      StateAPI(state, documents: [:], accessControl: AccessControl(clock: { 0 })) { .none })
  }

  package func send(_ request: Request) throws -> Reply {
    if connection.isClosed { connection.reopen() }
    connection.receive(request.bytes(host: "memory")[...])
    reader.append(connection.takeResponseBytes())
    let reply = try reader.next(isHead: request.method == "HEAD")
    guard let reply else { throw Failure.noResponse("\(request)") }
    return reply
  }
}
