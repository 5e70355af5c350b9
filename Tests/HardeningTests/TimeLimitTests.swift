import BinderyHTTP
import Testing

/// The limits of time, on a clock that the test owns.
@Suite struct TimeLimitTests {
  private let limits = Limits()
  private var buffer = RequestBuffer(capacity: 4_096)
  private var machine: ConnectionMachine

  init() { machine = ConnectionMachine(now: 0, limits: limits, generation: 0) }

  private mutating func receive(_ text: String, at now: Int64) -> ConnectionMachine.Action {
    let bytes = Array(text.utf8)
    _ = buffer.fill { room, start in
      for (offset, byte) in bytes.enumerated() { room[start + offset] = byte }
      return bytes.count
    }
    machine.received(bytes.count)
    return machine.next(&buffer, now: now, limits: limits)
  }

  private mutating func expiry(at now: Int64) -> ConnectionMachine.Expiry {
    machine.expire(now: now, limits: limits)
  }

  @Test mutating func `a connection that says nothing is dropped after 10 s`() {
    #expect(machine.next(&buffer, now: 0, limits: limits) == .read)
    #expect(expiry(at: 9_999) == .none)
    #expect(expiry(at: 10_000) == .drop)
  }

  @Test mutating func `a head has 10 s from its first byte, however often another comes`() {
    for second in 0..<10 { #expect(receive("G", at: Int64(second) * 1_000) == .read) }
    #expect(expiry(at: 9_999) == .none)
    #expect(expiry(at: 10_000) == .refuse(.headTooSlow))
    #expect(Rejection.headTooSlow.status == .requestTimeout)
  }

  @Test mutating func `empty lines do not begin a head`() {
    #expect(receive(Attack.good, at: 0) == .respond(.none))
    machine.answered(.complete, body: .none, keepAlive: true, &buffer)
    #expect(receive("\r\n", at: 0) == .read)
    #expect(expiry(at: 59_999) == .none)
    #expect(expiry(at: 60_000) == .drop)
  }

  @Test(arguments: [(1_199, ConnectionMachine.Expiry.refuse(.bodyTooSlow)), (1_200, .none)])
  mutating func `a body has 240 bytes a second after 5 s`(bytes: Int, expected: ConnectionMachine.Expiry) {
    #expect(receive("HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n", at: 0) == .read)
    #expect(receive(String(repeating: "x", count: bytes), at: 4_000) == .read)
    #expect(expiry(at: 4_999) == .none)
    #expect(expiry(at: 5_000) == expected)
    #expect(machine.context.isHead, "a refusal knows that HEAD has no content")
    guard expected == .none else { return }
    // The next span is judged by itself.
    #expect(expiry(at: 9_999) == .none)
    #expect(expiry(at: 10_000) == .refuse(.bodyTooSlow))
  }

  @Test mutating func `a connection rests at most 60 s between requests`() {
    #expect(receive(Attack.good, at: 0) == .respond(.none))
    machine.answered(.complete, body: .none, keepAlive: true, &buffer)
    #expect(machine.next(&buffer, now: 0, limits: limits) == .read)
    #expect(expiry(at: 59_999) == .none)
    #expect(expiry(at: 60_000) == .drop)
  }

  @Test mutating func `a peer that takes no byte for 10 s is dropped`() {
    machine.blocked(now: 0, limits: limits)
    #expect(expiry(at: 9_999) == .none)
    #expect(expiry(at: 10_000) == .drop)
  }

  @Test mutating func `a last answer is waited for 5 s, and half a second when the server stops`() {
    machine.refused()
    machine.startLingering(now: 0, limits: limits)
    #expect(machine.deadline == 5_000)
    machine.hurry(now: 1_000, limits: limits)
    #expect(machine.deadline == 1_500)
    machine.hurry(now: 2_000, limits: limits)
    #expect(machine.deadline == 1_500, "once is enough")
  }

  @Test mutating func `a stop hurries streams whose peers take nothing, and nobody who may still be answered`() {
    #expect(receive(Attack.good, at: 0) == .respond(.none))
    machine.answered(.later, body: .none, keepAlive: true, &buffer)
    machine.blocked(now: 0, limits: limits)
    machine.hurry(now: 0, limits: limits)
    #expect(machine.deadline == 10_000)
    machine.finished(keepAlive: true, false)
    #expect(receive(Attack.good, at: 0) == .respond(.none))
    machine.answered(.stream, body: .none, keepAlive: true, &buffer)
    machine.blocked(now: 0, limits: limits)
    machine.hurry(now: 0, limits: limits)
    #expect(machine.deadline == 500)
  }
}
