import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyService
import BinderySystem
import BinderyTestKit
import Synchronization
import Testing

/// HTTP responses that depend on a commit that is not stored yet wait until it is.
@Suite(.serialized)
struct PendingResponseTests {
  private let journal = IdleJournal()
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
    thread = try BinderySystem.Thread { try? service.runBlocking() }
  }

  /// Completes the commits that a failed test left pending, and stops the service.
  private func stop() {
    while let batch = store.takeBatch() { store.finish(batch, .success(())) }
    service.stop()
    thread.join()
  }

  /// Sends a request on a new connection.
  private func send(_ method: String, _ path: String, _ body: String, _ fields: String = "") throws -> PendingRequest {
    let request = try PendingRequest(address)
    try request.send(
      "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return request
  }

  /// Sends a write that becomes a pending draft, and three requests whose responses depend on that draft.
  private func sendRequests() throws -> (write: PendingRequest, others: [PendingRequest]) {
    let write = try send("PUT", "/state/counts/a", "1")
    journal.waitUntilWoken()
    let equal = try send("PUT", "/state/counts/a", "1")
    let condition = try send("PATCH", "/state/counts/a", "2", "If-Match: \"nothing\"\r\n")
    let refused = try send("PATCH", "/state/counts/a", #""x""#)
    // There is only one event loop, so this response shows that it has handled all earlier requests.
    #expect(try send("GET", "/livez", "").response.hasPrefix("200"))
    return (write, [equal, condition, refused])
  }

  @Test func `an equal write, a 412 and a 422 that depend on a pending commit wait for it`() throws {
    defer { stop() }
    let (write, others) = try sendRequests()
    for request in [write] + others { #expect(request.responseIfReceived == nil) }
    #expect(try send("GET", "/state/counts/a", "").response.hasPrefix("404"))
    let batch = try #require(store.takeBatch())
    store.finish(batch, .success(()))
    #expect(write.response.hasPrefix("201"))
    #expect(others.map { $0.response.prefix(3) } == ["200", "412", "422"])
  }

  @Test func `if the batch fails, responses that depend on it fail too`() throws {
    defer { stop() }
    let (write, others) = try sendRequests()
    let batch = try #require(store.takeBatch())
    store.finish(batch, .failure(.full("no room")))
    for request in [write] + others { #expect(request.response.hasPrefix("507")) }
    #expect(try send("GET", "/state/counts/a", "").response.hasPrefix("404"))
    #expect(store.revision == 0)
  }
}

private struct Counts: StateModel {
  var counts: [String: Int] = [:]

  static let shape = EditableShape<Counts>.members(Counts.init, StoredMember("counts", \.counts))
}

/// A journal that stores nothing by itself; the test takes the batches.
private final class IdleJournal: Journal {
  private let wakeCount = Atomic<Int>(0)

  func wake() { wakeCount.add(1, ordering: .acquiringAndReleasing) }

  /// Returns after the first wake-up, when a draft is pending.
  func waitUntilWoken() {
    try? waitUntil(seconds: nil) { wakeCount.load(ordering: .acquiring) > 0 }
  }
}

/// A connection with one request whose response may be late.
private final class PendingRequest {
  private let socket: ClientSocket

  /// Connects with a receive timeout of 200 ms. A server with no other work would have responded by then.
  init(_ address: SocketAddress) throws { socket = try ClientSocket(to: address, timeoutMilliseconds: 200) }

  func send(_ text: String) throws { try socket.send(Array(text.utf8)) }

  /// The beginning of the response from its status code on. Waits up to 10 seconds.
  var response: String {
    for _ in 0..<50 {
      if let responseIfReceived { return responseIfReceived }
    }
    return "no response"
  }

  /// The beginning of the response from its status code on; nil if none arrives before the timeout.
  var responseIfReceived: String? {
    guard let bytes = try? socket.receive(), !bytes.isEmpty else { return nil }
    return String(decoding: bytes.dropFirst("HTTP/1.1 ".count).prefix(20), as: UTF8.self)
  }
}
