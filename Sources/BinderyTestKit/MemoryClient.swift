import BinderyAPI
package import BinderyCore
package import BinderyDigest
import BinderyHTTP
import Synchronization

/// A client that passes bytes directly to the request parser and responder, without sockets, on the caller's thread.
package final class MemoryClient<Root: Sendable>: Client {
  /// The reason why a request failed.
  package enum Failure: Error {
    case noResponse(String)
  }

  package let origin = "http://memory"
  private let limits = Limits()
  private let context: LoopContext
  private let responder: APIResponder<Root>
  /// Its cache of request heads is so small that tests evict entries.
  private var buffer = RequestBuffer(capacity: 512)
  private var machine = ConnectionMachine(now: 0, limits: Limits(), generation: 0)
  private var output = ResponseWriter()
  private var reader = ReplyReader()

  /// Creates a client of a new service of a store.
  package init(_ store: Store<Root>, key: DigestKey = .random()) {
    let handle = LoopHandle(signal: {})
    context = LoopContext(index: 0, handle: handle, nowMilliseconds: 0)
    let api = StateAPI(StateResource(store, key: key), documents: [:]) { .none }
    responder = APIResponder(api, context: context)
  }

  package func send(_ request: Request) throws -> Reply {
    var rest = request.bytes(host: "memory")[...]
    while !rest.isEmpty {
      _ = buffer.fill { bytes, start in
        let chunk = rest.prefix(bytes.count - start)
        for (offset, byte) in chunk.enumerated() { bytes[start + offset] = byte }
        rest = rest.dropFirst(chunk.count)
        return chunk.count
      }
      if serve() { break }
    }
    reader.append(output.takeBytes())
    let reply = try reader.next(isHead: request.method == "HEAD")
    guard let reply else { throw Failure.noResponse("\(request)") }
    return reply
  }

  /// Processes the buffered bytes.
  ///
  /// - Returns: True if the connection was closed. The next request opens another one.
  private func serve() -> Bool {
    machine.startTurn()
    while true {
      switch machine.next(&buffer, now: 0, limits: limits) {
      case .read: return false
      case .sendContinue: output.appendContinue()
      case .respond(let body): respond(body)
      case .reject(let rejection):
        output.context = machine.context
        responder.reject(rejection, into: &output)
        machine.rejected()
      case .wait, .yield: return false
      case .close:
        buffer.removeAll()
        machine = ConnectionMachine(now: 0, limits: limits, generation: machine.generation)
        return true
      }
    }
  }

  private func respond(_ body: RequestBody) {
    output.context = machine.context
    let exchange = ExchangeID(slot: 0, generation: machine.generation)
    let disposition = Self.callResponder(responder, buffer, body, exchange, &output)
    machine.responded(disposition, body: body, keepAlive: output.context.keepAlive, &buffer)
  }

  /// Calls the responder. Static, because exclusivity checking cannot tell accesses to two properties of `self` apart.
  private static func callResponder(
    _ responder: APIResponder<Root>, _ buffer: borrowing RequestBuffer, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) -> Disposition {
    let bytes = buffer.bytes.span.extracting(buffer.range)
    return responder.respond(to: buffer.head, in: bytes, body: body, exchange: exchange, into: &output)
  }
}
