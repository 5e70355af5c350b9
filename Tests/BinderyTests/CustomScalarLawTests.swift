import Bindery
import BindingLaws
import Testing

struct CustomScalarLawTests {
  @Test func `the laws hold for a model with custom scalars`() {
    var random = SeededGenerator(seed: 1)
    let report = lawReport(of: Lamp.self, using: &random)
    #expect(report.violations.isEmpty)
    #expect(report.accepted == report.generated)
  }
}
