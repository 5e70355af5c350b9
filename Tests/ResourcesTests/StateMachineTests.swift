import TestKit
import Testing

/// Random steps against the service and against the reference, which must agree after each.
struct StateMachineTests {
  @Test(arguments: 1...8)
  func `the menu does what its reference does, in memory`(_ seed: UInt64) throws {
    try run(.memory, seed: seed, steps: 1_000)
  }

  @Test(arguments: [Depth.socket, .curl], [100, 101] as [UInt64])
  func `the menu does what its reference does, over sockets`(_ depth: Depth, _ seed: UInt64) throws {
    try run(depth, seed: seed, steps: 250)
  }

  private func run(_ depth: Depth, seed: UInt64, steps count: Int) throws {
    try depth.serve(Menus.fresh) { client, _ throws in
      var reference = ReferenceMenu()
      var steps = ReferenceSteps(seed: seed)
      var before = try client.get("/state")
      for number in 0..<count {
        let step = steps.next(reference)
        var request = step.request
        var fails = false
        if steps.chance(15), request.method != "POST" {
          fails = try condition(&request, client, stale: steps.chance(40))
        }
        let reply = try client.send(request)
        let said = reply.outcome.hasPrefix("422") || reply.outcome.hasPrefix("2") ? "\(reply.status)" : reply.outcome
        var wanted = "412 precondition-failed"
        if !fails || Self.comesBeforeConditions(step) {
          wanted = reference.perform(step, newID: reply.string("id"))
          if wanted.hasPrefix("422") { wanted = "422" }
        }
        let after = try client.get("/state")
        let isChanged = after.text != before.text
        let isFine =
          said == wanted && after.text == reference.json && (after.etag != before.etag) == isChanged
          && after.revision == before.revision! + (isChanged ? 1 : 0)
          && reply.changed == (reply.status < 300 ? isChanged : nil)
        guard isFine else {
          Issue.record(
            "seed \(seed), step \(number): \(request)\n\(reply)\nwanted \(wanted)\n\(after.text)\n\(reference.json)")
          return
        }
        before = after
      }
    }
  }

  /// Adds an `If-Match` that holds, or does not; true where it fails.
  private func condition(_ request: inout Request, _ client: any Client, stale: Bool) throws -> Bool {
    let tag = stale ? "\"AAAAAAAAAAAAAAAAAAAAAA\"" : try client.get(request.target).etag
    request.fields.append(("If-Match", tag ?? "*"))
    return stale || tag == nil
  }

  private static func comesBeforeConditions(_ step: ReferenceStep) -> Bool {
    switch step {
    case .malformed, .readOnly: true
    default: false
    }
  }
}
