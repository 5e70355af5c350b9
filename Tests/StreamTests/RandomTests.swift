import BinderyCore
import BinderyTestKit
import Testing

/// Random commits, and readers that stall, are cut at any byte and come back.
struct RandomTests {
  @Test(arguments: 1...14) func `whatever happens, clients hold what GET gives, and were told nothing twice`(
    seed: UInt64
  ) throws {
    var storm = Storm(seed)
    for _ in 0..<150 { try storm.step() }
    try storm.calm()
  }

  /// One run: a loop, its clients, and what happens to them.
  struct Storm {
    private var random: SeededGenerator
    private let loop: MemoryLoop<Pantry>
    private let chronicle: Chronicle
    private var clients: [Client] = []

    struct Client {
      var follower: Follower
      var exchange: MemoryExchange
      var reader: EventStreamReader
      var consumed = 0
    }

    init(_ seed: UInt64) {
      random = SeededGenerator(seed: seed)
      let store = Store(Pantry())
      loop = MemoryLoop(store)
      chronicle = Chronicle(store)
      for _ in 0..<6 { open() }
      // More of one list than are looked at one by one, at all times.
      for path in Pantry.paths where path.hasPrefix("/shelves/") { open(Follower(.values, [path])) }
    }

    private mutating func open() {
      let form = random.pick(Follower.Form.allCases)
      let count = form == .snapshots ? Int.random(in: 1...12, using: &random) : 1
      let paths = Array(Pantry.paths.shuffled(using: &random).prefix(count))
      open(Follower(form, paths, every: random.pick([0, 0, 0, 250, 3_000])))
    }

    private mutating func open(_ follower: Follower) {
      let exchange = loop.listen(follower.target)
      clients.append(Client(follower: follower, exchange: exchange, reader: EventStreamReader()))
    }

    mutating func step() throws {
      let index = clients.indices.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50: chronicle.commit { $0.change(&random) }
      case 50..<65: loop.turn()
      case 65..<70: loop.advance(milliseconds: Int64.random(in: 0..<4_000, using: &random))
      case 70..<75: loop.stall(clients[index].exchange)
      case 75..<82: loop.flow(clients[index].exchange)
      case 82..<90: try cut(index)
      case 90..<93: if clients.count < 40 { open() }
      default: try consume(index, everything: false)
      }
    }

    /// Cuts a client off behind any byte, and lets it come back with what it has.
    private mutating func cut(_ index: Int) throws {
      try consume(index, everything: false)
      loop.cut(clients[index].exchange)
      let cursor = clients[index].reader.parser.lastEventID
      clients[index].follower.reconnect()
      let exchange = loop.listen(clients[index].follower.target, lastEventID: cursor)
      clients[index].exchange = exchange
      clients[index].reader = EventStreamReader(lastEventID: cursor)
      clients[index].consumed = 0
    }

    private mutating func consume(_ index: Int, everything: Bool) throws {
      let all = clients[index].exchange.bytes
      let end = everything ? all.count : Int.random(in: clients[index].consumed...all.count, using: &random)
      try clients[index].reader.append(Array(all[clients[index].consumed..<end]))
      clients[index].consumed = end
      for event in clients[index].reader.parser.events { try clients[index].follower.take(event, chronicle) }
      clients[index].reader.parser.events = []
    }

    /// Everybody takes bytes again, and nothing more is committed.
    mutating func calm() throws {
      for client in clients { loop.flow(client.exchange) }
      loop.advance(milliseconds: 4_000)
      for index in clients.indices {
        try consume(index, everything: true)
        let follower = clients[index].follower
        #expect(follower.isCurrent(chronicle), "\(follower.target)")
        for path in follower.paths {
          let got = try loop.get("/state" + path.text.percentEncoded)
          #expect(follower.held[path] == (got.status == 404 ? Chronicle.absent : Bytes(got.text)))
        }
      }
      for client in clients { loop.cut(client.exchange) }
      chronicle.commit { $0.count += 1 }
      #expect(!loop.turn(), "nobody listens any more")
    }
  }

  @Test func `who subscribes while others commit loses nothing and is told nothing twice`() throws {
    let store = Store(Pantry())
    let loop = MemoryLoop(store)
    let last = 3_000
    let writer = try Committer(last) { number in store.post { $0.count = number } }
    var random = SeededGenerator(seed: 1)
    var open: [(stream: MemoryExchange, seen: Int)] = []
    while store.revision < last {
      open.append((loop.listen("/state/count"), -1))
      loop.turn()
      for index in open.indices { open[index].seen = try Self.rising(open[index].stream, open[index].seen) }
      if open.count > 8 {
        let index = Int.random(in: open.indices, using: &random)
        loop.cut(open[index].stream)
        open.remove(at: index)
      }
    }
    writer.join()
    loop.settle()
    for (stream, seen) in open { #expect(try Self.rising(stream, seen) == last) }
  }

  struct NotRising: Error {
    let values: [String]
  }

  /// The last of the numbers that a stream has told, each higher than the one before.
  private static func rising(_ stream: MemoryExchange, _ seen: Int) throws -> Int {
    var seen = seen
    let values = stream.takeData()
    for value in values {
      guard let number = Int(value), number > seen else { throw NotRising(values: values) }
      seen = number
    }
    return seen
  }
}
