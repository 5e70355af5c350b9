import BinderyCore
import BinderyTestKit
import Foundation
import Testing

/// Code of a model cannot leave an invalid value behind: the state could not be opened again.
struct ModelCodeTests {
  @Test(arguments: [
    ("PATCH", "/amount/of", "11", "/amount/value"), ("PUT", "/amount/of", "11", "/amount/value"),
    ("PATCH", "", #"{"amount":{"of":11}}"#, "/amount/value"), ("PATCH", "/source", "6", "/derived"),
    ("PATCH", "", #"{"source":6}"#, "/derived"), ("PATCH", "/inverse", "0", "/ratio"),
    ("PATCH", "/label", "\"..\"", "/labels/../id"), ("PATCH", "/mode", "50", "/derived"),
    ("PATCH", "/mode", "60", "/ratio"), ("PATCH", "/mode", "70", "/date"),
  ])
  func `a write is refused if code of the model sets an invalid value`(
    _ method: String, _ path: String, _ body: String, _ pointer: String
  ) throws {
    try TestTransport.memory.serve(Careless()) { client, store throws in
      let reply = try client.send(method, "/state" + path, body)
      #expect(reply.outcome == "422 invalid-state", "\(reply)")
      #expect(reply.string("pointer") == pointer)
      #expect(store.revision == 0)
      guard method == "PATCH", !path.isEmpty else { return }
      let operations = #"[{"op":"replace","path":"\#(path)","value":\#(body)}]"#
      let fields: KeyValuePairs = ["Content-Type": "application/json-patch+json"]
      #expect(try client.send("PATCH", "/state", operations, fields).outcome == "422 invalid-state")
      #expect(store.revision == 0)
    }
  }

  @Test func `what code of the model sets is accepted if it is valid`() throws {
    try TestTransport.memory.serve(Careless()) { client, store throws in
      for (path, body) in [("/amount/of", "10"), ("/source", "5"), ("/inverse", "2"), ("/label", "\"a\"")] {
        #expect(try client.patch("/state" + path, body).status == 200)
      }
      #expect(store.revision == 4)
    }
  }

  @Test(arguments: [
    #"{"op":"test","path":"/sum","value":3}"#, #"{"op":"replace","path":"/sum","value":5}"#,
    #"{"op":"copy","from":"/sum","path":"/pair/0"}"#, #"{"op":"test","path":"","value":{"pair":[1,2],"sum":3}}"#,
  ])
  func `code of a model sees no value that breaks a constraint between operations`(_ operation: String) throws {
    try TestTransport.memory.serve(Sum()) { client, store throws in
      let fields: KeyValuePairs = ["Content-Type": "application/json-patch+json"]
      let broken = "[\(#"{"op":"remove","path":"/pair/1"}"#),\(operation)]"
      let reply = try client.send("PATCH", "/state", broken, fields)
      #expect(reply.outcome == "422 invalid-value" && reply.string("pointer") == "/0/path", "\(reply)")
      #expect(store.revision == 0)
      let repaired = #"[{"op":"remove","path":"/pair/1"},{"op":"add","path":"/pair/-","value":4},"#
      #expect(
        try client.send("PATCH", "/state", repaired + #"{"op":"test","path":"/sum","value":5}]"#, fields).status == 200)
    }
  }

  @Test func `settle may throw any error`() throws {
    try TestTransport.memory.serve(Careless()) { client, store throws in
      let reply = try client.patch("/state/mode", "80")
      #expect(reply.outcome == "422 invalid-state" && reply.string("detail") == "no mode 80")
      #expect(store.revision == 0)
    }
  }

  @Test func `a commit in Swift is refused if the model sets an invalid value`() async throws {
    let store = Store(Careless())
    for mode in [50, 60, 70] {
      let error = await #expect(throws: CommitError.self) { try await store.commit { $0.mode = mode } }
      guard case .invalidState(let state) = error else {
        Issue.record("expected an invalid state, got \(String(describing: error))")
        continue
      }
      #expect(state.message.hasPrefix("The model sets an invalid value: "))
    }
    await #expect(throws: CommitError.self) { try await store.commit { $0.date = Date(timeIntervalSince1970: .nan) } }
    #expect(store.revision == 0)
  }
}

/// Its code stops the process if the constraint is broken.
private struct Sum: StateModel {
  var pair = [1, 2]
  var sum: Int {
    get { pair[0] + pair[1] }
    set { pair[1] = newValue - pair[0] }
  }

  static let shape = EditableShape<Sum>.members(
    Sum.init(pair:), StoredMember("pair", \.pair, .count(2...2)),
    computed: [ComputedMember("sum", \.sum, from: \.pair)])
}

private struct Careless: StateModel {
  var amount = Amount()
  var source = 1 { didSet { derived = source * 2 } }
  var derived = 2
  var ratio = 1.0
  var labels: Identified<Label> = []
  var mode = 0
  var date = Date(timeIntervalSince1970: 0)
  var inverse: Double {
    get { 1 / ratio }
    set { ratio = 1 / newValue }
  }
  var label: String {
    get { labels.last?.id ?? "" }
    set { try? labels.append(Label(id: newValue)) }
  }

  struct Amount: Editable {
    var value = 1
    var of: Int {
      get { value }
      set { value = newValue }
    }

    static let shape = EditableShape<Amount>.members(
      Amount.init(value:), StoredMember("value", \.value, .within(0...10)),
      computed: [ComputedMember("of", \.of, from: \.value)])
  }

  struct Label: Editable, Identifiable {
    let id: String

    static let shape = EditableShape<Label>.members(Label.init(id:), StoredMember("id", id: \.id))
  }

  struct UnknownMode: Error, CustomStringConvertible {
    let description: String
  }

  mutating func settle(from base: Careless) throws {
    switch mode {
    case 50: derived = 50
    case 60: ratio = .nan
    case 70: date = Date(timeIntervalSince1970: .infinity)
    case 80: throw UnknownMode(description: "no mode \(mode)")
    default: break
    }
  }

  static let shape = EditableShape<Careless>.members(
    Careless.init(amount:source:derived:ratio:labels:mode:date:), StoredMember("amount", \.amount),
    StoredMember("source", \.source), StoredMember("derived", \.derived, .within(0...10)),
    StoredMember("ratio", \.ratio), StoredMember("labels", \.labels), StoredMember("mode", \.mode),
    StoredMember("date", \.date),
    computed: [ComputedMember("inverse", \.inverse, from: \.ratio), ComputedMember("label", \.label, from: \.labels)])
}
