package import HTTP
package import Shapes
import Synchronization

/// Answers the requests of one event loop.
package final class SiteResponder<Root: Model>: Responder {
  private let site: Site<Root>
  private let context: LoopContext
  /// Answers that other threads have finished.
  private let mailbox = Mailbox()
  /// Answers that their exchanges have yet to take.
  private var finished: [ExchangeID: Result<Response, Problem>] = [:]

  package init(_ site: Site<Root>, context: LoopContext) {
    self.site = site
    self.context = context
  }

  package func respond(
    to request: borrowing RequestHead, in bytes: Span<UInt8>, body: RequestBody, exchange: ExchangeID,
    into output: inout ResponseWriter
  ) -> Answer {
    do throws(Problem) {
      return try answer(request, bytes, body, exchange, &output)
    } catch {
      error.write(to: &output)
      return .complete
    }
  }

  private func answer(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) throws(Problem) -> Answer {
    if head.targetForm == .asterisk {
      return serverOptions(&output)
    }
    let target = try Target(path: bytes.slice(head.path)[...], query: head.query.map { bytes.slice($0)[...] })
    guard target.segments.first == StateResource<Root>.prefix else {
      return try document(target, head, body, &output)
    }
    let request = try site.state.check(target, head, bytes)
    guard let content = try content(body, bytes) else { return .needsBody }
    switch request.method {
    case .get, .head: try site.state.read(request).write(to: &output)
    case .options: site.state.options(request).write(to: &output)
    default:
      let mail = mailbox
      let handle = context.handle
      let response = try site.state.write(request, body: content) { result in
        mail.put(exchange, result)
        handle.wake()
      }
      guard let response else { return .later }
      response.write(to: &output)
    }
    return .complete
  }

  /// The body; nil where it has yet to be asked for.
  private func content(_ body: RequestBody, _ bytes: Span<UInt8>) throws(Problem) -> [UInt8]? {
    switch body {
    case .none: []
    case .complete(let range): bytes.slice(range)
    case .pending: nil
    case .tooLarge: throw Problem(.contentTooLarge, "The body is larger than this server takes.")
    }
  }

  private func document(
    _ target: Target, _ head: borrowing RequestHead, _ body: RequestBody, _ output: inout ResponseWriter
  ) throws(Problem) -> Answer {
    let (document, status) = try site.document(target)
    let allow = "GET, HEAD, OPTIONS"
    switch head.method {
    case .get, .head:
      if body == .tooLarge { throw Problem(.contentTooLarge, "The body is larger than this server takes.") }
      if body == .pending { return .needsBody }
      document.write(status, to: &output)
    case .options:
      var response = Response(.noContent)
      response.allow = allow
      response.write(to: &output)
    default:
      throw Problem(.methodNotAllowed, "\(head.method.name) is not allowed here.").with { $0.allow = allow }
    }
    return .complete
  }

  /// `OPTIONS *`: what the server as a whole can do (RFC 9110 §9.3.7).
  private func serverOptions(_ output: inout ResponseWriter) -> Answer {
    var response = Response(.noContent)
    response.allow = "GET, HEAD, PATCH, PUT, POST, DELETE, OPTIONS"
    response.acceptPatch = MediaType.patch
    response.write(to: &output)
    return .complete
  }

  package func produce(_ exchange: ExchangeID, into output: inout ResponseWriter) -> Production {
    guard let result = finished.removeValue(forKey: exchange) else { return .idle }
    switch result {
    case .success(let response): response.write(to: &output)
    case .failure(let problem): problem.write(to: &output)
    }
    return .finished
  }

  package func ended(_ exchange: ExchangeID) { finished[exchange] = nil }

  package func woken() {
    for (exchange, result) in mailbox.takeAll() {
      finished[exchange] = result
      context.markReady(exchange)
    }
  }

  package func elapsed(_ token: UInt64) {}

  package func draining() {}

  package func refuse(_ rejection: Rejection, into output: inout ResponseWriter) {
    Problem(rejection).write(to: &output)
  }
}

/// Where other threads leave answers for a loop.
private final class Mailbox: Sendable {
  /// Guards the answers that wait; held only to put and to take.
  private let letters = Mutex<[(ExchangeID, Result<Response, Problem>)]>([])

  func put(_ exchange: ExchangeID, _ result: Result<Response, Problem>) {
    letters.withLock { $0.append((exchange, result)) }
  }

  func takeAll() -> [(ExchangeID, Result<Response, Problem>)] {
    letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }
}
