import BinderyServer
import BinderySystem
import Synchronization
import Testing

struct ExhaustionReportTests {
  @Test func `exhaustion is reported at once, and again only after a minute`() {
    let reported = Mutex<[Errno]>([])
    let report = ExhaustionReport { error in reported.withLock { $0.append(error) } }
    for now in [5, 6, 60_004] as [Int64] { report.report(.tooManyOpenFiles, now: now) }
    #expect(reported.withLock { $0 } == [.tooManyOpenFiles])
    report.report(.accessDenied, now: 60_005)
    report.report(.tooManyOpenFiles, now: 120_004)
    #expect(reported.withLock { $0 } == [.tooManyOpenFiles, .accessDenied])
  }
}
