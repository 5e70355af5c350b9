package import BinderyAPI
import BinderyHTTP

/// A connection to a service without sockets and clocks: it takes pieces of bytes and collects the responses.
package struct MemoryConnection<Root: Sendable> {
  package private(set) var isClosed = false
  private let responder: APIResponder<Root>
  private let limits = Limits()
  private var buffer = RequestBuffer(capacity: 64)
  private var output = ResponseWriter()
  private var machine: ConnectionMachine

  package init(_ api: StateAPI<Root>) {
    responder = APIResponder(
      api, context: LoopContext(index: 0, handle: LoopHandle(signal: {}), nowMilliseconds: 0))
    machine = ConnectionMachine(now: 0, limits: limits, generation: 0)
  }

  /// The responses so far, without those that were taken.
  package var responseBytes: [UInt8] { output.bytes }

  /// Removes and returns the responses so far.
  package mutating func takeResponseBytes() -> [UInt8] { output.takeBytes() }

  /// Processes a piece of bytes from the client.
  package mutating func receive(_ piece: ArraySlice<UInt8>) {
    var remaining = piece
    while !remaining.isEmpty, !isClosed {
      buffer.fill(from: &remaining)
      serve()
    }
  }

  /// Processes the end of the client's sending side.
  package mutating func receiveEnd() {
    machine.receivedEnd()
    serve()
  }

  /// Begins the shutdown of the service.
  package func stop() { responder.willStop() }

  /// Opens another connection to the same service.
  package mutating func reopen() {
    buffer.removeAll()
    machine = ConnectionMachine(now: 0, limits: limits, generation: machine.generation)
    isClosed = false
  }

  private mutating func serve() {
    while !isClosed {
      machine.startTurn()
      switch machine.next(&buffer, now: 0, limits: limits) {
      case .respond(let body):
        output.context = machine.context
        let exchange = ExchangeID(slot: 0, generation: machine.generation)
        let disposition = buffer.pass(body, to: responder, exchange, into: &output)
        machine.responded(disposition, body: body, keepAlive: output.context.keepAlive, &buffer)
      case .reject(let rejection):
        output.context = machine.context
        output.context.keepAlive = false
        responder.reject(rejection, at: 0, into: &output)
        machine.rejected()
      case .sendContinue: output.appendContinue()
      case .close: isClosed = true
      case .read, .wait, .yield: return
      }
    }
  }
}

extension RequestBuffer {
  /// Moves bytes from the front of a slice into the buffer, as many as fit.
  mutating func fill(from bytes: inout ArraySlice<UInt8>) {
    _ = fill { free, start in
      let chunk = bytes.prefix(free.count - start)
      free.replaceSubrange(start..<start + chunk.count, with: chunk)
      bytes = bytes.dropFirst(chunk.count)
      return chunk.count
    }
  }

  /// Passes the current request to a responder.
  func pass(
    _ body: RequestBody, to responder: some Responder, _ exchange: ExchangeID, into output: inout ResponseWriter
  ) -> Disposition {
    responder.respond(to: head, in: bytes.span.extracting(range), body: body, exchange: exchange, into: &output)
  }
}
