import BinderyAPI
import BinderyHTTP
import BinderyMenu

/// One connection to the restaurant without sockets and clocks: pieces of bytes in, all that is answered out.
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

  /// What was answered so far.
  var answered: [UInt8] { output.bytes }

  /// The peer has sent a piece, and after the last one perhaps ended its side.
  mutating func receive(_ piece: ArraySlice<UInt8>) {
    var rest = piece
    while !rest.isEmpty, !isClosed {
      _ = buffer.fill { bytes, start in
        let count = min(bytes.count - start, rest.count)
        for offset in 0..<count { bytes[start + offset] = rest[rest.startIndex + offset] }
        rest = rest.dropFirst(count)
        return count
      }
      serve()
    }
  }

  mutating func receiveEnd() {
    machine.receivedEnd()
    serve()
  }

  private mutating func serve() {
    while !isClosed {
      machine.startBatch()
      switch machine.next(&buffer, now: 0, limits: limits) {
      case .respond(let body):
        output.context = machine.context
        let answer = Self.ask(responder, buffer, body, machine.generation, &output)
        machine.answered(answer, body: body, keepAlive: output.context.keepAlive, &buffer)
      case .refuse(let rejection):
        output.context = machine.context
        output.context.keepAlive = false
        responder.refuse(rejection, into: &output)
        machine.refused()
      case .sendContinue: output.appendContinue()
      case .close: isClosed = true
      case .read, .wait, .yield: return
      }
    }
  }

  /// Apart from `self`, so that intake and output are seen to be different things.
  private static func ask(
    _ responder: APIResponder<Menu>, _ buffer: borrowing RequestBuffer, _ body: RequestBody, _ generation: UInt32,
    _ output: inout ResponseWriter
  ) -> Disposition {
    let exchange = ExchangeID(slot: 0, generation: generation)
    let bytes = buffer.bytes.span.extracting(buffer.range)
    return responder.respond(to: buffer.head, in: bytes, body: body, exchange: exchange, into: &output)
  }
}
