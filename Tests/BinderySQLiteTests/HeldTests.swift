import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyService
import BinderySystem
import BinderyTestKit
import Synchronization
import Testing

/// Over HTTP: what was decided on a head that is not kept yet is not said yet.
@Suite(.serialized)
struct HeldTests {
  private let journal = Bell()
  private let store: Store<Counts>
  private let service: Service<Counts>
  private let thread: BinderySystem.Thread
  private let address: SocketAddress

  init() throws {
    store = Store(Counts(), journal: journal)
    let service = try Service(
      store, key: .random(), listeningOn: ["127.0.0.1:0"], eventLoops: 1, documents: [:])
    self.service = service
    address = try #require(SocketAddress(service.addresses[0]))
    thread = try BinderySystem.Thread { try? service.run() }
  }

  /// Ends the service, and answers what a failed test has left.
  private func end() {
    while let batch = store.takeBatch() { store.finish(batch, .success(())) }
    service.stop()
    thread.join()
  }

  /// Sends a request and returns the connection on which its answer will come.
  private func send(_ method: String, _ path: String, _ body: String, _ fields: String = "") throws -> Waiting {
    let waiting = try Waiting(address)
    try waiting.send(
      "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return waiting
  }

  /// A write that gathers, and what is decided on it.
  private func hold() throws -> (write: Waiting, others: [Waiting]) {
    let first = try send("PUT", "/state/counts/a", "1")
    journal.wait()
    let equal = try send("PUT", "/state/counts/a", "1")
    let condition = try send("PATCH", "/state/counts/a", "2", "If-Match: \"nothing\"\r\n")
    let refused = try send("PATCH", "/state/counts/a", #""x""#)
    // The one loop answers this when it has seen all that came before.
    #expect(try send("GET", "/livez", "").answer.hasPrefix("200"))
    return (first, [equal, condition, refused])
  }

  @Test func `an equal write, a 412 and a 422 on what is not kept yet wait for it`() throws {
    defer { end() }
    let (write, others) = try hold()
    for waiting in [write] + others { #expect(waiting.status == nil) }
    #expect(try send("GET", "/state/counts/a", "").answer.hasPrefix("404"))
    let batch = try #require(store.takeBatch())
    store.finish(batch, .success(()))
    #expect(write.answer.hasPrefix("201"))
    #expect(others.map { $0.answer.prefix(3) } == ["200", "412", "422"])
  }

  @Test func `if the batch fails they are refused with it`() throws {
    defer { end() }
    let (write, others) = try hold()
    let batch = try #require(store.takeBatch())
    store.finish(batch, .failure(.full("no room")))
    for waiting in [write] + others { #expect(waiting.answer.hasPrefix("507")) }
    #expect(try send("GET", "/state/counts/a", "").answer.hasPrefix("404"))
    #expect(store.revision == 0)
  }
}

private struct Counts: Model {
  var counts: [String: Int] = [:]

  static let shape = Shape<Counts>.members(Counts.init, Member("counts", \.counts))
}

/// A journal that keeps nothing by itself, and tells that something has gathered.
private final class Bell: Journal {
  private let count = Atomic<Int>(0)

  func nudge() { count.add(1, ordering: .acquiringAndReleasing) }

  /// Returns when something has gathered.
  func wait() {
    while count.load(ordering: .acquiring) == 0 { BinderySystem.Thread.yield() }
  }
}

/// A connection on which an answer is waited for.
private final class Waiting {
  private let socket: ClientSocket

  /// What is not there after a fifth of a second was not sent by a server that has nothing else to do.
  init(_ address: SocketAddress) throws { socket = try ClientSocket(to: address, timeoutMilliseconds: 200) }

  func send(_ text: String) throws { try socket.send(Array(text.utf8)) }

  /// The status line's end of an answer that comes, if late.
  var answer: String {
    for _ in 0..<50 {
      if let status { return status }
    }
    return "no answer"
  }

  /// The status line's end; nil where no answer has come.
  var status: String? {
    guard let bytes = try? socket.receive(), !bytes.isEmpty else { return nil }
    return String(decoding: bytes.dropFirst("HTTP/1.1 ".count).prefix(20), as: UTF8.self)
  }
}
