import BinderyCore
import BinderySystem
import BinderyTestKit
import Synchronization
import Testing

/// Many clients at once.
struct ConcurrencyTests {
  private static let writers = 64
  private static let incrementsEach = 5

  @Test func `64 writers with If-Match on one counter lose no update`() throws {
    let live = try LiveService(Shelf(boxes: [:]), eventLoops: 2)
    defer { live.stop() }
    let failures = Mutex<[String]>([])
    let address = live.address
    let threads = try (0..<Self.writers).map { number in
      try Thread {
        do {
          let client: any Client = number.isMultiple(of: 2) ? try CurlClient(address) : try SocketClient(address)
          for _ in 0..<Self.incrementsEach { try Self.increment(client) }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(failures.withLock { $0 } == [])
    let total = Self.writers * Self.incrementsEach
    #expect(live.store.snapshot.root.counter == total)
    #expect(live.store.revision == total)
  }

  struct Surprise: Error {
    let reply: Reply
  }

  /// Reads, adds one, and writes if nobody was faster; a 412 tells at once what to add to.
  private static func increment(_ client: any Client) throws {
    let first = try client.get("/state/counter")
    var (value, tag) = (Int(first.text), first.etag)
    while true {
      guard let old = value, let current = tag else { throw Surprise(reply: first) }
      let reply = try client.put("/state/counter", "\(old + 1)", ["If-Match": current])
      switch reply.status {
      case 200: return
      case 412: (value, tag) = (reply.member("current").flatMap { Int($0) }, reply.string("currentETag"))
      default: throw Surprise(reply: reply)
      }
    }
  }

  @Test func `a reader never sees a revision go back, nor a value that is not its own`() throws {
    let live = try LiveService(Shelf(boxes: [:]), eventLoops: 2)
    defer { live.stop() }
    let address = live.address
    let isDone = Mutex(false)
    let oddities = Mutex<[String]>([])
    let readers = try (0..<4).map { _ in
      try Thread {
        guard let client = try? SocketClient(address) else { return }
        var last = 0
        while !isDone.withLock({ $0 }) {
          guard let reply = try? client.get("/state/counter"), let revision = reply.revision else { continue }
          if revision < last || reply.text != "\(revision)" { oddities.withLock { $0.append("\(last) \(reply)") } }
          last = revision
        }
      }
    }
    let writer = try SocketClient(address)
    for number in 1...500 {
      let reply = try writer.put("/state/counter", "\(number)")
      #expect(reply.revision == number)
      // An acknowledged write is seen by whoever asks next, on whatever loop.
      let other = try SocketClient(address)
      if number.isMultiple(of: 50) { #expect(try other.text("/state/counter") == "\(number)") }
    }
    isDone.withLock { $0 = true }
    for reader in readers { reader.join() }
    #expect(oddities.withLock { $0 } == [])
  }
}
