import BinderyCore
import BinderyJSON
import BinderyTestKit
import Synchronization
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
      // Two places for the tests, and both once more for the ETag of the response.
      #expect(Work.getters == 4)
      let whole = try client.text("/state")
      #expect(try send(Self.patch(Array(repeating: Self.test("", whole), count: 100)), to: client).status == 204)
      #expect(Work.getters == 4)
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

  static let longWrites: [(method: String, path: String, body: @Sendable (String) -> String)] = [
    ("PUT", "/marks", { "[\($0)]" }), ("PATCH", "", { "{\"marks\":[\($0)]}" }),
    ("PUT", "/pages/one", { "[\($0)]" }), ("PATCH", "/pages", { "{\"one\":[\($0)]}" }),
    ("PUT", "/kind/many", { "[\($0)]" }), ("PATCH", "/kind", { "{\"many\":[\($0)]}" }),
    ("PATCH", "/maybe", { "[\($0)]" }), ("POST", "/leaves", { "{\"id\":\"new\",\"marks\":[\($0)]}" }),
    ("PUT", "/leaves", { "[{\"id\":\"new\",\"marks\":[\($0)]}]" }), ("PUT", "/leaves/first/marks", { "[\($0)]" }),
  ]

  @Test(arguments: 0..<10, [true, false])
  func `a long body is decoded before the store is locked`(_ index: Int, isValid: Bool) throws {
    let (method, path, body) = Self.longWrites[index]
    try TestTransport.memory.serve(Ledger()) { client, _ throws in
      let tag = try #require(try client.get("/state" + path).etag)
      let text = body((0..<1_000).map { "\"\($0)\"" }.joined(separator: ",") + (isValid ? "" : ",1"))
      Work.reset()
      let fields: KeyValuePairs = ["If-Match": tag, "Content-Type": "application/json"]
      let reply = try client.send(method, "/state" + path, text, fields)
      #expect(reply.status == (isValid ? (method == "POST" ? 201 : 200) : 422), "\(method) \(path): \(reply)")
      // The condition is evaluated under the lock: it encodes the value at the path.
      #expect(Work.decodings == 1_000)
      #expect(Work.decodingsAfterEncoding == 0, "\(method) \(path)")
    }
  }
}

/// Counts what a ``Ledger`` does.
private enum Work {
  private struct Counts {
    var getters = 0
    var encodings = 0
    var decodings = 0
    var decodingsAfterEncoding = 0
  }

  private static let counts = Mutex(Counts())

  static var getters: Int { counts.withLock(\.getters) }
  static var encodings: Int { counts.withLock(\.encodings) }
  static var decodings: Int { counts.withLock(\.decodings) }
  static var decodingsAfterEncoding: Int { counts.withLock(\.decodingsAfterEncoding) }

  static func reset() { counts.withLock { $0 = Counts() } }
  static func countGetter() { counts.withLock { $0.getters += 1 } }
  static func countEncoding() { counts.withLock { $0.encodings += 1 } }

  static func countDecoding() {
    counts.withLock { counts in
      counts.decodings += 1
      if counts.encodings > 0 { counts.decodingsAfterEncoding += 1 }
    }
  }
}

/// A scalar that counts how often it is encoded and decoded.
private struct Mark: Editable {
  let text: String

  static let shape = EditableShape<Mark>.scalar(
    "Mark", schemaType: "string", example: "\"1\"", expected: "a mark",
    encode: { mark, writer in
      Work.countEncoding()
      writer.string(mark.text)
    },
    decode: { node in
      guard let text = node.string else { return nil }
      Work.countDecoding()
      return Mark(text: text)
    })
}

private struct Leaf: Editable, Identifiable {
  let id: String
  var marks: [Mark]

  static let shape = EditableShape<Leaf>.members(
    Leaf.init, StoredMember("id", id: \.id), StoredMember("marks", \.marks))
}

private enum Kind: Editable {
  case many([Mark])

  static let shape = EditableShape<Kind>.cases(
    EnumCase("many", Kind.many) { if case .many(let marks) = $0 { marks } else { nil } })
}

private struct Book: Editable {
  var name = "b"
  var sum: Int {
    Work.countGetter()
    return 6
  }

  static let shape = EditableShape<Book>.members(
    Book.init(name:), StoredMember("name", \.name), computed: [ComputedMember("sum", readOnly: \.sum)])
}

/// A model with a getter that reads everything.
private struct Ledger: StateModel {
  var title = "Ledger"
  var marks: [Mark]
  var pages = ["one": [Mark(text: "1")]]
  var kind = Kind.many([Mark(text: "1")])
  var maybe: [Mark]? = [Mark(text: "1")]
  var leaves = Identified(uniquing: [Leaf(id: "first", marks: [Mark(text: "1")])])
  var book = Book()
  var sum: Int {
    Work.countGetter()
    return marks.count + 3
  }

  init(title: String = "Ledger", marks: Int = 3) {
    self.title = title
    self.marks = (1...marks).map { Mark(text: String($0)) }
  }

  init(
    title: String, marks: [Mark], pages: [String: [Mark]], kind: Kind, maybe: [Mark]?, leaves: Identified<Leaf>,
    book: Book
  ) {
    (self.title, self.marks, self.pages, self.kind) = (title, marks, pages, kind)
    (self.maybe, self.leaves, self.book) = (maybe, leaves, book)
  }

  static let shape = EditableShape<Ledger>.members(
    Ledger.init(title:marks:pages:kind:maybe:leaves:book:), StoredMember("title", \.title),
    StoredMember("marks", \.marks),
    StoredMember("pages", \.pages), StoredMember("kind", \.kind), StoredMember("maybe", \.maybe),
    StoredMember("leaves", \.leaves),
    StoredMember("book", \.book), computed: [ComputedMember("sum", readOnly: \.sum)])
}
