import Bindery
import BindingLaws
import Testing

@testable import DeviceFleet

struct LawTests {
  @Test func `the laws of bindings hold for the fleet`() {
    var generator = SeededGenerator(seed: 1)
    let report = lawReport(of: Fleet.self, samples: [.example, .busy], using: &generator)
    #expect(report.violations == [])
    for law in Law.allCases { #expect(report.checkCounts[law, default: 0] > 0, "\(law)") }
  }

  @Test func `a computed member that does not list all its sources is found`() throws {
    var generator = SeededGenerator(seed: 1)
    let violations = lawViolations(of: ForgetfulFleet.self, using: &generator)
    let violation = try #require(violations.first)
    #expect(violation.law == .computed && violation.path == "")
    #expect(violation.detail == "“isFinished” depends on more members than `from:` lists")
  }
}

/// A fleet whose declaration forgets a source of `isFinished`: clients would miss changes of it.
private struct ForgetfulFleet: StateModel {
  var rollout = Rollout.idle
  var isLocked = false
  var isFinished: Bool { if case .finished = rollout { !isLocked } else { false } }

  static let shape = EditableShape<ForgetfulFleet>.members(
    ForgetfulFleet.init, StoredMember("rollout", \.rollout), StoredMember("isLocked", \.isLocked),
    computed: [ComputedMember("isFinished", readOnly: \.isFinished, from: \.rollout)])
}
