import BinderyMenu
import BinderyTestKit
import Testing

/// Runs every scenario over every transport.
struct ScenarioTests {
  @Test(arguments: MenuScenarios.all, TestTransport.allCases)
  func `the menu responds as the scenario expects`(_ scenario: Scenario<Menu>, _ transport: TestTransport) throws {
    try transport.serve(scenario.root) { client, _ throws in try scenario.check(client) }
  }

  @Test(arguments: ZooScenarios.all, TestTransport.allCases)
  func `the zoo responds as the scenario expects`(_ scenario: Scenario<Zoo>, _ transport: TestTransport) throws {
    try transport.serve(scenario.root) { client, _ throws in try scenario.check(client) }
  }
}
