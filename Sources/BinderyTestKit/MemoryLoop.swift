package import BinderyAPI
package import BinderyCore
package import BinderyDigest
package import BinderyHTTP

/// An event loop without sockets, on the caller's thread. The test controls the clock and which clients read.
package final class MemoryLoop<Root: Sendable>: Client {
  package let origin = "http://memory"
  package let store: Store<Root>
  package let context: LoopContext
  package let handle: LoopHandle
  package let responder: APIResponder<Root>
  /// The metrics of the API.
  package let metrics = APIMetrics()
  /// The number of calls of `Responder.produce`.
  package private(set) var produceCount = 0
  private let limits = Limits()
  /// The receive buffer that all connections share.
  private var buffer = RequestBuffer(capacity: 512)
  private var slots: [Slot] = []
  private var free: [Int] = []

  private struct Slot {
    var exchange: MemoryExchange?
    var generation: UInt32 = 0
  }

  /// Creates an event loop with a new service of a store.
  ///
  /// - Parameter now: The initial time, in milliseconds.
  package init(
    _ store: Store<Root>, key: DigestKey = .random(), streamLimits: StreamLimits = StreamLimits(),
    accessControl: AccessControl = AccessControl(clock: { 0 }),
    basePath: BasePath = .root, files: (any FileSource)? = nil,
    history: (any History)? = nil, journalStatus: StateAPI<Root>.JournalStatus = .none,
    now: Int64 = 0, processorTime: @escaping @Sendable () -> Int64 = { 0 }
  ) {
    self.store = store
    handle = LoopHandle(signal: {})
    context = LoopContext(index: 0, handle: handle, nowMilliseconds: now)
    let api = StateAPI(
      StateResource(store, key: key, basePath: basePath, processorTime: processorTime), documents: [:],
      files: files, history: history, streamLimits: streamLimits, accessControl: accessControl, metrics: metrics,
      journalStatus: { journalStatus })
    responder = APIResponder(api, context: context)
  }

  /// Sends a request on a new connection. The response arrives in this turn of the loop or in later ones.
  package func begin(_ request: Request, lastEventID: String = "") -> MemoryExchange {
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(Slot()) }
    let exchange = MemoryExchange(
      slot, generation: slots[slot].generation, lastEventID: lastEventID, isHead: request.method == "HEAD")
    slots[slot].exchange = exchange
    var rest = request.bytes(host: "memory")[...]
    while !rest.isEmpty { exchange.buffer.fill(from: &rest) }
    serve(exchange)
    return exchange
  }

  /// Opens an event stream on a new connection.
  package func listen(
    _ target: String, lastEventID: String? = nil, _ fields: KeyValuePairs<String, String> = [:]
  ) -> MemoryExchange {
    var fields = [(name: "Accept", value: "text/event-stream")] + fields.map { (name: $0.key, value: $0.value) }
    if let lastEventID { fields.append((name: "Last-Event-ID", value: lastEventID)) }
    return begin(Request("GET", target, fields: fields), lastEventID: lastEventID ?? "")
  }

  /// Sends a request on a new connection and runs the loop until it is idle.
  package func send(_ request: Request) throws -> Reply {
    let exchange = begin(request)
    settle()
    if let failure = exchange.failure { throw failure }
    guard let reply = exchange.reader.reply else { throw MemoryExchange.Failure.noResponse("\(request)") }
    return reply
  }

  /// Runs one turn of the loop.
  ///
  /// - Returns: False if there was nothing to do.
  @discardableResult
  package func turn() -> Bool {
    var isBusy = false
    if handle.takeWake() {
      responder.didReceiveWake()
      isBusy = true
    }
    while let token = context.takeDueTimer() {
      responder.timerFired(token)
      isBusy = true
    }
    for id in context.takeAborted() {
      isBusy = true
      if let exchange = slots[Int(id.slot)].exchange, exchange.id == id { disconnect(exchange) }
    }
    var ready: [ExchangeID] = []
    context.takeReady(into: &ready)
    for id in ready {
      isBusy = true
      guard let exchange = slots[Int(id.slot)].exchange, exchange.id == id else { continue }
      produce(exchange)
    }
    responder.turnDidEnd()
    return isBusy
  }

  /// Runs turns until nothing is left to do at the current time.
  package func settle() {
    while turn() {}
  }

  /// Advances the clock, from one due timer to the next, and runs the loop until it is idle.
  package func advance(milliseconds: Int64) {
    let end = context.nowMilliseconds + milliseconds
    settle()
    while context.nextWorkMilliseconds <= end {
      context.nowMilliseconds = max(context.nowMilliseconds, context.nextWorkMilliseconds)
      settle()
    }
    context.nowMilliseconds = end
    settle()
  }

  /// Makes a client stop reading, so that its send buffer is full.
  package func pauseReading(_ exchange: MemoryExchange) { exchange.isReadingPaused = true }

  /// Makes a client read again.
  package func resumeReading(_ exchange: MemoryExchange) {
    exchange.isReadingPaused = false
    if exchange.wantsProduce, exchange.isOpen { produce(exchange) }
  }

  /// Closes a connection from the client's side.
  package func disconnect(_ exchange: MemoryExchange) {
    guard exchange.isOpen else { return }
    close(exchange)
    responder.peerDisconnected(exchange.id)
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
        let disposition = buffer.pass(body, to: responder, exchange.id, into: &exchange.output)
        exchange.machine.responded(disposition, body: body, keepAlive: exchange.output.context.keepAlive, &buffer)
      case .reject(let rejection):
        responder.reject(rejection, at: exchange.id.slot, into: &exchange.output)
        exchange.machine.rejected()
      case .sendContinue, .wait: return exchange.deliver()
      case .read, .yield, .close:
        close(exchange)
        return exchange.deliver()
      }
    }
  }

  private func produce(_ exchange: MemoryExchange) {
    exchange.wantsProduce = exchange.isReadingPaused
    if exchange.isReadingPaused { return }
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
}

/// One request on a ``MemoryLoop`` and the response received so far.
package final class MemoryExchange {
  /// The reason why a request failed.
  package enum Failure: Error {
    case noResponse(String)
  }

  /// Whether the connection is open.
  package fileprivate(set) var isOpen = true
  /// Whether the client has stopped reading.
  package fileprivate(set) var isReadingPaused = false
  package fileprivate(set) var reader: EventStreamReader
  /// The reason why the response is malformed. ``reader`` has its beginning.
  package private(set) var failure: EventStreamReader.Failure?
  /// All received bytes.
  package private(set) var bytes: [UInt8] = []
  fileprivate let slot: Int
  /// Whether `produce` is due as soon as the client reads again.
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

  /// Passes the output of the responder to the client.
  fileprivate func deliver() {
    let chunk = output.takeBytes()
    bytes += chunk
    guard failure == nil else { return }
    do throws(EventStreamReader.Failure) { try reader.append(chunk) } catch { failure = error }
  }

  /// Returns the events received since the last call.
  package func take() -> [ServerSentEvent] {
    defer { reader.parser.events = [] }
    return reader.parser.events
  }

  /// Returns the data of the events received since the last call.
  package func takeData() -> [String] { take().map(\.data) }

  package var lastEventID: String { reader.parser.lastEventID }
}
