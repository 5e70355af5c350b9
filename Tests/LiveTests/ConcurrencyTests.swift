import BinderyCore
import BinderySystem
import BinderyTestKit
import Synchronization
import Testing

/// Concurrent clients.
struct ConcurrencyTests {
  private static let writers = 64
  private static let incrementsPerWriter = 5

  @Test func `64 writers with If-Match on one counter lose no update`() throws {
    let live = try LiveService(Shelf(boxes: [:]), eventLoops: 2)
    defer { live.stop() }
    let failures = Mutex<[String]>([])
    let address = live.address
    let threads = try (0..<Self.writers).map { number in
      try Thread {
        do {
          let client: any Client = number.isMultiple(of: 2) ? try CurlClient(address) : try SocketClient(address)
          for _ in 0..<Self.incrementsPerWriter { try Self.increment(client) }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(failures.withLock { $0 } == [])
    let total = Self.writers * Self.incrementsPerWriter
    #expect(live.store.snapshot.root.counter == total)
    #expect(live.store.revision == total)
  }

  struct UnexpectedReply: Error {
    let reply: Reply
  }

  /// Increments the counter with `If-Match`. The problem document of a 412 contains the current value for the retry.
  private static func increment(_ client: any Client) throws {
    let first = try client.get("/state/counter")
    var (value, tag) = (Int(first.text), first.etag)
    while true {
      guard let current = value, let currentTag = tag else { throw UnexpectedReply(reply: first) }
      let reply = try client.put("/state/counter", "\(current + 1)", ["If-Match": currentTag])
      switch reply.status {
      case 200: return
      case 412: (value, tag) = (reply.member("current").flatMap { Int($0) }, reply.string("currentETag"))
      default: throw UnexpectedReply(reply: reply)
      }
    }
  }

  @Test func `readers see increasing revisions, and each revision with its own value`() throws {
    let live = try LiveService(Shelf(boxes: [:]), eventLoops: 2)
    defer { live.stop() }
    let address = live.address
    let isDone = Mutex(false)
    let violations = Mutex<[String]>([])
    let reads = Mutex(0)
    let readers = try (0..<4).map { _ in
      try Thread {
        guard let client = try? SocketClient(address) else { return }
        var last = 0
        while !isDone.withLock({ $0 }) {
          guard let reply = try? client.get("/state/counter"), let revision = reply.revision else {
            return violations.withLock { $0.append("no value after \(last)") }
          }
          reads.withLock { $0 += 1 }
          if revision < last || reply.text != "\(revision)" { violations.withLock { $0.append("\(last) \(reply)") } }
          last = revision
        }
      }
    }
    let writer = try SocketClient(address)
    for number in 1...500 {
      let reply = try writer.put("/state/counter", "\(number)")
      #expect(reply.revision == number)
      // After the response to a write, all clients on all event loops see its value.
      let other = try SocketClient(address)
      if number.isMultiple(of: 50) { #expect(try other.text("/state/counter") == "\(number)") }
    }
    isDone.withLock { $0 = true }
    for reader in readers { reader.join() }
    #expect(violations.withLock { $0 } == [])
    #expect(reads.withLock { $0 } > 0)
  }
}
