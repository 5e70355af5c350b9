import BinderyHTTP
import Synchronization

/// The open exchanges of one event loop: requests whose response has not ended. Confined to that loop.
///
/// A connection slot has at most one exchange at a time, so a lookup is an array access and a comparison of the
/// generation. Iteration goes in the order of the slots, which is also the order of the connections in memory.
///
/// Each kind of exchange is counted and limited by itself, so that long polls cannot stop writes.
final class ExchangeTable {
  private var slots = Slots()

  /// The state of an exchange; nil if it is not open. Setting it replaces the exchange that was open in its slot.
  subscript(exchange: ExchangeID) -> OpenExchange? {
    get { slots.value(exchange) }
    set { if let newValue { slots.insert(newValue, exchange) } else { slots.remove(exchange) } }
  }

  /// Removes an exchange, and returns its state if it was open.
  @discardableResult
  func remove(_ exchange: ExchangeID) -> OpenExchange? { slots.remove(exchange) }

  /// Returns the number of open exchanges of a kind.
  func count(of kind: OpenExchange.Kind) -> Int { slots.counts[kind.rawValue] }

  /// Returns the event stream of an exchange; nil if it is none.
  func stream(_ exchange: ExchangeID) -> EventStream? {
    if case .stream(let stream)? = slots.value(exchange)?.state { stream } else { nil }
  }

  /// Returns the file transfer of an exchange; nil if it is none.
  func file(_ exchange: ExchangeID) -> FileTransfer? {
    if case .file(let transfer)? = slots.value(exchange)?.state { transfer } else { nil }
  }

  /// Returns the open exchanges in every `stride`th slot, beginning with slot `first`, in order.
  func entries(from first: Int = 0, by stride: Int = 1) -> some Sequence<(id: ExchangeID, state: OpenExchange.State)> {
    slots.entries(from: first, by: stride)
  }
}

/// A request that waits until this server has what its client has seen.
struct DelayedRequest {
  let principal: Principal
  /// Continues with the request, and returns the next state of its exchange.
  let resume: () throws(Problem) -> OpenExchange.State
}

/// A page of the history that a client waits for.
final class HistoryReading: Sendable {
  private let abandoned = Atomic(false)

  /// Whether the client has disconnected.
  var isAbandoned: Bool { abandoned.load(ordering: .relaxed) }

  /// Reports that the client has disconnected.
  func abandon() { abandoned.store(true, ordering: .relaxed) }
}

/// An exchange whose response has not ended.
struct OpenExchange {
  /// The state of an exchange: the event that it waits for, or the response that is being sent.
  enum State {
    /// The client sends the body of a request whose head has passed the middleware.
    case awaitingBody
    /// A write waits for the journal.
    case awaitingCommit
    /// A request waits until this server has what its client has seen.
    case awaitingVersion(DelayedRequest)
    /// Another thread reads the history, or reverts a revision, which goes on without the client.
    case awaitingHistory(HistoryReading?)
    /// An endpoint of the program has not returned.
    case awaitingEndpoint(Task<Void, Never>, isRead: Bool)
    /// The response can be written: `produce` makes it, so that no long ones wait in memory. Counts as the kind that it
    /// was before.
    indirect case completed(Completion, Kind)
    case longPoll(LongPoll)
    /// A long response is written slice by slice.
    case longResponse(ChunkedResponse)
    case file(FileTransfer)
    case stream(EventStream)

    /// Whether a client that closes its sending side has abandoned the exchange.
    var endsWithClient: Bool {
      switch self {
      case .awaitingEndpoint(_, let isRead): isRead
      case .longPoll: true
      default: false
      }
    }
  }

  /// How the response of a completed exchange is made.
  struct Completion {
    let makeResponse: () throws(Problem) -> Response
    /// The version of the state that `makeResponse` keeps in memory; nil if it keeps none.
    let heldVersion: HeldVersion?
  }

  /// A kind of exchange. Each has a limit of its own, so that many of one kind do not stop others.
  enum Kind: Int, CaseIterable {
    case body, commit, version, history, endpoint, longPoll, longResponse, file, stream
  }

  var state: State
  /// The header fields of every response to this request.
  var fields = FieldLines()
  /// The data for metrics and the access log; nil if there is nothing to report at the end.
  var observed: ObservedRequest?

  var kind: Kind {
    switch state {
    case .awaitingBody: .body
    case .awaitingCommit: .commit
    case .awaitingVersion: .version
    case .awaitingHistory: .history
    case .awaitingEndpoint: .endpoint
    case .completed(_, let kind): kind
    case .longPoll: .longPoll
    case .longResponse: .longResponse
    case .file: .file
    case .stream: .stream
    }
  }

  /// Whether a response from outside the event loop completes the exchange.
  var awaitsResult: Bool {
    switch state {
    case .awaitingCommit, .awaitingVersion, .awaitingHistory, .awaitingEndpoint: true
    default: false
    }
  }
}

/// The storage of an exchange table. A struct, so that each use is one access to the property that holds it.
private struct Slots {
  /// The generation of the exchange in each slot. Separate from the values, so that a miss does not touch them.
  private var generations: [UInt32?] = []
  private var values: [OpenExchange?] = []
  /// The number of open exchanges of each kind.
  private(set) var counts = [Int](repeating: 0, count: OpenExchange.Kind.allCases.count)

  private func contains(_ exchange: ExchangeID) -> Bool {
    let slot = Int(exchange.slot)
    return slot < generations.count && generations[slot] == exchange.generation
  }

  func value(_ exchange: ExchangeID) -> OpenExchange? { contains(exchange) ? values[Int(exchange.slot)] : nil }

  mutating func insert(_ value: OpenExchange, _ exchange: ExchangeID) {
    let slot = Int(exchange.slot)
    if slot >= generations.count {
      let missing = slot + 1 - generations.count
      generations.append(contentsOf: repeatElement(nil, count: missing))
      values.append(contentsOf: repeatElement(nil, count: missing))
    }
    if let previous = values[slot] { counts[previous.kind.rawValue] -= 1 }
    counts[value.kind.rawValue] += 1
    generations[slot] = exchange.generation
    values[slot] = value
  }

  @discardableResult
  mutating func remove(_ exchange: ExchangeID) -> OpenExchange? {
    guard contains(exchange) else { return nil }
    let slot = Int(exchange.slot)
    generations[slot] = nil
    let value = values[slot].take()
    if let value { counts[value.kind.rawValue] -= 1 }
    return value
  }

  func entries(from first: Int, by stride: Int) -> some Sequence<(id: ExchangeID, state: OpenExchange.State)> {
    Swift.stride(from: first, to: generations.count, by: stride).lazy.compactMap { [generations, values] slot in
      guard let generation = generations[slot], let value = values[slot] else { return nil }
      return (ExchangeID(slot: UInt32(slot), generation: generation), value.state)
    }
  }
}
