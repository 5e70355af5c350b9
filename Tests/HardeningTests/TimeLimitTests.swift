import BinderyHTTP
import Testing

/// The timeouts, on a clock that the test controls.
@Suite struct TimeLimitTests {
  private let limits = Limits()
  private var buffer = RequestBuffer(capacity: 4_096)
  private var machine: ConnectionMachine

  init() { machine = ConnectionMachine(now: 0, limits: limits, generation: 0) }

  private mutating func receive(_ text: String, at now: Int64) -> ConnectionMachine.Action {
    let bytes = Array(text.utf8)
    _ = buffer.fill { storage, start in
      for (offset, byte) in bytes.enumerated() { storage[start + offset] = byte }
      return bytes.count
    }
    machine.received(bytes.count)
    return machine.next(&buffer, now: now, limits: limits)
  }

  private mutating func expiry(at now: Int64) -> ConnectionMachine.Expiry {
    machine.expire(now: now, limits: limits)
  }

  @Test mutating func `a silent connection is dropped after 10 s`() {
    #expect(machine.next(&buffer, now: 0, limits: limits) == .read)
    #expect(expiry(at: 9_999) == .none)
    #expect(expiry(at: 10_000) == .drop)
  }

  @Test mutating func `a head times out 10 s after its first byte even if more bytes arrive`() {
    for second in 0..<10 { #expect(receive("G", at: Int64(second) * 1_000) == .read) }
    #expect(expiry(at: 9_999) == .none)
    #expect(expiry(at: 10_000) == .reject(.headTooSlow))
    #expect(Rejection.headTooSlow.status == .requestTimeout)
  }

  @Test mutating func `empty lines do not start the head timeout`() {
    #expect(receive(Attack.good, at: 0) == .respond(.none))
    machine.responded(.complete, body: .none, keepAlive: true, &buffer)
    #expect(receive("\r\n", at: 0) == .read)
    #expect(expiry(at: 59_999) == .none)
    #expect(expiry(at: 60_000) == .drop)
  }

  @Test(arguments: [(1_199, ConnectionMachine.Expiry.reject(.bodyTooSlow)), (1_200, .none)])
  mutating func `a body needs 240 bytes per second in each interval of 5 s`(
    bytes: Int, expected: ConnectionMachine.Expiry
  ) {
    #expect(receive("HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n", at: 0) == .respond(.pending))
    machine.responded(.needsBody, body: .pending, keepAlive: true, &buffer)
    #expect(machine.next(&buffer, now: 0, limits: limits) == .read)
    #expect(receive(String(repeating: "x", count: bytes), at: 4_000) == .read)
    #expect(expiry(at: 4_999) == .none)
    #expect(expiry(at: 5_000) == expected)
    #expect(machine.context.isHead, "the error response to HEAD must have no content")
    guard expected == .none else { return }
    // The rate is measured separately in the next interval.
    #expect(expiry(at: 9_999) == .none)
    #expect(expiry(at: 10_000) == .reject(.bodyTooSlow))
  }

  @Test mutating func `a connection is dropped after 60 s without a request`() {
    #expect(receive(Attack.good, at: 0) == .respond(.none))
    machine.responded(.complete, body: .none, keepAlive: true, &buffer)
    #expect(machine.next(&buffer, now: 0, limits: limits) == .read)
    #expect(expiry(at: 59_999) == .none)
    #expect(expiry(at: 60_000) == .drop)
  }

  @Test mutating func `a client that reads nothing for 10 s is dropped`() {
    machine.writeBlocked(now: 0, limits: limits)
    #expect(expiry(at: 9_999) == .none)
    #expect(expiry(at: 10_000) == .drop)
  }

  @Test mutating func `lingering lasts 5 s and half a second when the server stops`() {
    machine.rejected()
    machine.startLingering(now: 0, limits: limits)
    #expect(machine.deadline == 5_000)
    machine.serverWillStop(now: 1_000, limits: limits)
    #expect(machine.deadline == 1_500)
    machine.serverWillStop(now: 2_000, limits: limits)
    #expect(machine.deadline == 1_500, "a second call does not extend the deadline")
  }

  @Test mutating func `a stop shortens the deadline of blocked streams but not of pending responses`() {
    #expect(receive(Attack.good, at: 0) == .respond(.none))
    machine.responded(.later, body: .none, keepAlive: true, &buffer)
    machine.writeBlocked(now: 0, limits: limits)
    machine.serverWillStop(now: 0, limits: limits)
    #expect(machine.deadline == 10_000)
    machine.exchangeFinished(keepAlive: true, hasUnreadBytes: false)
    #expect(receive(Attack.good, at: 0) == .respond(.none))
    machine.responded(.stream, body: .none, keepAlive: true, &buffer)
    machine.writeBlocked(now: 0, limits: limits)
    machine.serverWillStop(now: 0, limits: limits)
    #expect(machine.deadline == 500)
  }
}
