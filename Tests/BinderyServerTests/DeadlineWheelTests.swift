import BinderyServer
import Testing

@Suite struct DeadlineWheelTests {
  @Test(arguments: [0, 1, 63, 64, 65, 1_000, 60_000, 64_000])
  func `a slot is told at its deadline or at most a tick later, never before`(delay: Int64) {
    var wheel = DeadlineWheel(now: 12_345)
    let due = 12_345 + delay
    let tick = wheel.insert(7, due: due, now: 12_345)
    var slots: [UInt32] = []
    #expect(wheel.takeDue(now: due - 1, into: &slots) == nil)
    let told = due + DeadlineWheel.tickMilliseconds
    #expect(wheel.nextDue.map { $0 >= due && $0 < told } == true)
    #expect(wheel.takeDue(now: told, into: &slots) == tick)
    #expect(slots == [7])
    #expect(wheel.takeDue(now: told, into: &slots) == nil && wheel.nextDue == nil)
  }

  @Test func `a deadline beyond the wheel is told early, to be put in again`() {
    var wheel = DeadlineWheel(now: 0)
    let tick = wheel.insert(1, due: 1_000_000, now: 0)
    #expect(tick < DeadlineWheel.tick(of: 1_000_000))
  }

  @Test func `many slots come in the order of their ticks, after a long silence too`() {
    var wheel = DeadlineWheel(now: 0)
    for start: Int64 in [0, 500_000] {
      for slot in 0..<100 { _ = wheel.insert(UInt32(slot), due: start + Int64((slot * 37) % 100) * 64, now: start) }
      var slots: [UInt32] = []
      var told: [UInt32] = []
      var last = Int64.min
      while let tick = wheel.takeDue(now: start + 10_000, into: &slots) {
        #expect(tick > last)
        last = tick
        told += slots
      }
      #expect(told.sorted() == (0..<100).map { UInt32($0) })
    }
  }
}
