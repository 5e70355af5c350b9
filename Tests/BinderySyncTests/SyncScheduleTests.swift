import BinderySync
import BinderySystem
import Testing

struct SyncScheduleTests {
  @Test func `the first commit that the file lacks is written after 100 ms`() {
    var schedule = SyncSchedule(at: 0)
    #expect(schedule.deadline(mayWrite: true) == 1_000)
    schedule.didCommit(at: 10)
    schedule.didCommit(at: 90)
    #expect(schedule.deadline(mayWrite: true) == 110)
    #expect(schedule.deadline(mayWrite: false) == 1_000)
    #expect(!schedule.isWriteDue(at: 109))
    #expect(schedule.isWriteDue(at: 110))
    schedule.didWrite(from: 110, to: 112)
    #expect(!schedule.isWriteDue(at: 10_000))
  }

  @Test func `writes take at most a tenth of the time`() {
    var schedule = SyncSchedule(at: 0)
    var (now, written, writes): (Int64, Int64, Int) = (0, 0, 0)
    while now < 100_000 {
      schedule.didCommit(at: now)
      if schedule.isWriteDue(at: now) {
        let duration = Int64(200 + writes * 10)
        schedule.didWrite(from: now, to: now + duration)
        written += duration
        writes += 1
        now += duration
      } else {
        now += 1
      }
    }
    #expect(writes > 20)
    #expect(written <= 100_000 / 10 + 500)
  }

  @Test func `a write that failed is tried again after a second`() {
    var schedule = SyncSchedule(at: 0)
    schedule.didCommit(at: 0)
    schedule.didFailToWrite(at: 100)
    schedule.didCommit(at: 101)
    #expect(!schedule.isWriteDue(at: 1_099))
    #expect(schedule.isWriteDue(at: 1_100))
  }

  @Test func `the file is examined once a second and after a notification`() {
    var schedule = SyncSchedule(at: 0)
    #expect(!schedule.isLookDue(at: 999))
    #expect(schedule.isLookDue(at: 1_000))
    schedule.didSeeKnownFile(at: 1_000)
    #expect(!schedule.isLookDue(at: 1_500))
    schedule.didReceiveNotification(at: 1_500)
    #expect(schedule.isLookDue(at: 1_500))
  }

  @Test func `a change is read when it has been quiet for 50 ms`() throws {
    var schedule = SyncSchedule(at: 0)
    let stamp = try #require(FileStatus("/proc/self/exe")?.stamp)
    var isQuiet = schedule.didSeeChange(nil, at: 100)
    #expect(!isQuiet)
    #expect(schedule.isWaitingForQuiet)
    #expect(schedule.deadline(mayWrite: true) == 150)
    isQuiet = schedule.didSeeChange(stamp, at: 149) || schedule.didSeeChange(stamp, at: 198)
    #expect(!isQuiet)
    #expect(schedule.deadline(mayWrite: true) == 199)
    isQuiet = schedule.didSeeChange(stamp, at: 199)
    #expect(isQuiet)
    #expect(!schedule.isWaitingForQuiet)
    #expect(schedule.deadline(mayWrite: true) == 1_199)
  }
}
