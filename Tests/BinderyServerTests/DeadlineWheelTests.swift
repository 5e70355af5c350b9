import BinderyServer
import Testing

@Suite struct DeadlineWheelTests {
  @Test(arguments: [0, 1, 63, 64, 65, 1_000, 60_000, 64_000])
  func `a slot is due at its deadline or at most one tick later and never early`(delay: Int64) {
    var wheel = DeadlineWheel(now: 12_345)
    let due = 12_345 + delay
    let tick = wheel.insert(7, due: due, now: 12_345)
    var slots: [UInt32] = []
    #expect(wheel.takeDue(now: due - 1, into: &slots) == nil)
    let latest = due + DeadlineWheel.tickMilliseconds
    #expect(wheel.nextDue.map { $0 >= due && $0 < latest } == true)
    #expect(wheel.takeDue(now: latest, into: &slots) == tick)
    #expect(slots == [7])
    #expect(wheel.takeDue(now: latest, into: &slots) == nil && wheel.nextDue == nil)
  }

  @Test func `a deadline beyond the range of the wheel is due early so that it can be inserted again`() {
    var wheel = DeadlineWheel(now: 0)
    let tick = wheel.insert(1, due: 1_000_000, now: 0)
    #expect(tick < DeadlineWheel.tick(of: 1_000_000))
  }

  @Test func `many slots are due in the order of their ticks even after a long pause`() {
    var wheel = DeadlineWheel(now: 0)
    for start: Int64 in [0, 500_000] {
      for slot in 0..<100 { _ = wheel.insert(UInt32(slot), due: start + Int64((slot * 37) % 100) * 64, now: start) }
      var slots: [UInt32] = []
      var dueSlots: [UInt32] = []
      var last = Int64.min
      while let tick = wheel.takeDue(now: start + 10_000, into: &slots) {
        #expect(tick > last)
        last = tick
        dueSlots += slots
      }
      #expect(dueSlots.sorted() == (0..<100).map { UInt32($0) })
    }
  }
}
