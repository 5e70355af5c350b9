import BinderyTestKit
import Testing

/// Runs random steps against the service and a reference model, and compares the two after each step.
struct StateMachineTests {
  @Test(arguments: 1...4)
  func `the menu behaves like its reference in memory`(_ seed: UInt64) throws {
    try run(.memory, seed: seed, steps: 500)
  }

  @Test(arguments: [TestTransport.socket, .curl], [100, 101] as [UInt64])
  func `the menu behaves like its reference over sockets`(_ transport: TestTransport, _ seed: UInt64) throws {
    try run(transport, seed: seed, steps: 250)
  }

  private func run(_ transport: TestTransport, seed: UInt64, steps count: Int) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      var reference = ReferenceMenu()
      var steps = StepGenerator(seed: seed)
      var before = try client.get("/state")
      for number in 0..<count {
        let step = steps.next(reference)
        var request = step.request
        // 15 % of the steps have a condition, and 40 % of those conditions do not hold.
        let holds = try steps.chance(15) ? condition(&request, client, isStale: steps.chance(40)) : true
        let reply = try client.send(request)
        let expected: String =
          if holds || step.isRefusedBeforeConditions {
            reference.perform(step, newID: reply.string("id"))
          } else {
            "412 precondition-failed"
          }
        let after = try client.get("/state")
        guard agree(reply, expected, before, after, reference) else {
          Issue.record("seed \(seed), step \(number): \(request)\n\(reply)\nexpected \(expected)")
          return #expect(after.text == reference.json)
        }
        before = after
      }
    }
  }

  /// Adds an `If-Match` field, and returns whether the condition holds.
  private func condition(_ request: inout Request, _ client: any Client, isStale: Bool) throws -> Bool {
    let tag = isStale ? "\"AAAAAAAAAAAAAAAAAAAAAA\"" : try client.get(request.target).etag
    request.fields.append(("If-Match", tag ?? "*"))
    return !isStale && tag != nil
  }

  private func agree(_ reply: Reply, _ expected: String, _ before: Reply, _ after: Reply, _ reference: ReferenceMenu)
    -> Bool
  {
    let isChanged = after.text != before.text
    return (reply.outcome == expected || (expected == "422" && reply.status == 422))
      && reply.changed == (reply.status < 300 ? isChanged : nil)
      && after.text == reference.json
      && (after.etag != before.etag) == isChanged
      && after.revision == before.revision.map { $0 + (isChanged ? 1 : 0) }
  }
}

extension ReferenceStep {
  fileprivate var isRefusedBeforeConditions: Bool {
    switch self {
    case .malformed, .readOnly: true
    default: false
    }
  }
}
