import BinderyCore
import BinderyDigest
import BinderyTestKit
import Synchronization
import Testing

/// What a client does in a differential run.
enum ClientStep: Sendable, CustomStringConvertible {
  /// Sends a request on a new connection, which stays open for a long poll or an event stream.
  case send(Request)
  /// Closes one of the connections that wait for something.
  case disconnect(Int)
  /// Lets time pass, in milliseconds.
  case wait(Int64)

  var description: String {
    switch self {
    case .send(let request): "\(request)"
    case .disconnect(let index): "disconnect connection \(index)"
    case .wait(let milliseconds): "wait \(milliseconds) ms"
    }
  }
}

/// A service of one of two equal models, with its history.
final class ComparedService<Root: Sendable> {
  private let loop: MemoryLoop<Root>
  private let history = RecordedHistory()
  private var last: Snapshot<Root>
  /// The connections that wait for a long poll or receive events.
  private var open: [MemoryExchange] = []
  /// The response to the last request, if it is complete.
  private(set) var reply: Reply?
  /// The id of the last event.
  private(set) var lastEventID: String?

  init(_ root: Root, of model: ModelDefinition<Root>, key: DigestKey, history id: HistoryID = .random()) {
    let store = Store(root, of: model, journal: nil, key: key, history: id)
    loop = MemoryLoop(store, key: key, history: history)
    last = store.snapshot
  }

  var openCount: Int { open.count }
  var revision: Int { last.revision }
  var revisions: [Revision] { history.all }

  /// Performs a step.
  ///
  /// - Returns: Everything that the clients receive before the service is idle again.
  func perform(_ step: ClientStep) -> String {
    reply = nil
    switch step {
    case .send(let request):
      let exchange = loop.begin(request, lastEventID: "")
      loop.settle()
      reply = exchange.reader.reply
      open.append(exchange)
    case .disconnect(let index):
      guard open.indices.contains(index) else { return "" }
      loop.disconnect(open.remove(at: index))
    case .wait(let milliseconds): loop.advance(milliseconds: milliseconds)
    }
    loop.settle()
    record()
    return received()
  }

  /// Sends a request with a body of JSON, and returns its response.
  @discardableResult
  func send(_ method: String, _ target: String, _ body: String? = nil) throws -> Reply {
    let type = (name: "Content-Type", value: "application/json")
    _ = perform(
      .send(Request(method, target, fields: body == nil ? [] : [type], body: body.map { Array($0.utf8) })))
    return try #require(reply)
  }

  /// Keeps the revision of the last commit.
  private func record() {
    let newest = loop.store.snapshot
    guard newest.revision != last.revision else { return }
    history.append(Revision(at: 0, from: last, to: newest, loop.store.model.shape))
    last = newest
  }

  private func received() -> String {
    var lines: [String] = []
    for (index, exchange) in open.enumerated() {
      if let failure = exchange.failure { lines.append("\(index): \(failure)") }
      if let reply = exchange.reader.reply {
        lines.append("\(index): \(reply)")
        continue
      }
      if index == open.count - 1, let head = exchange.reader.head { lines.append("\(index): \(head)") }
      for event in exchange.take() {
        lines.append("\(index): \(event.type) \(event.id) \(event.data)")
        lastEventID = event.id
      }
      if !exchange.isOpen { lines.append("\(index): closed") }
    }
    open.removeAll { !$0.isOpen || $0.reader.reply != nil }
    return lines.joined(separator: "\n")
  }
}

/// The revisions of a store without a journal.
private final class RecordedHistory: History {
  private let recorded = Mutex<[Revision]>([])

  var all: [Revision] { recorded.withLock { $0 } }

  func append(_ revision: Revision) { recorded.withLock { $0.append(revision) } }

  func revisions(
    _ query: HistoryQuery, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void
  ) {
    var page = HistoryPage.Builder(query)
    let recorded = all
    for next in query.isBackward ? recorded.reversed() : recorded {
      guard page.append(next) else { break }
    }
    completion(.success(page.finish(oldest: 1)))
  }
}
