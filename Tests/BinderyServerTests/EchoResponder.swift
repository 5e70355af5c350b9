import BinderyHTTP
import BinderySystem
import BinderyTestKit
import Synchronization

/// A responder that echoes the path or body. Special paths exercise each kind of response.
final class EchoResponder: Responder {
  /// A thread-safe log of events, which tests read from their own thread.
  final class Log: Sendable {
    private let events = Mutex<[String]>([])
    private let turns = Mutex<[Int]>([])
    private let loopCount = Atomic(0)
    func add(_ event: String) { events.withLock { $0.append(event) } }
    /// Returns the number of a new loop.
    func addLoop() -> Int { loopCount.add(1, ordering: .relaxed).newValue }
    func addTurn(requests: Int) { turns.withLock { $0.append(requests) } }
    /// The number of requests in each turn that had requests.
    var requestsPerTurn: [Int] { turns.withLock { $0 } }
    var all: [String] { events.withLock { $0 } }
  }

  let context: LoopContext
  let log: Log
  private let loop: Int
  private var open: [ExchangeID: String] = [:]
  private var chunkCounts: [ExchangeID: Int] = [:]
  private var requestsThisTurn = 0

  init(context: LoopContext, log: Log) {
    self.context = context
    self.log = log
    loop = log.addLoop()
  }

  func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Disposition {
    let path = bytes.text(request.path)
    requestsThisTurn += 1
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
    case ("/poll", _):
      open[exchange] = path
      log.add("open")
      return .abandonable
    case ("/stream", _), ("/flood", _), ("/drip", _), ("/drag", _):
      open[exchange] = path
      output.startStream(.ok)
      output.field(.contentType, "text/plain")
      output.beginStreamContent()
      output.chunk { $0.append(contentsOf: "one".utf8) }
      log.add("open")
      context.markReady(exchange)
      return .stream
    case ("/nothing", _):
      break
    case ("/loop", _):
      log.add("loop \(loop)")
      output.start(.noContent)
      output.finish()
    case ("/large", _):
      output.start(.ok)
      output.finish(content: [UInt8](repeating: 0x2E, count: 16 << 20))
    case ("/slow", _), ("/slower", _):
      block(nanoseconds: path == "/slow" ? 1_500_000 : 10_000_000)
      output.start(.ok)
      output.finish(content: "<\(context.turnNanoseconds)>")
    case ("/turn", _):
      output.start(.ok)
      output.finish(content: "<\(context.turnNanoseconds)>")
    case ("/hold", _):
      log.add("held")
      try? waitUntil(seconds: nil) { log.all.contains("release") }
      output.start(.ok)
      output.finish()
    case (_, .complete(let range)):
      output.start(.ok)
      output.finish(content: range.map { bytes[$0] })
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
      block()
      let count = chunkCounts[exchange, default: 0]
      chunkCounts[exchange] = count + 1
      let turn = Array("<\(context.turnNanoseconds)>".utf8)
      output.chunk { $0.append(contentsOf: turn + repeatElement(0x2E, count: 5000)) }
      if count < 3 { return .more }
      open[exchange] = nil
      return .finished
    case "/drip":
      // Several chunks fit into one round of output. Some rounds contain two chunks of the same connection.
      let count = chunkCounts[exchange, default: 0]
      chunkCounts[exchange] = count + 1
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

  /// Blocks the loop for longer than the time budget of one phase.
  private func block(nanoseconds: Int64 = 1_500_000) {
    let start = context.readNanoseconds()
    while context.readNanoseconds() < start + nanoseconds {}
  }

  func peerDisconnected(_ exchange: ExchangeID) {
    open[exchange] = nil
    log.add("disconnected")
  }

  func didReceiveWake() { log.add("woken") }

  func turnDidEnd() {
    if requestsThisTurn > 0 { log.addTurn(requests: requestsThisTurn) }
    requestsThisTurn = 0
  }

  func timerFired(_ token: UInt64) {
    context.markReady(ExchangeID(slot: UInt32(token & 0xFFFF_FFFF), generation: UInt32(token >> 32)))
  }

  func willStop() {
    log.add("stopping")
    for exchange in open.keys { context.markReady(exchange) }
  }

  func reject(_ rejection: Rejection, at slot: UInt32, into output: inout ResponseWriter) {
    output.start(rejection.status)
    output.finish(content: rejection.reason)
  }
}

extension ResponseWriter {
  fileprivate mutating func finish(content: String) { finish(content: Array(content.utf8)) }
}
