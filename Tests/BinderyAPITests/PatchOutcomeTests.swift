import BinderyCore
import BinderyTestKit
import Testing

/// Whether the setters kept what a JSON Patch wrote is judged on the final draft.
struct PatchOutcomeTests {
  private static func replace(_ path: String, _ value: String) -> String {
    #"{"op":"replace","path":"\#(path)","value":\#(value)}"#
  }

  private static let strict: KeyValuePairs = [
    "Content-Type": "application/json-patch+json", "Prefer": "handling=strict",
  ]

  static let days: [[(card: String, isSelected: Bool)]] = [
    [("2026-11-21", false), ("2026-11-22", true)], [("2026-11-22", true), ("2026-11-21", false)],
    [("0", false), ("1", true)], [("1", true), ("0", false)], [("0", false), ("2026-11-22", true)],
  ]

  @Test(arguments: days.indices)
  func `an operation that a later one makes true is kept`(_ index: Int) throws {
    try TestTransport.memory.serve(Menus.fresh) { client, _ throws in
      let patch = Self.days[index].map { Self.replace("/days/\($0.card)/isSelected", "\($0.isSelected)") }
      let reply = try client.send("PATCH", "/state", "[\(patch.joined(separator: ","))]", Self.strict)
      #expect(reply.status == 200, "\(reply)")
      #expect(reply["Write-Outcome"] == nil)
      #expect(try client.text("/state/selectedDay") == "\"2026-11-22\"")
    }
  }

  static let outcomes: [(operations: [String], outcome: String?, operation: String?)] = [
    ([replace("/doubled", "8")], nil, nil),
    ([replace("/doubled", "9")], "adjusted", "0"),
    ([replace("/title", "\"x\""), replace("/seven", "8")], "dropped", "1"),
    ([replace("/doubled", "9"), replace("/seven", "8")], "dropped", "0"),
    // A later operation on the same place, or around it, replaces the request of an earlier one.
    ([replace("/seven", "8"), replace("/seven", "7")], nil, nil),
    ([replace("/doubled", "9"), replace("/doubled", "8")], nil, nil),
    // The stored member leads to what was asked of the computed one.
    ([replace("/doubled", "9"), replace("/count", "4")], "adjusted", "0"),
    ([replace("/count", "4"), replace("/doubled", "8")], nil, nil),
  ]

  @Test(arguments: outcomes.indices)
  func `the outcome compares what was asked with the result`(_ index: Int) throws {
    let (operations, outcome, operation) = Self.outcomes[index]
    try TestTransport.memory.serve(Zoo()) { client, _ throws in
      let patch = "[\(operations.joined(separator: ","))]"
      let refused = try client.send("PATCH", "/state", patch, Self.strict)
      #expect(refused.outcome == (outcome == nil ? "200" : "409 write-not-kept"), "\(refused)")
      #expect(refused.member("operation") == operation)
      if outcome == nil { return }
      let reply = try client.jsonPatch("/state", patch)
      #expect(reply["Write-Outcome"] == outcome)
    }
  }

  @Test func `a computed member inside a larger value counts, too`() throws {
    try TestTransport.memory.serve(Zoo()) { client, _ throws in
      let whole = try client.text("/state").replacing("\"seven\":7", with: "\"seven\":8")
      let refused = try client.send("PATCH", "/state", "[\(Self.replace("", whole))]", Self.strict)
      #expect(refused.outcome == "409 write-not-kept" && refused.member("operation") == "0")
      let kept = "[\(Self.replace("", whole)),\(Self.replace("/seven", "7"))]"
      #expect(try client.send("PATCH", "/state", kept, Self.strict).status == 200)
      #expect(try client.patch("/state", #"{"seven":8}"#)["Write-Outcome"] == "dropped")
    }
  }

  @Test func `a removal through a computed member is judged by what is left`() throws {
    try TestTransport.memory.serve(Menus.fresh) { client, _ throws in
      let remove = #"[{"op":"remove","path":"/pinnedDish"}]"#
      let reply = try client.send("PATCH", "/state", remove, Self.strict)
      #expect(reply.status == 200 && reply["Write-Outcome"] == nil)
      #expect(try client.text("/state/pinnedID") == "null")
    }
  }
}
