import BinderyHTTP
import Synchronization
import Testing

@Suite struct LoopContextTests {
  @Test func `several wake requests are coalesced until the loop takes them`() {
    let signals = SignalCount()
    let handle = LoopHandle { signals.add() }
    #expect(handle.willSleep())
    handle.wake()
    handle.wake()
    #expect(signals.count == 1)
    handle.didWake()
    #expect(handle.takeWake())
    #expect(!handle.takeWake())
    #expect(handle.willSleep())
    handle.wake()
    #expect(signals.count == 2)
  }

  @Test func `a running loop needs no signal and does not wait while a wake request is pending`() {
    let signals = SignalCount()
    let handle = LoopHandle { signals.add() }
    handle.wake()
    #expect(signals.count == 0)
    #expect(!handle.willSleep())
    handle.didWake()
    #expect(handle.takeWake())
    #expect(handle.willSleep())
  }

  @Test func `ready streams are taken in parts and in order after other exchanges`() {
    let context = LoopContext(index: 0, handle: LoopHandle {}, nowMilliseconds: 0)
    let streams = (0..<1_000).map { ExchangeID(slot: $0, generation: 1) }
    context.markStreamsReady(streams)
    var taken: [ExchangeID] = []
    context.takeReady(into: &taken)
    #expect(!taken.isEmpty && taken.count < 1_000 && context.nextWorkMilliseconds == .min)
    var takenStreams = taken
    let other = ExchangeID(slot: 5_000, generation: 1)
    context.markReady(other)
    context.takeReady(into: &taken)
    #expect(taken.first == other)
    takenStreams += taken.dropFirst()
    while context.nextWorkMilliseconds == .min {
      context.takeReady(into: &taken)
      takenStreams += taken
    }
    #expect(takenStreams == streams)
  }

  @Test func `timers fire in the order of their times and not early`() {
    let context = LoopContext(index: 0, handle: LoopHandle {}, nowMilliseconds: 1_000)
    for delay in [50, 10, 40, 20, 30, 60, 5] { context.schedule(after: Int64(delay), token: UInt64(delay)) }
    #expect(context.nextWorkMilliseconds == 1_005)
    context.nowMilliseconds = 1_045
    var tokens: [UInt64] = []
    while let token = context.takeDueTimer() { tokens.append(token) }
    #expect(tokens == [5, 10, 20, 30, 40])
    #expect(context.nextWorkMilliseconds == 1_050)
  }

  @Test func `a ready exchange is taken once`() {
    let context = LoopContext(index: 0, handle: LoopHandle {}, nowMilliseconds: 0)
    context.markReady(ExchangeID(slot: 1, generation: 2))
    #expect(context.nextWorkMilliseconds == .min)
    var ready: [ExchangeID] = []
    context.takeReady(into: &ready)
    #expect(ready == [ExchangeID(slot: 1, generation: 2)] && context.nextWorkMilliseconds == .max)
  }
}

private final class SignalCount: Sendable {
  private let value = Atomic(0)
  var count: Int { value.load(ordering: .relaxed) }
  func add() { value.add(1, ordering: .relaxed) }
}
