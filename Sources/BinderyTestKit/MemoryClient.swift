import BinderyAPI
package import BinderyCore
package import BinderyDigest
import BinderyHTTP
import Synchronization

/// Bytes through the parser and the responder and back, without a socket and on the caller's thread.
package final class MemoryClient<Root: Model>: Client {
  package enum Failure: Error {
    case noAnswer(String)
  }

  package let origin = "http://memory"
  private let limits = Limits()
  private let context: LoopContext
  private let responder: APIResponder<Root>
  /// It knows so few heads that they displace each other.
  private var buffer = RequestBuffer(capacity: 512, knownHeads: 4)
  private var machine = ConnectionMachine(now: 0, limits: Limits(), generation: 0)
  private var output = ResponseWriter()
  private var reader = ReplyReader()

  package init(_ store: Store<Root>, key: DigestKey = .random()) {
    let handle = LoopHandle(signal: {})
    context = LoopContext(index: 0, handle: handle, nowMilliseconds: 0)
    let api = StateAPI(StateResource(store, key: key), documents: [:]) { .ready }
    responder = APIResponder(api, context: context)
  }

  package func send(_ request: Request) throws -> Reply {
    var rest = request.bytes(host: "memory")[...]
    while !rest.isEmpty {
      _ = buffer.fill { bytes, start in
        let piece = rest.prefix(bytes.count - start)
        for (offset, byte) in piece.enumerated() { bytes[start + offset] = byte }
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
      if serve() { break }
    }
    reader.append(output.takeBytes())
    let reply = try reader.next(isHead: request.method == "HEAD")
    guard let reply else { throw Failure.noAnswer("\(request)") }
    return reply
  }

  /// Answers what has come; true where the connection is closed, and the next request opens another.
  private func serve() -> Bool {
    machine.startBatch()
    while true {
      switch machine.next(&buffer, now: 0, limits: limits) {
      case .read: return false
      case .sendContinue: output.appendContinue()
      case .respond(let body): respond(body)
      case .refuse(let rejection):
        output.context = machine.context
        responder.refuse(rejection, into: &output)
        machine.refused()
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
    let answer = Self.ask(responder, buffer, body, exchange, &output)
    machine.answered(answer, body: body, keepAlive: output.context.keepAlive, &buffer)
  }

  /// Apart from `self`, so that intake and output are seen to be different things.
  private static func ask(
    _ responder: APIResponder<Root>, _ buffer: borrowing RequestBuffer, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) -> Disposition {
    let bytes = buffer.bytes.span.extracting(buffer.range)
    return responder.respond(to: buffer.head, in: bytes, body: body, exchange: exchange, into: &output)
  }
}
