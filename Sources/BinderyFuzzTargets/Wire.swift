import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyMenu

/// One connection to a service of the menu, without sockets, which holds each answer against what it must be.
final class Wire {
  /// What was answered, one for each request.
  private(set) var replies: [Reply] = []
  /// The peer was told to send a body that it had announced.
  private(set) var hasAskedForBody = false

  private let store: Store<Menu>
  private let limits = Limits()
  private let handle = LoopHandle(signal: {})
  private let context: LoopContext
  private let responder: APIResponder<Menu>
  private var buffer = RequestBuffer(capacity: 64)
  private var machine: ConnectionMachine
  private var output = ResponseWriter()
  private var question = Question()
  /// What was written of the answer that is under way.
  private var answer: [UInt8] = []
  private var isClosed = false

  /// The request that is being answered.
  private struct Question {
    var method = Method.unknown
    var isHead: Bool { method == .head }
  }

  init(_ menu: Menu = .example) {
    store = Store(menu)
    context = LoopContext(index: 0, handle: handle, nowMilliseconds: 0)
    machine = ConnectionMachine(now: 0, limits: limits, generation: 0)
    let api = StateAPI(StateResource(store, key: Menus.key), documents: [:]) { .ready }
    responder = APIResponder(api, context: context)
  }

  /// The state now.
  var menu: Menu { store.snapshot.root }

  /// Bytes of the peer come.
  func send(_ bytes: ArraySlice<UInt8>) throws(Finding) {
    guard !isClosed else { return }
    buffer.append(bytes)
    try serve()
  }

  /// The peer says no more, and waits for what it asked.
  func finish() throws(Finding) {
    machine.receivedEnd()
    try serve()
    guard machine.hasOpenExchange else { return }
    // A stream: something changes, and the server stops.
    try settle()
    _ = store.transact(
      { ((), .changed($0.root.time == .tonight ? Menus.full : .example)) }, completion: { _ in })
    try settle()
    responder.draining()
    try settle()
    try expect(!machine.hasOpenExchange, "a stream outlives the server")
  }

  private func serve() throws(Finding) {
    machine.startBatch()
    while !isClosed {
      switch machine.next(&buffer, now: context.nowMilliseconds, limits: limits) {
      case .read: return
      case .yield: machine.startBatch()
      case .sendContinue:
        hasAskedForBody = true
        output.appendContinue()
      case .respond(let body): try respond(body)
      case .refuse(let rejection):
        let before = store.snapshot
        question = Question(method: machine.context.isHead ? .head : .unknown)
        output.context = machine.context
        responder.refuse(rejection, into: &output)
        machine.refused()
        try conclude(before)
      case .wait:
        try settle()
        if machine.isStreaming { return }
        try expect(!machine.hasOpenExchange, "a request is never answered")
      case .close: isClosed = true
      }
    }
  }

  private func respond(_ body: RequestBody) throws(Finding) {
    let before = store.snapshot
    question = Question(method: buffer.head.method)
    output.context = machine.context
    let answer = Self.ask(responder, buffer, body, id, &output)
    machine.answered(answer, body: body, keepAlive: output.context.keepAlive, &buffer)
    switch answer {
    case .complete: try conclude(before)
    case .needsBody: try expect(output.bytes.isEmpty, "an answer before the body: \(output.bytes.text)")
    case .later: try expect(output.bytes.isEmpty, "an answer before its time: \(output.bytes.text)")
    case .stream: self.answer += output.takeBytes()
    }
  }

  private var id: ExchangeID { ExchangeID(slot: 0, generation: machine.generation) }

  /// Apart from `self`, so that intake and output are seen to be different things.
  private static func ask(
    _ responder: APIResponder<Menu>, _ buffer: borrowing RequestBuffer, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) -> Disposition {
    let bytes = buffer.bytes.span.extracting(buffer.range)
    return responder.respond(to: buffer.head, in: bytes, body: body, exchange: exchange, into: &output)
  }
}

extension Wire {
  /// Does what is to be done now; where an answer waits for a time, that comes.
  private func settle() throws(Finding) {
    while true {
      while try turn() {}
      let isWaiting = machine.hasOpenExchange && !machine.isStreaming
      guard isWaiting, context.attentionMilliseconds < .max else { return }
      context.nowMilliseconds = max(context.nowMilliseconds, context.attentionMilliseconds)
    }
  }

  /// One turn of an event loop; false where there was nothing to do.
  private func turn() throws(Finding) -> Bool {
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
    for exchange in ready where exchange == id && machine.hasOpenExchange {
      isBusy = true
      try produce(exchange)
    }
    responder.turnEnds()
    return isBusy
  }

  private func produce(_ exchange: ExchangeID) throws(Finding) {
    let before = store.snapshot
    output.context = machine.context
    switch responder.produce(exchange, into: &output) {
    case .idle: break
    case .more: context.markReady(exchange)
    case .finished:
      if machine.isStreaming { output.endStream() }
      machine.finished(keepAlive: output.context.keepAlive, !buffer.isEmpty)
      return try conclude(before)
    case .close:
      if machine.isStreaming { output.endStream() }
      machine.finished(keepAlive: false, !buffer.isEmpty)
      return try conclude(before)
    }
    answer += output.takeBytes()
  }

  /// An answer is whole: exactly one response was written, and the state is as that says.
  private func conclude(_ before: Snapshot<Menu>) throws(Finding) {
    let reply = try Reply(answer + output.takeBytes(), isHead: question.isHead)
    answer = []
    replies.append(reply)
    let after = store.snapshot
    let isSafe = [.get, .head, .options, .unknown].contains(question.method)
    if isSafe || reply.status >= 300 || reply["state-changed"] == "?0" {
      try expect(before === after, "the state changed, though the answer was \(reply)")
    } else {
      try expect(after.revision <= before.revision + 1, "more than one revision: \(reply)")
      try expect((reply["state-changed"] == "?1") == (before !== after), "what changed is not told: \(reply)")
    }
    if let revision = reply["state-revision"] {
      try expect(revision == "\(after.revision)", "revision \(after.revision): \(reply)")
    }
    if reply.status == 405 { try expect(reply["allow"] != nil, "405 without Allow: \(reply)") }
    if before !== after { try Menus.check(after.root) }
  }
}
