import BinderyAPI
import BinderyHTTP
import BinderyMenu

/// A connection to the test menu without sockets and clocks: it takes pieces of bytes and collects the responses.
struct MemoryConnection {
  private(set) var isClosed = false
  private let responder: APIResponder<Menu>
  private let limits = Limits()
  private var buffer = RequestBuffer(capacity: 64)
  private var output = ResponseWriter()
  private var machine: ConnectionMachine

  init(_ api: StateAPI<Menu>) {
    responder = APIResponder(
      api, context: LoopContext(index: 0, handle: LoopHandle(signal: {}), nowMilliseconds: 0))
    machine = ConnectionMachine(now: 0, limits: limits, generation: 0)
  }

  /// The responses so far.
  var responseBytes: [UInt8] { output.bytes }

  /// Processes a piece of bytes from the client.
  mutating func receive(_ piece: ArraySlice<UInt8>) {
    var remaining = piece
    while !remaining.isEmpty, !isClosed {
      _ = buffer.fill { bytes, start in
        let count = min(bytes.count - start, remaining.count)
        for offset in 0..<count { bytes[start + offset] = remaining[remaining.startIndex + offset] }
        remaining = remaining.dropFirst(count)
        return count
      }
      serve()
    }
  }

  /// Processes the end of the client's sending side.
  mutating func receiveEnd() {
    machine.receivedEnd()
    serve()
  }

  private mutating func serve() {
    while !isClosed {
      machine.startTurn()
      switch machine.next(&buffer, now: 0, limits: limits) {
      case .respond(let body):
        output.context = machine.context
        let disposition = Self.callResponder(responder, buffer, body, machine.generation, &output)
        machine.responded(disposition, body: body, keepAlive: output.context.keepAlive, &buffer)
      case .reject(let rejection):
        output.context = machine.context
        output.context.keepAlive = false
        responder.reject(rejection, into: &output)
        machine.rejected()
      case .sendContinue: output.appendContinue()
      case .close: isClosed = true
      case .read, .wait, .yield: return
      }
    }
  }

  /// Calls the responder. Static, so that the accesses to `buffer` and `output` do not overlap as accesses to `self`.
  private static func callResponder(
    _ responder: APIResponder<Menu>, _ buffer: borrowing RequestBuffer, _ body: RequestBody, _ generation: UInt32,
    _ output: inout ResponseWriter
  ) -> Disposition {
    let exchange = ExchangeID(slot: 0, generation: generation)
    let bytes = buffer.bytes.span.extracting(buffer.range)
    return responder.respond(to: buffer.head, in: bytes, body: body, exchange: exchange, into: &output)
  }
}
