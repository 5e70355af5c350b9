import BinderyHTTP
import Testing

@Suite struct ConnectionMachineTests {
  private let limits = Limits()
  private var buffer = RequestBuffer(capacity: 1024)
  private var machine: ConnectionMachine

  init() { machine = ConnectionMachine(now: 0, limits: limits, generation: 7) }

  private mutating func receive(_ text: String) {
    let bytes = Array(text.utf8)
    let count = try? buffer.fill { room, start throws(Rejection) in
      for (offset, byte) in bytes.enumerated() { room[start + offset] = byte }
      return bytes.count
    }
    machine.received(count ?? 0)
  }

  private mutating func next(at now: Int64 = 0) -> ConnectionMachine.Action {
    machine.next(&buffer, now: now, limits: limits)
  }

  private mutating func answer(_ answer: Disposition, body: RequestBody = .none, keepAlive: Bool = true) {
    machine.answered(answer, body: body, keepAlive: keepAlive, &buffer)
  }

  private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test mutating func `requests are told one after the other, each with a number of its own`() {
    receive(get + get)
    #expect(next() == .respond(.none))
    #expect(machine.generation == 8)
    answer(.complete)
    #expect(next() == .respond(.none))
    #expect(machine.generation == 9)
    answer(.complete)
    #expect(next() == .read)
    #expect(machine.isIdle)
  }

  @Test mutating func `a batch ends at the limit of the pipeline`() {
    for _ in 0..<limits.pipelinedRequests {
      receive(get)
      #expect(next() == .respond(.none))
      answer(.complete)
    }
    receive(get)
    #expect(next() == .yield)
    machine.startBatch()
    #expect(next() == .respond(.none))
  }

  @Test mutating func `an open exchange holds the pipeline until it is finished`() {
    receive(get + get)
    #expect(next() == .respond(.none))
    answer(.later)
    #expect(next() == .wait)
    #expect(machine.hasOpenExchange && !machine.isStreaming)
    machine.finished(keepAlive: true, false)
    #expect(next() == .respond(.none))
    answer(.stream)
    #expect(machine.isStreaming)
    machine.finished(keepAlive: false, true)
    #expect(next() == .close(lingering: true))
  }

  @Test mutating func `an expected body is asked for once and told whole`() {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
    #expect(next() == .respond(.pending))
    answer(.needsBody, body: .pending)
    #expect(next() == .sendContinue)
    #expect(next() == .read)
    receive("x")
    guard case .respond(.complete(let range)) = next() else {
      Issue.record("no body")
      return
    }
    #expect(range.count == 1)
    #expect(machine.context.keepAlive)
  }

  @Test mutating func `an answer without the body closes, reading on for a while`() {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
    #expect(next() == .respond(.pending))
    #expect(!machine.context.keepAlive)
    answer(.complete, body: .pending, keepAlive: false)
    #expect(next() == .close(lingering: true))
  }

  @Test mutating func `a refusal closes, and nothing behind it is read`() {
    receive("GET / HTTP/1.1\r\n\r\n" + get)
    #expect(next() == .refuse(.missingHost))
    machine.refused()
    #expect(next() == .close(lingering: true))
  }

  @Test mutating func `an asked-for close reads on only if there is more`() {
    receive(get)
    #expect(next() == .respond(.none))
    answer(.complete, keepAlive: false)
    #expect(next() == .close(lingering: false))
  }

  @Test mutating func `after the peer's end nothing is waited for`() {
    receive(get)
    machine.receivedEnd()
    #expect(next() == .respond(.none))
    answer(.complete)
    #expect(next() == .close(lingering: false))
  }

  @Test mutating func `a silent connection is dropped after the time for a head, an idle one after its own`() {
    #expect(next() == .read)
    #expect(machine.expire(now: 9_999, limits: limits) == .none)
    #expect(machine.expire(now: 10_000, limits: limits) == .drop)
    receive(get)
    #expect(next(at: 5_000) == .respond(.none))
    answer(.complete)
    #expect(next(at: 5_000) == .read)
    #expect(machine.expire(now: 64_999, limits: limits) == .none)
    #expect(machine.expire(now: 65_000, limits: limits) == .drop)
  }

  @Test mutating func `the time of a head runs from its first byte and is not put off by more`() {
    for moment in stride(from: Int64(1_000), through: 10_000, by: 1_000) {
      receive("G")
      #expect(next(at: moment) == .read)
    }
    #expect(machine.expire(now: 10_999, limits: limits) == .none)
    #expect(machine.expire(now: 11_000, limits: limits) == .refuse(.headTooSlow))
  }

  @Test(arguments: [(1_200, ConnectionMachine.Expiry.none), (1_199, .refuse(.bodyTooSlow))])
  mutating func `a body keeps its pace or is refused`(bytes: Int, expected: ConnectionMachine.Expiry) {
    receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n")
    #expect(next(at: 1_000) == .read)
    machine.received(bytes)
    #expect(machine.expire(now: 5_999, limits: limits) == .none)
    #expect(machine.expire(now: 6_000, limits: limits) == expected)
  }

  @Test mutating func `each byte that the peer takes puts off the write's deadline`() {
    machine.blocked(now: 0, limits: limits)
    machine.blocked(now: 6_000, limits: limits)
    #expect(machine.expire(now: 15_999, limits: limits) == .none)
    #expect(machine.expire(now: 16_000, limits: limits) == .drop)
    machine.drained()
    #expect(machine.deadline == .max)
  }

  @Test mutating func `lingering is bounded in time and bytes`() {
    machine.refused()
    machine.startLingering(now: 0, limits: limits)
    machine.received(limits.lingerBytes)
    let isWithin = machine.mayLinger(limits: limits)
    machine.received(1)
    let isBeyond = !machine.mayLinger(limits: limits)
    #expect(isWithin && isBeyond)
    #expect(machine.expire(now: 5_000, limits: limits) == .drop)
  }
}
