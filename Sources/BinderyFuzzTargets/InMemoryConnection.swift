import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyMenu

/// A connection to a service of the menu without sockets, which validates every response and the state after it.
final class InMemoryConnection {
  /// The final responses, one for each request.
  private(set) var responses: [ParsedResponse] = []
  /// Whether a `100 Continue` was sent.
  private(set) var hasSentContinue = false

  private let store: Store<Menu>
  private let limits = Limits()
  private let handle = LoopHandle(signal: {})
  private let context: LoopContext
  private let responder: APIResponder<Menu>
  private var buffer = RequestBuffer(capacity: 64)
  private var machine: ConnectionMachine
  private var output = ResponseWriter()
  /// The method of the request whose response is in progress.
  private var method = Method.unknown
  /// The bytes of the current response that have been sent so far.
  private var sentBytes: [UInt8] = []
  private var isClosed = false

  /// Opens a connection to a new service.
  init(_ menu: Menu = .example) {
    store = Store(menu, history: MenuFixtures.history)
    context = LoopContext(index: 0, handle: handle, nowMilliseconds: 0)
    machine = ConnectionMachine(now: 0, limits: limits, generation: 0)
    let api = StateAPI(
      StateResource(store, key: MenuFixtures.key, processorTime: { 0 }), documents: [:],
      accessControl: AccessControl(clock: { 0 })
    ) { .none }
    responder = APIResponder(api, context: context)
  }

  /// The current state of the service.
  var menu: Menu { store.snapshot.root }

  /// Receives bytes from the client and processes them.
  func send(_ bytes: ArraySlice<UInt8>) throws(Finding) {
    guard !isClosed else { return }
    buffer.append(bytes)
    try serve()
  }

  /// Ends the client's side of the connection and completes all requests in progress.
  func finish() throws(Finding) {
    machine.receivedEnd()
    try serve()
    guard machine.hasOpenExchange else { return }
    // An event stream is open. Change the state, so that it sends an event, then stop the server, which must end it.
    try runUntilIdle()
    _ = store.transact(
      { ((), .changed($0.root.time == .tonight ? MenuFixtures.full : .example)) }, completion: { _ in })
    try runUntilIdle()
    responder.willStop()
    try runUntilIdle()
    try expect(!machine.hasOpenExchange, "a stream is still open after the server stopped")
  }

  /// Processes the buffered bytes until more are needed or the connection is closed.
  private func serve() throws(Finding) {
    machine.startTurn()
    while !isClosed {
      switch machine.next(&buffer, now: context.nowMilliseconds, limits: limits) {
      case .read: return
      case .yield: machine.startTurn()
      case .sendContinue:
        hasSentContinue = true
        output.appendContinue()
      case .respond(let body): try respond(body)
      case .reject(let rejection):
        let before = store.snapshot
        method = machine.context.isHead ? .head : .unknown
        output.context = machine.context
        responder.reject(rejection, at: 0, into: &output)
        machine.rejected()
        try finishExchange(before)
      case .wait:
        try runUntilIdle()
        if machine.isStreaming { return }
        try expect(!machine.hasOpenExchange, "a request got no response")
      case .close: isClosed = true
      }
    }
  }

  private func respond(_ body: RequestBody) throws(Finding) {
    let before = store.snapshot
    method = buffer.head.method
    output.context = machine.context
    let disposition = Self.callResponder(responder, buffer, body, id, &output)
    machine.responded(disposition, body: body, keepAlive: output.context.keepAlive, &buffer)
    switch disposition {
    case .complete: try finishExchange(before)
    case .needsBody: try expect(output.bytes.isEmpty, "response bytes before the body was read: \(output.bytes.text)")
    case .later: sentBytes += output.takeBytes()
    case .abandonable:
      try expect(output.bytes.isEmpty, "response bytes before the response is ready: \(output.bytes.text)")
    case .stream: sentBytes += output.takeBytes()
    }
  }

  private var id: ExchangeID { ExchangeID(slot: 0, generation: machine.generation) }

  /// Calls the responder. Static, because exclusivity checking cannot tell accesses to two properties of `self` apart.
  private static func callResponder(
    _ responder: APIResponder<Menu>, _ buffer: borrowing RequestBuffer, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) -> Disposition {
    let bytes = buffer.bytes.span.extracting(buffer.range)
    return responder.respond(to: buffer.head, in: bytes, body: body, exchange: exchange, into: &output)
  }
}

extension InMemoryConnection {
  /// Runs turns until nothing is left to do. Advances the clock while a response waits for a timer.
  private func runUntilIdle() throws(Finding) {
    while true {
      while try runTurn() {}
      let isWaiting = machine.hasOpenExchange && !machine.isStreaming
      guard isWaiting, context.nextWorkMilliseconds < .max else { return }
      context.nowMilliseconds = max(context.nowMilliseconds, context.nextWorkMilliseconds)
    }
  }

  /// Runs one turn of an event loop.
  ///
  /// - Returns: False if there was nothing to do.
  private func runTurn() throws(Finding) -> Bool {
    var isBusy = false
    if handle.takeWake() {
      responder.didReceiveWake()
      isBusy = true
    }
    while let token = context.takeDueTimer() {
      responder.timerFired(token)
      isBusy = true
    }
    var ready: [ExchangeID] = []
    context.takeReady(into: &ready)
    for exchange in ready where exchange == id && machine.hasOpenExchange {
      isBusy = true
      try produce(exchange)
    }
    responder.turnDidEnd()
    return isBusy
  }

  private func produce(_ exchange: ExchangeID) throws(Finding) {
    let before = store.snapshot
    output.context = machine.context
    let progress = responder.produce(exchange, into: &output)
    switch progress {
    case .idle: break
    case .more: context.markReady(exchange)
    case .finished, .close:
      if machine.isStreaming { output.endStream() }
      let keepAlive = progress == .finished && output.context.keepAlive
      machine.exchangeFinished(keepAlive: keepAlive, hasUnreadBytes: !buffer.isEmpty)
      return try finishExchange(before)
    }
    sentBytes += output.takeBytes()
  }

  /// Checks that exactly one response was written, and that the state agrees with what the response reports.
  private func finishExchange(_ before: Snapshot<Menu>) throws(Finding) {
    let response = try ParsedResponse(sentBytes + output.takeBytes(), isHead: method == .head)
    sentBytes = []
    responses.append(response)
    let after = store.snapshot
    let isSafe = [.get, .head, .options, .unknown].contains(method)
    if isSafe || response.status >= 300 || response["state-changed"] == "?0" {
      try expect(before === after, "the state changed, although the response was \(response)")
    } else {
      try expect(after.revision <= before.revision + 1, "more than one new revision: \(response)")
      try expect((response["state-changed"] == "?1") == (before !== after), "State-Changed is wrong: \(response)")
    }
    if let revision = response["state-revision"] {
      try expect(revision == "\(after.revision)", "State-Revision is not \(after.revision): \(response)")
    }
    if response.status == 405 { try expect(response["allow"] != nil, "405 without Allow: \(response)") }
    if before !== after { try MenuFixtures.check(after.root) }
  }
}
