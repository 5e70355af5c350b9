import BinderyHTTP
import BinderySystem
import Synchronization

/// Answers with what it was asked, by a few paths that take each of a responder's ways.
final class EchoResponder: Responder {
  /// What the test may look at from its own thread.
  final class Log: Sendable {
    private let events = Mutex<[String]>([])
    private let turns = Mutex<[Int]>([])
    func add(_ event: String) { events.withLock { $0.append(event) } }
    func add(turnOf requests: Int) { turns.withLock { $0.append(requests) } }
    /// How many requests there were in each turn that had any.
    var requestsOfTurns: [Int] { turns.withLock { $0 } }
    var all: [String] { events.withLock { $0 } }
  }

  let context: LoopContext
  let log: Log
  private var open: [ExchangeID: String] = [:]
  private var dripped: [ExchangeID: Int] = [:]
  private var requestsOfTurn = 0

  init(context: LoopContext, log: Log) {
    self.context = context
    self.log = log
  }

  func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition {
    let path = bytes.text(request.path)
    requestsOfTurn += 1
    switch (path, body) {
    case (_, .tooLarge):
      output.start(.contentTooLarge)
      output.finish()
    case ("/refused", .pending):
      output.start(.forbidden)
      output.finish()
    case (_, .pending):
      return .needsBody
    case ("/later", _), ("/never", _):
      open[exchange] = path
      if path == "/later" {
        context.schedule(after: 1, token: UInt64(exchange.generation) << 32 | UInt64(exchange.slot))
      }
      log.add("open")
      return .later
    case ("/stream", _), ("/flood", _), ("/drip", _), ("/drag", _):
      open[exchange] = path
      output.startStream(.ok)
      output.field(.contentType, "text/plain")
      output.beginContent()
      output.chunk { $0.append(contentsOf: "one".utf8) }
      log.add("open")
      context.markReady(exchange)
      return .stream
    case ("/nothing", _):
      break
    case ("/large", _):
      output.start(.ok)
      output.finish(content: [UInt8](repeating: 0x2E, count: 16 << 20))
    case ("/slow", _), ("/slower", _):
      takeLong(path == "/slow" ? 1_500_000 : 10_000_000)
      output.start(.ok)
      output.finish(content: "<\(context.turnNanoseconds)>")
    case ("/hold", _):
      log.add("held")
      while !log.all.contains("let go") { Thread.yield() }
      output.start(.ok)
      output.finish()
    case (_, .complete(let range)):
      output.start(.ok)
      output.finish(content: bytes.extracting(range))
    default:
      output.start(.ok)
      output.field(.contentType, "text/plain")
      output.finish(content: path)
    }
    return .complete
  }

  func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> ProduceResult {
    switch open[exchange] {
    case "/later":
      open[exchange] = nil
      output.start(.ok)
      output.finish(content: "later")
      return .finished
    case "/stream":
      open[exchange] = nil
      output.chunk { $0.append(contentsOf: "two".utf8) }
      return .finished
    case "/flood":
      output.chunk { $0.append(contentsOf: repeatElement(0x2E, count: 100_000)) }
      return .more
    case "/drag":
      takeLong()
      let count = dripped[exchange, default: 0]
      dripped[exchange] = count + 1
      let turn = Array("<\(context.turnNanoseconds)>".utf8)
      output.chunk { $0.append(contentsOf: turn + repeatElement(0x2E, count: 5000)) }
      if count < 3 { return .more }
      open[exchange] = nil
      return .finished
    case "/drip":
      // Pieces of which several fit into what is written at once, and now and then two of one connection.
      let count = dripped[exchange, default: 0]
      dripped[exchange] = count + 1
      output.chunk { $0.append(contentsOf: Array("\(count) ".utf8) + repeatElement(0x2E, count: 5000)) }
      if count == 100 {
        open[exchange] = nil
        return .finished
      }
      if count.isMultiple(of: 2) { for _ in 0..<2 { context.markReady(exchange) } }
      return .more
    case "/never":
      open[exchange] = nil
      output.start(.serviceUnavailable)
      output.finish()
      return .finished
    default:
      return .idle
    }
  }

  /// Takes more of a turn than one phase has.
  private func takeLong(_ nanoseconds: Int64 = 1_500_000) {
    let begin = context.readNanoseconds()
    while context.readNanoseconds() < begin + nanoseconds {}
  }

  func ended(_ exchange: ExchangeID) {
    open[exchange] = nil
    log.add("ended")
  }

  func woken() { log.add("woken") }

  func turnEnds() {
    if requestsOfTurn > 0 { log.add(turnOf: requestsOfTurn) }
    requestsOfTurn = 0
  }

  func elapsed(_ token: UInt64) {
    context.markReady(ExchangeID(slot: UInt32(token & 0xFFFF_FFFF), generation: UInt32(token >> 32)))
  }

  func draining() {
    log.add("draining")
    for exchange in open.keys { context.markReady(exchange) }
  }

  func refuse(_ rejection: Rejection, into output: inout ResponseWriter) {
    output.start(rejection.status)
    output.finish(content: rejection.reason)
  }
}
