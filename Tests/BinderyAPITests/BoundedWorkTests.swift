import BinderyAPI
import BinderyCore
import BinderyJSON
import BinderyTestKit
import Testing

/// The work that one request can cause while the store is locked, counted by a model.
@Suite(.serialized)
struct BoundedWorkTests {
  private static func test(_ path: String, _ value: String) -> String {
    #"{"op":"test","path":"\#(path)","value":\#(value)}"#
  }

  private static func patch(_ operations: [String]) -> String { "[" + operations.joined(separator: ",") + "]" }

  private func send(_ patch: String, to client: any Client) throws -> Reply {
    Work.reset()
    let fields: KeyValuePairs = ["Content-Type": "application/json-patch+json", "Prefer": "return=minimal"]
    return try client.send("PATCH", "/state", patch, fields)
  }

  @Test func `operations that name one computed member evaluate its getter once`() throws {
    try TestTransport.memory.serve(Ledger()) { client, _ throws in
      let tests = Array(repeating: Self.test("/sum", "6"), count: 998) + [Self.test("/book/sum", "6")]
      #expect(try send(Self.patch(tests), to: client).status == 204)
      // Two places for the tests, and three for the ETag of the response.
      #expect(Work.getters == 5)
      let whole = try client.text("/state")
      #expect(try send(Self.patch(Array(repeating: Self.test("", whole), count: 100)), to: client).status == 204)
      #expect(Work.getters == 6)
    }
  }

  @Test func `a change makes the getter run again, and a patch may do so only some times`() throws {
    try TestTransport.memory.serve(Ledger()) { client, _ throws in
      let append = #"{"op":"add","path":"/marks/-","value":"1"}"#
      let sums = (0..<3).flatMap { [Self.test("/sum", "\(6 + $0)"), append] }
      #expect(try send(Self.patch(sums), to: client).status == 204)
      let many = (0..<500).flatMap { [Self.test("/sum", "\(9 + $0)"), append] }
      let reply = try send(Self.patch(many), to: client)
      #expect(reply.outcome == "413 content-too-large" && reply.string("pointer")?.hasSuffix("/path") == true)
      #expect(Work.getters < 70)
      let copies = Array(repeating: #"{"op":"copy","from":"/book","path":"/book"}"#, count: 500)
      #expect(try send(Self.patch(copies), to: client).outcome == "413 content-too-large")
      #expect(Work.getters < 140)
      let whole = try client.text("/state/book")
      let echoes = Array(repeating: #"{"op":"replace","path":"/book","value":\#(whole)}"#, count: 500)
      #expect(try send(Self.patch(echoes), to: client).outcome == "413 content-too-large")
      #expect(Work.getters < 140)
    }
  }

  @Test func `adding and removing elements moves a limited number of others`() throws {
    try TestTransport.memory.serve(Ledger(marks: 25_000)) { client, _ throws in
      let add = #"{"op":"add","path":"/marks/0","value":"1"}"#
      let pair = [add, #"{"op":"remove","path":"/marks/0"}"#]
      let limit = PatchDocument.maximumShiftedElements
      // A pair moves 25,000 elements up, and 25,001 down, the removed one included.
      var operations = (0..<limit / 50_001).flatMap { _ in pair }
      operations += [add, #"{"op":"remove","path":"/marks/\#(50_001 - limit % 50_001)"}"#]
      #expect(try send(Self.patch(operations), to: client).status == 204)
      let before = try #require(try client.get("/state/title")["State-Revision"])
      let reply = try send(Self.patch(operations + [#"{"op":"remove","path":"/marks/24999"}"#]), to: client)
      #expect(reply.outcome == "413 content-too-large" && reply.string("pointer") == "/800/path")
      #expect(try client.get("/state/title")["State-Revision"] == before)
      // At the end, nothing moves.
      let appends = Array(repeating: #"{"op":"add","path":"/marks/-","value":"1"}"#, count: 1_000)
      #expect(try send(Self.patch(appends), to: client).status == 204)
    }
  }

  @Test func `a test compares part by part, up to the first difference`() throws {
    try TestTransport.memory.serve(Ledger(marks: 3_000)) { client, _ throws in
      let marks = Self.test("/pages", #"{"one":["1"]}"#)
      let reply = try send(Self.patch(Array(repeating: marks, count: 99) + [Self.test("/title", "1")]), to: client)
      #expect(reply.outcome == "409 test-failed" && reply.member("operation") == "99")
      // A scalar is compared by its two encodings; nothing else is encoded.
      #expect(Work.decodings == 99 && Work.encodings == 2 * 99)
      let different = try client.text("/state/marks").replacing("\"1\"", with: "\"x\"")
      #expect(try send(Self.patch([Self.test("/marks", different)]), to: client).status == 409)
      #expect(Work.decodings == 1)
      #expect(try send(Self.patch([Self.test("/marks", "[]")]), to: client).status == 409)
      #expect(Work.decodings == 0)
    }
  }

  @Test func `a long current value is not part of a problem`() throws {
    try TestTransport.memory.serve(Ledger(title: String(repeating: "x", count: 200_000))) { client, _ throws in
      let reply = try client.jsonPatch("/state", Self.patch([Self.test("/title", "\"y\"")]))
      #expect(reply.outcome == "409 test-failed" && reply.member("current") == nil && reply.body.count < 1_000)
    }
  }

  @Test func `what is wrong in any state is found before the state is looked at`() throws {
    try TestTransport.memory.serve(Ledger()) { client, _ throws in
      for (operation, outcome) in [
        (#"{"op":"add","path":"/nope","value":1}"#, "409 unknown-path"),
        (#"{"op":"add","path":"/sum","value":1}"#, "422 read-only-member"),
        (#"{"op":"remove","path":"/title"}"#, "422 not-removable"),
      ] {
        let reply = try send(Self.patch([Self.test("/sum", "0"), operation]), to: client)
        #expect(reply.outcome == outcome && reply.member("operation") == "1")
        #expect(Work.getters == 0)
      }
    }
  }

  /// Sends a JSON Patch whose getters and encodings take a time, by the clock that the test owns.
  private func send<Root: Sendable>(
    _ operations: [String], getterMilliseconds: Int64 = 0, encodingNanoseconds: Int64 = 0, to loop: MemoryLoop<Root>
  ) throws -> Reply {
    Work.reset()
    Work.getterNanoseconds = getterMilliseconds * 1_000_000
    Work.encodingNanoseconds = encodingNanoseconds
    let fields = [("Content-Type", "application/json-patch+json"), ("Prefer", "return=minimal")]
    return try loop.send(Request("PATCH", "/state", fields: fields, body: Array(Self.patch(operations).utf8)))
  }

  @Test func `getters that run again are limited to ten milliseconds of processor time`() throws {
    let loop = MemoryLoop(Store(Ledger()), processorTime: { Work.now })
    let append = #"{"op":"add","path":"/marks/-","value":"1"}"#
    let sums = (0..<4).flatMap { [Self.test("/sum", "\(6 + $0)"), append] }
    let before = try loop.get("/state")
    // The first run is free, the second and the third take 8 ms, and the fourth would take too long.
    let refused = try send(sums, getterMilliseconds: 4, to: loop)
    #expect(refused.outcome == "413 content-too-large" && refused.member("operation") == "6")
    #expect(refused.string("detail")?.hasSuffix("Split the patch into several requests.") == true)
    #expect(Work.getters == 3)
    let after = try loop.get("/state")
    #expect(after.body == before.body && after.revision == before.revision)
    // A getter that takes longer does not run again at all.
    #expect(try send(sums, getterMilliseconds: 11, to: loop).member("operation") == "2")
    #expect(Work.getters == 1)
    #expect(try send(sums, getterMilliseconds: 3, to: loop).status == 204)
  }

  /// A number whose check is counted as encodings.
  struct Cell: Editable {
    var number: Int

    static let shape = EditableShape<Cell>.scalar(
      "Cell", as: Int.self, examples: [1], expected: "a number",
      encode: { cell in
        Work.count(.encoding)
        return cell.number
      }, decode: { Cell(number: $0) })
  }

  /// A model with a long array of values that are checked, and a computed member.
  struct Column: StateModel {
    var cells = (1...1_000).map { Cell(number: $0) }
    var count: Int { cells.count }

    static let shape = EditableShape<Column>.members(
      Column.init, StoredMember("cells", \.cells), computed: [ComputedMember("count", readOnly: \.count)])
  }

  @Test func `a draft is checked again only after a change, and for ten milliseconds`() throws {
    let loop = MemoryLoop(Store(Column()), processorTime: { Work.now })
    let append = #"{"op":"add","path":"/cells/-","value":1}"#
    let tests = Array(repeating: Self.test("/count", "1001"), count: 900)
    #expect(try send([append] + tests, to: loop).status == 204)
    // Each comparison of two versions encodes some thousand cells.
    #expect(Work.encodings < 30_000)
    let pairs = (2...6).flatMap { [append, Self.test("/count", "\(1_000 + $0)")] }
    #expect(try send(pairs, encodingNanoseconds: 100, to: loop).status == 204)
    let removals = (1...5).flatMap { [#"{"op":"remove","path":"/cells/0"}"#, Self.test("/count", "\(1_006 - $0)")] }
    let refused = try send(removals, encodingNanoseconds: 2_000, to: loop)
    #expect(refused.outcome == "413 content-too-large" && refused.string("pointer")?.hasSuffix("/path") == true)
    #expect(try loop.text("/state/count") == "1006")
  }

  @Test func `what a single operation needs is free, however slow its getters are`() throws {
    let loop = MemoryLoop(Store(Ledger()), processorTime: { Work.now })
    let book = try loop.text("/state/book")
    let operations = [
      Self.test("", try loop.text("/state")), #"{"op":"replace","path":"/headline","value":"new"}"#,
      #"{"op":"replace","path":"/book","value":\#(book)}"#, #"{"op":"copy","from":"/book","path":"/book"}"#,
    ]
    for operation in operations {
      #expect(try send([operation], getterMilliseconds: 1_000, to: loop).status == 204, "\(operation)")
    }
    // All of them in one patch run the same getters again.
    let test = Self.test("", try loop.text("/state"))
    #expect(try send([test] + operations.dropFirst(), getterMilliseconds: 1_000, to: loop).status == 413)
  }

  @Test func `collections that a write leaves alone are not compared`() throws {
    try TestTransport.memory.serve(Ledger(marks: 3_000)) { client, _ throws in
      for (body, type) in [
        (#"{"title":"new"}"#, "application/json"),
        (#"[{"op":"replace","path":"/title","value":"newer"}]"#, "application/json-patch+json"),
      ] {
        Work.reset()
        let fields: KeyValuePairs = ["Content-Type": type, "Prefer": "return=minimal"]
        #expect(try client.send("PATCH", "/state", body, fields).status == 204)
        // Only the digest of the response encodes the marks.
        #expect(Work.encodings <= 3_010)
      }
    }
  }

  /// A model with a large set, whose elements are sorted by their JSON.
  struct Bag: StateModel {
    var title = "bag"
    var marks = Set((1...2_000).map { Mark(text: String($0)) })

    static let shape = EditableShape<Bag>.members(
      Bag.init, StoredMember("title", \.title), StoredMember("marks", \.marks))
  }

  @Test func `a large set is sorted once for each change`() throws {
    try TestTransport.memory.serve(Bag()) { client, _ throws in
      let marks = try client.text("/state/marks")
      Work.reset()
      #expect(try client.patch("/state/title", "\"a\"").status == 200)
      for path in ["/state/marks", "/state"] { #expect(try client.get(path).status == 200) }
      #expect(Work.encodings == 0)
      #expect(try client.send("PUT", "/state/marks", #"["b","a"]"#).text == #"["a","b"]"#)
      #expect(try client.send("PUT", "/state/marks", marks).status == 200)
      #expect(try client.text("/state/marks") == marks)
    }
  }
}
