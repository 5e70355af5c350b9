package import BinderyAPI
package import BinderyCore
package import BinderyDigest
package import BinderyHTTP

/// An event loop without sockets, on the caller's thread: its test owns the clock, and says which peer takes bytes.
package final class MemoryLoop<Root: Model>: Client {
  package let origin = "http://memory"
  package let store: Store<Root>
  package let context: LoopContext
  package let handle: LoopHandle
  package let responder: ObservedResponder<Root>
  /// What the loop has counted.
  package let metrics = APIMetrics()
  /// How often the responder was asked for more.
  package private(set) var produceCount = 0
  private let limits = Limits()
  /// Lent to one exchange after the other; it knows so few heads that they displace each other.
  private var buffer = RequestBuffer(capacity: 512, knownHeads: 4)
  private var slots: [Slot] = []
  private var free: [Int] = []

  private struct Slot {
    var exchange: MemoryExchange?
    var generation: UInt32 = 0
  }

  package init(
    _ store: Store<Root>, key: DigestKey = .random(), streamLimits: StreamLimits = StreamLimits(),
    accessControl: AccessControl = AccessControl(), now: Int64 = 0
  ) {
    self.store = store
    handle = LoopHandle(signal: {})
    context = LoopContext(index: 0, handle: handle, nowMilliseconds: now)
    let api = StateAPI(
      StateResource(store, key: key), documents: [:], streamLimits: streamLimits, accessControl: accessControl,
      metrics: metrics, readiness: { .ready })
    responder = ObservedResponder(api, context: context)
  }

  /// Sends a request on a connection of its own; the answer comes in this turn or in later ones.
  package func begin(_ request: Request, lastEventID: String = "") -> MemoryExchange {
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(Slot()) }
    let exchange = MemoryExchange(
      slot, generation: slots[slot].generation, lastEventID: lastEventID, isHead: request.method == "HEAD")
    slots[slot].exchange = exchange
    var rest = request.bytes(host: "memory")[...]
    while !rest.isEmpty {
      _ = exchange.buffer.fill { bytes, start in
        let piece = rest.prefix(bytes.count - start)
        for (offset, byte) in piece.enumerated() { bytes[start + offset] = byte }
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
    }
    serve(exchange)
    return exchange
  }

  /// Opens an event stream.
  package func listen(
    _ target: String, lastEventID: String? = nil, _ more: KeyValuePairs<String, String> = [:]
  ) -> MemoryExchange {
    var fields = [(name: "Accept", value: "text/event-stream")] + more.map { (name: $0.key, value: $0.value) }
    if let lastEventID { fields.append((name: "Last-Event-ID", value: lastEventID)) }
    return begin(Request("GET", target, fields: fields), lastEventID: lastEventID ?? "")
  }

  package func send(_ request: Request) throws -> Reply {
    let exchange = begin(request)
    settle()
    guard let reply = exchange.reader.reply else { throw MemoryExchange.Failure.noAnswer("\(request)") }
    return reply
  }

  /// Does what one turn of the loop does; false where there was nothing to do.
  @discardableResult
  package func turn() -> Bool {
    var isBusy = false
    if handle.takeWake() {
      responder.woken()
      isBusy = true
    }
    while let token = context.takeDueTimer() {
      responder.elapsed(token)
      isBusy = true
    }
    var ready: [ExchangeID] = []
    context.takeReady(into: &ready)
    for id in ready {
      isBusy = true
      guard let exchange = slots[Int(id.slot)].exchange, exchange.id == id else { continue }
      produce(exchange)
    }
    responder.turnEnds()
    return isBusy
  }

  /// Turns until nothing is left to do now.
  package func settle() {
    while turn() {}
  }

  /// Lets time pass, from one timer to the next.
  package func advance(milliseconds: Int64) {
    let end = context.nowMilliseconds + milliseconds
    settle()
    while context.attentionMilliseconds <= end {
      context.nowMilliseconds = max(context.nowMilliseconds, context.attentionMilliseconds)
      settle()
    }
    context.nowMilliseconds = end
    settle()
  }

  /// The peer takes no bytes any more.
  package func stall(_ exchange: MemoryExchange) { exchange.isStalled = true }

  /// The peer takes bytes again.
  package func flow(_ exchange: MemoryExchange) {
    exchange.isStalled = false
    if exchange.wantsProduce, exchange.isOpen { produce(exchange) }
  }

  /// The peer goes away.
  package func cut(_ exchange: MemoryExchange) {
    guard exchange.isOpen else { return }
    close(exchange)
    responder.ended(exchange.id)
  }

  private func close(_ exchange: MemoryExchange) {
    exchange.isOpen = false
    let slot = exchange.slot
    slots[slot] = Slot(exchange: nil, generation: exchange.machine.generation)
    free.append(slot)
  }

  private func serve(_ exchange: MemoryExchange) {
    buffer.swap(with: &exchange.buffer)
    defer { buffer.swap(with: &exchange.buffer) }
    while true {
      switch exchange.machine.next(&buffer, now: context.nowMilliseconds, limits: limits) {
      case .respond(let body):
        exchange.output.context = exchange.machine.context
        let answer = Self.ask(responder, buffer, body, exchange.id, &exchange.output)
        exchange.machine.answered(
          answer, body: body, keepAlive: exchange.output.context.keepAlive, &buffer)
      case .refuse(let rejection):
        responder.refuse(rejection, into: &exchange.output)
        exchange.machine.refused()
      case .sendContinue, .wait: return exchange.deliver()
      case .read, .yield, .close:
        close(exchange)
        return exchange.deliver()
      }
    }
  }

  private func produce(_ exchange: MemoryExchange) {
    exchange.wantsProduce = exchange.isStalled
    if exchange.isStalled { return }
    produceCount += 1
    exchange.output.context = exchange.machine.context
    switch responder.produce(exchange.id, into: &exchange.output) {
    case .idle: break
    case .more: context.markReady(exchange.id)
    case .finished, .close:
      if exchange.machine.isStreaming { exchange.output.endStream() }
      close(exchange)
    }
    exchange.deliver()
  }

  /// Apart from `self`, so that intake and output are seen to be different things.
  private static func ask(
    _ responder: ObservedResponder<Root>, _ buffer: borrowing RequestBuffer, _ body: RequestBody,
    _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) -> Disposition {
    let bytes = buffer.bytes.span.extracting(buffer.range)
    return responder.respond(to: buffer.head, in: bytes, body: body, exchange: exchange, into: &output)
  }
}

/// One request on a ``MemoryLoop`` and what has come of it.
package final class MemoryExchange {
  package enum Failure: Error {
    case noAnswer(String)
  }

  package fileprivate(set) var isOpen = true
  package fileprivate(set) var isStalled = false
  package fileprivate(set) var reader: EventStreamReader
  /// All that has come, as it came.
  package private(set) var bytes: [UInt8] = []
  fileprivate let slot: Int
  fileprivate var wantsProduce = false
  fileprivate var buffer = RequestBuffer(capacity: 512)
  fileprivate var machine: ConnectionMachine
  fileprivate var output = ResponseWriter()

  fileprivate init(_ slot: Int, generation: UInt32, lastEventID: String, isHead: Bool) {
    self.slot = slot
    machine = ConnectionMachine(now: 0, limits: Limits(), generation: generation)
    reader = EventStreamReader(lastEventID: lastEventID, isHead: isHead)
  }

  package var id: ExchangeID { ExchangeID(slot: UInt32(slot), generation: machine.generation) }

  fileprivate func deliver() {
    let piece = output.takeBytes()
    bytes += piece
    do throws(EventStreamReader.Failure) { try reader.append(piece) } catch { preconditionFailure("\(error)") }
  }

  /// The events that have come since the last call.
  package func take() -> [ServerSentEvent] {
    defer { reader.parser.events = [] }
    return reader.parser.events
  }

  /// The data of the events that have come since the last call.
  package func takeData() -> [String] { take().map(\.data) }

  package var lastEventID: String { reader.parser.lastEventID }
}
