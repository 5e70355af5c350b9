import BinderyCore
import BinderyTestKit
import BindingLaws
import Testing

/// Random commits, with clients that stall, lose their connection at any byte and reconnect.
struct RandomizedStreamTests {
  @Test(arguments: 1...14) func `clients end with the value that GET returns and receive no content twice`(
    seed: UInt64
  ) throws {
    var simulation = Simulation(seed)
    for _ in 0..<150 { try simulation.step() }
    try simulation.finish()
  }

  /// One run with an event loop, its clients and random actions.
  struct Simulation {
    private var random: SeededGenerator
    private let loop: MemoryLoop<Pantry>
    private let history: StateHistory
    private var clients: [Client] = []

    struct Client {
      var replica: StreamReplica
      var exchange: MemoryExchange
      var reader: EventStreamReader
      var consumed = 0
    }

    init(_ seed: UInt64) {
      random = SeededGenerator(seed: seed)
      let store = Store(Pantry())
      loop = MemoryLoop(store)
      history = StateHistory(store)
      for _ in 0..<6 { open() }
      // Always watch so many elements of one list that the store does not compare them one by one.
      for path in Pantry.paths where path.hasPrefix("/shelves/") { open(StreamReplica(.values, [path])) }
    }

    private mutating func open() {
      let form = random.pick(StreamReplica.Form.allCases)
      let count = form == .snapshots ? Int.random(in: 1...12, using: &random) : 1
      let paths = Array(Pantry.paths.shuffled(using: &random).prefix(count))
      open(StreamReplica(form, paths, minimumInterval: random.pick([0, 0, 0, 250, 3_000])))
    }

    private mutating func open(_ replica: StreamReplica) {
      let exchange = loop.listen(replica.target)
      clients.append(Client(replica: replica, exchange: exchange, reader: EventStreamReader()))
    }

    mutating func step() throws {
      let index = clients.indices.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50: history.commit { $0.change(&random) }
      case 50..<65: loop.turn()
      case 65..<70: loop.advance(milliseconds: Int64.random(in: 0..<4_000, using: &random))
      case 70..<75: loop.pauseReading(clients[index].exchange)
      case 75..<82: loop.resumeReading(clients[index].exchange)
      case 82..<90: try cut(index)
      case 90..<93: if clients.count < 40 { open() }
      default: try consume(index, everything: false)
      }
    }

    /// Disconnects a client after a random byte, and reconnects it with its last event id.
    private mutating func cut(_ index: Int) throws {
      try consume(index, everything: false)
      loop.disconnect(clients[index].exchange)
      let cursor = clients[index].reader.parser.lastEventID
      let exchange = loop.listen(clients[index].replica.target, lastEventID: cursor)
      clients[index].exchange = exchange
      clients[index].reader = EventStreamReader(lastEventID: cursor)
      clients[index].consumed = 0
    }

    private mutating func consume(_ index: Int, everything: Bool) throws {
      let all = clients[index].exchange.bytes
      let end = everything ? all.count : Int.random(in: clients[index].consumed...all.count, using: &random)
      try clients[index].reader.append(Array(all[clients[index].consumed..<end]))
      clients[index].consumed = end
      for event in clients[index].reader.parser.events { try clients[index].replica.take(event, history) }
      clients[index].reader.parser.events = []
    }

    /// Lets all clients read to the end without further commits, and checks their content.
    mutating func finish() throws {
      for client in clients { loop.resumeReading(client.exchange) }
      loop.advance(milliseconds: 4_000)
      for index in clients.indices {
        try consume(index, everything: true)
        let replica = clients[index].replica
        #expect(replica.isCurrent(history), "\(replica.target)")
        for path in replica.paths {
          let reply = try loop.get("/state" + path.text.percentEncoded)
          #expect(replica.received[path] == (reply.status == 404 ? StateHistory.absent : Bytes(reply.text)))
        }
      }
      for client in clients { loop.disconnect(client.exchange) }
      history.commit { $0.count += 1 }
      #expect(!loop.turn(), "there are no subscribers left")
    }
  }

  @Test func `a client that subscribes during commits misses no value and receives none twice`() throws {
    let store = Store(Pantry())
    let loop = MemoryLoop(store)
    let writer = try Committer { number in store.post { $0.count = number } }
    var random = SeededGenerator(seed: 1)
    var open: [(stream: MemoryExchange, seen: Int)] = []
    for _ in 0..<1_000 {
      open.append((loop.listen("/state/count"), -1))
      loop.turn()
      for index in open.indices { open[index].seen = try Self.lastOfRising(open[index].stream, open[index].seen) }
      if open.count > 8 {
        let index = Int.random(in: open.indices, using: &random)
        loop.disconnect(open[index].stream)
        open.remove(at: index)
      }
    }
    let last = writer.end()
    loop.settle()
    #expect(!open.isEmpty)
    for (stream, seen) in open { #expect(try Self.lastOfRising(stream, seen) == last) }
  }

  struct NotRising: Error {
    let values: [String]
  }

  /// Returns the last number that a stream has sent, after checking that each is higher than the previous one.
  private static func lastOfRising(_ stream: MemoryExchange, _ seen: Int) throws -> Int {
    var seen = seen
    let values = stream.takeData()
    for value in values {
      guard let number = Int(value), number > seen else { throw NotRising(values: values) }
      seen = number
    }
    return seen
  }
}
