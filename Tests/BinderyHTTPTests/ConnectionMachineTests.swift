import BinderyHTTP
import Testing

@Suite struct ConnectionMachineTests {
  private let limits = Limits()
  private var buffer = RequestBuffer(capacity: 2048)
  private var machine: ConnectionMachine

  init() { machine = ConnectionMachine(now: 0, limits: limits, generation: 7) }

  private mutating func receive(_ text: String) {
    let bytes = Array(text.utf8)
    let count = try? buffer.fill { storage, start throws(Rejection) in
      for (offset, byte) in bytes.enumerated() { storage[start + offset] = byte }
      return bytes.count
    }
    machine.received(count ?? 0)
  }

  private mutating func next(at now: Int64 = 0) -> ConnectionMachine.Action {
    machine.next(&buffer, now: now, limits: limits)
  }

  private mutating func respond(
    _ disposition: Disposition = .complete, body: RequestBody = .none, keepAlive: Bool = true
  ) {
    machine.responded(disposition, body: body, keepAlive: keepAlive, &buffer)
  }

  private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test mutating func `pipelined requests are returned in order, each with its own generation`() {
    receive(get + get)
    #expect(next() == .respond(.none))
    #expect(machine.generation == 8)
    respond()
    #expect(next() == .respond(.none))
    #expect(machine.generation == 9)
    respond()
    #expect(next() == .read)
    #expect(machine.isIdle)
  }

  @Test mutating func `a batch ends at the limit of pipelined requests`() {
    for _ in 0..<limits.pipelinedRequests {
      receive(get)
      #expect(next() == .respond(.none))
      respond()
    }
    receive(get)
    #expect(next() == .yield)
    machine.startTurn()
    #expect(next() == .respond(.none))
  }

  @Test mutating func `an open exchange blocks the pipeline until it is finished`() {
    receive(get + get)
    #expect(next() == .respond(.none))
    respond(.later)
    #expect(next() == .wait)
    #expect(machine.hasOpenExchange && !machine.isStreaming)
    machine.exchangeFinished(keepAlive: true, hasUnreadBytes: false)
    #expect(next() == .respond(.none))
    respond(.stream)
    #expect(machine.isStreaming)
    machine.exchangeFinished(keepAlive: false, hasUnreadBytes: true)
    #expect(next() == .close(lingering: true))
  }

  @Test mutating func `100 Continue is sent once and the complete body follows`() {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
    #expect(next() == .respond(.pending))
    respond(.needsBody, body: .pending)
    #expect(next() == .sendContinue)
    #expect(next() == .read)
    receive("x")
    guard case .respond(.complete(let range)) = next() else {
      Issue.record("expected a complete body")
      return
    }
    #expect(range.count == 1)
    #expect(machine.context.keepAlive)
  }

  @Test mutating func `a response before the body closes the connection and lingers`() {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
    #expect(next() == .respond(.pending))
    #expect(!machine.context.keepAlive)
    respond(.complete, body: .pending, keepAlive: false)
    #expect(next() == .close(lingering: true))
  }

  @Test(arguments: ["xy", "x", ""])
  mutating func `the body of a refused request is discarded and the next request is served`(first: String) {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n" + first)
    #expect(next() == .respond(.pending))
    #expect(machine.generation == 8 && machine.context.keepAlive)
    respond(body: .pending)
    #expect(next() == .read)
    #expect(buffer.isEmpty && !machine.isIdle)
    receive("xyz".dropFirst(first.count) + get)
    #expect(next() == .respond(.none))
    #expect(machine.generation == 9)
  }

  @Test(arguments: [(1_200, ConnectionMachine.Expiry.none), (1_199, .drop)])
  mutating func `a discarded body below the minimum transfer rate drops the connection without a second response`(
    bytes: Int, expected: ConnectionMachine.Expiry
  ) {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n")
    #expect(next() == .respond(.pending))
    respond(body: .pending)
    #expect(next(at: 1_000) == .read)
    receive(String(repeating: "x", count: bytes))
    #expect(next(at: 3_000) == .read)
    #expect(machine.expire(now: 6_000, limits: limits) == expected)
  }

  @Test mutating func `a client that ends during a discarded body gets no second response`() {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx")
    #expect(next() == .respond(.pending))
    respond(body: .pending)
    machine.receivedEnd()
    #expect(next() == .close(lingering: false))
  }

  @Test(arguments: ["Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", "Content-Length: 1048577\r\n\r\n"])
  mutating func `a refused request closes the connection if its body is chunked or too large`(rest: String) {
    receive("PUT / HTTP/1.1\r\nHost: a\r\n" + rest + get)
    guard case .respond(let body) = next() else {
      Issue.record("expected a request")
      return
    }
    #expect(body == .pending || body == .tooLarge)
    #expect(!machine.context.keepAlive)
    respond(body: body, keepAlive: false)
    #expect(next() == .close(lingering: true))
  }

  @Test mutating func `a later response that does not need the body is followed by the next request`() {
    receive("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx")
    #expect(next() == .respond(.pending))
    respond(.later, body: .pending)
    receive("yz" + get)
    #expect(next() == .wait)
    machine.exchangeFinished(keepAlive: true, hasUnreadBytes: true)
    #expect(next() == .respond(.none))
  }

  @Test mutating func `the body of an accepted request belongs to the same exchange`() {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
    #expect(next() == .respond(.pending))
    respond(.needsBody, body: .pending)
    #expect(machine.isBodyAwaited)
    #expect(next() == .read)
    receive("x")
    guard case .respond(.complete) = next() else {
      Issue.record("expected a complete body")
      return
    }
    #expect(machine.generation == 8 && !machine.isBodyAwaited)
  }

  @Test mutating func `a rejection closes the connection and later bytes are not parsed`() {
    receive("GET / HTTP/1.1\r\n\r\n" + get)
    #expect(next() == .reject(.missingHost))
    machine.rejected()
    #expect(next() == .close(lingering: true))
  }

  @Test mutating func `a requested close lingers only if there are more bytes`() {
    receive(get)
    #expect(next() == .respond(.none))
    respond(.complete, keepAlive: false)
    #expect(next() == .close(lingering: false))
  }

  @Test mutating func `a connection closes after its last response if the peer has closed its side`() {
    receive(get)
    machine.receivedEnd()
    #expect(next() == .respond(.none))
    respond()
    #expect(next() == .close(lingering: false))
  }

  @Test mutating func `a silent connection is dropped after the head timeout and an idle one after the idle timeout`() {
    #expect(next() == .read)
    #expect(machine.expire(now: 9_999, limits: limits) == .none)
    #expect(machine.expire(now: 10_000, limits: limits) == .drop)
    receive(get)
    #expect(next(at: 5_000) == .respond(.none))
    respond()
    #expect(next(at: 5_000) == .read)
    #expect(machine.expire(now: 64_999, limits: limits) == .none)
    #expect(machine.expire(now: 65_000, limits: limits) == .drop)
  }

  @Test mutating func `the head timeout runs from the first byte and later bytes do not extend it`() {
    for time in stride(from: Int64(1_000), through: 10_000, by: 1_000) {
      receive("G")
      #expect(next(at: time) == .read)
    }
    #expect(machine.expire(now: 10_999, limits: limits) == .none)
    #expect(machine.expire(now: 11_000, limits: limits) == .reject(.headTooSlow))
  }

  @Test(arguments: [(1_200, ConnectionMachine.Expiry.none), (1_199, .reject(.bodyTooSlow))])
  mutating func `a body below the minimum transfer rate is rejected`(bytes: Int, expected: ConnectionMachine.Expiry) {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n")
    #expect(next(at: 1_000) == .respond(.pending))
    respond(.needsBody, body: .pending)
    #expect(next(at: 1_000) == .read)
    machine.received(bytes)
    #expect(machine.expire(now: 5_999, limits: limits) == .none)
    #expect(machine.expire(now: 6_000, limits: limits) == expected)
  }

  @Test mutating func `each partial write extends the write deadline`() {
    machine.writeBlocked(now: 0, limits: limits)
    machine.writeBlocked(now: 6_000, limits: limits)
    #expect(machine.expire(now: 15_999, limits: limits) == .none)
    #expect(machine.expire(now: 16_000, limits: limits) == .drop)
    machine.writeCompleted()
    #expect(machine.deadline == .max)
  }

  @Test mutating func `lingering is limited in time and in bytes`() {
    machine.rejected()
    machine.startLingering(now: 0, limits: limits)
    machine.received(limits.lingerBytes)
    let isWithinLimit = machine.mayLinger(limits: limits)
    machine.received(1)
    let isAboveLimit = !machine.mayLinger(limits: limits)
    #expect(isWithinLimit && isAboveLimit)
    #expect(machine.expire(now: 5_000, limits: limits) == .drop)
  }
}
