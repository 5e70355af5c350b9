import BinderyMenu
import BinderyTestKit
import Testing

/// Every situation with every verb.
struct SituationTests {
  @Test(arguments: MenuSituations.all, Depth.allCases)
  func `the menu answers as the table says`(_ situation: Situation<Menu>, _ depth: Depth) throws {
    try depth.serve(situation.root) { client, _ throws in try situation.check(client) }
  }

  @Test(arguments: ZooSituations.all, Depth.allCases)
  func `any other model answers as the table says`(_ situation: Situation<Zoo>, _ depth: Depth) throws {
    try depth.serve(situation.root) { client, _ throws in try situation.check(client) }
  }
}
