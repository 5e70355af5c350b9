import BinderyCore
import BinderyTestKit
import Testing

/// `PATCH p` with `{"k": v}` is the same as `PATCH p/k` with `v`, at every level.
struct MergeTests {
  /// A path, a member there, and a value for it, valid or invalid.
  static let parts: [(place: String, name: String, value: String)] = [
    ("", "count", "5"), ("", "count", "-5"), ("", "count", "101"), ("", "count", "1001"), ("", "count", "null"),
    ("", "count", "\"5\""), ("", "ratio", "1e-3"), ("", "title", "\"x\""), ("", "note", "\"x\""), ("", "note", "null"),
    ("", "tags", "[]"), ("", "tags", "[1]"), ("", "prices", #"{"adult":1}"#), ("", "prices", #"{"dog":1}"#),
    ("", "cell", "\"empty\""), ("", "cell", #"{"room":{"name":"x"}}"#), ("", "cell", #"{"point":{"x":4}}"#),
    ("", "maybeCell", #"{"number":4}"#), ("", "maybeCell", "null"), ("", "sheet", #"{"some":{"name":"x"}}"#),
    ("", "sheet", #"{"some":null}"#), ("", "deep", #"{"some":{"some":4}}"#), ("", "animals", #"[{"id":1}]"#),
    ("", "animals", #"[{"id":1,"name":"a","legs":0,"nick":null}]"#), ("", "animals", "[]"), ("", "doubled", "9"),
    ("", "doubled", "10"), ("", "seven", "8"), ("/cell", "point", #"{"x":7}"#), ("/cell/point", "x", "7"),
    ("/cell/point", "y", "null"), ("/rooms", "hall", #"{"size":2}"#), ("/rooms", "hall", "{}"),
    ("/rooms/hall", "size", "2"), ("/rooms/hall", "name", "\"\""),
    ("/rooms/hall", "door", "\"red\""), ("/animals/10", "name", "\"x\""), ("/animals/10", "legs", "1001"),
    ("/animals/0", "nick", "null"), ("/animals/0", "nick", "\"x\""), ("/prices", "adult", "0"),
  ]

  static let zoo: Zoo = {
    var zoo = Zoo()
    zoo.cell = .point(x: 1, y: 2)
    return zoo
  }()

  @Test(arguments: parts)
  func `a member in a body has the effect of a segment in the path`(_ place: String, _ name: String, _ value: String)
    throws
  {
    try TestTransport.memory.serve(Self.zoo) { whole, _ throws in
      try TestTransport.memory.serve(Self.zoo) { part, _ throws in
        let outer = try whole.patch("/state\(place)", "{\"\(name)\":\(value)}")
        let inner = try part.patch("/state\(place)/\(name)", value)
        #expect(outer.outcome == inner.outcome)
        #expect(outer.changed == inner.changed)
        #expect(outer["Write-Outcome"] == inner["Write-Outcome"])
        #expect(try whole.text("/state") == part.text("/state"))
        if let pointer = inner.string("pointer"), inner.problem != "invalid-state" {
          #expect(outer.string("pointer") == "/\(name)\(pointer)")
        }
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `structs merge at every level and keep other members`(_ transport: TestTransport) throws {
    try transport.serve(Self.zoo) { client, _ throws in
      let reply = try client.patch("/state", #"{"cell":{"point":{"y":9}},"rooms":{"hall":{"size":4}},"note":"n"}"#)
      #expect(reply.status == 200)
      #expect(reply.revision == 1)
      #expect(try client.text("/state/cell") == #"{"point":{"x":1,"y":9}}"#)
      #expect(try client.text("/state/rooms") == #"{"hall":{"name":"Hall","size":4,"door":null}}"#)
      #expect(try client.text("/state/note") == "\"n\"")
      #expect(try client.text("/state/title") == "\"Zoo\"")
    }
  }

  /// Merge patches of a dictionary, the one exception to the law (RFC 7396): the result, or the problem.
  static let dictionaryMerges: [(path: String, patch: String, result: String)] = [
    ("/prices", #"{"dog":1}"#, #"{"adult":12,"child":5,"dog":1}"#), ("/prices", #"{"adult":null}"#, #"{"child":5}"#),
    ("/prices", #"{"dog":null}"#, #"{"adult":12,"child":5}"#),
    ("/prices", #"{"adult":null,"dog":2,"child":6}"#, #"{"child":6,"dog":2}"#),
    (
      "/rooms", #"{"attic":{"name":"Attic"}}"#,
      #"{"attic":{"name":"Attic","size":1,"door":null},"hall":{"name":"Hall","size":9,"door":null}}"#
    ),
    ("/rooms", #"{"hall":null}"#, "{}"), ("/rooms", #"{"attic":{}}"#, "422 missing-member /attic/name"),
    ("/rooms", #"{"hall":{"size":1},"attic":{"size":2}}"#, "422 missing-member /attic/name"),
    ("/prices", #"{"dog":"x"}"#, "422 invalid-value /dog"), ("/prices/dog", "1", "404 no-such-element"),
    ("/notes", #"{"b":null}"#, #"{"a":null}"#), ("/notes", #"{"a":null}"#, #"{"b":"B"}"#),
    ("/notes", #"{"c":"C"}"#, #"{"a":null,"b":"B","c":"C"}"#), ("/notes/b", "null", "null"),
    ("/notes/c", "null", "404 no-such-element"), ("/fees", #"{"a":null,"b":1}"#, #"{"b":1}"#),
    ("/fees", #"{"a":null,"a":null}"#, "422 duplicate-member /a"),
    ("/fees", #"{"a":null,"a":1}"#, "422 duplicate-member /a"),
    ("/fees", #"{"a":1,"a":null}"#, "422 duplicate-member /a"),
    ("/prices", #"{"a":1,"a":null}"#, "422 duplicate-member /a"),
    ("/shownNotes", #"{"a":null,"b":"X"}"#, #"{"b":"X"}"#),
  ]

  /// Dictionaries whose values are optional, one stored and one computed from it.
  struct Notes: StateModel {
    var notes: [String: String?] = ["a": nil, "b": "B"]
    var prices = ["adult": 12, "child": 5]
    var rooms = ["hall": Room(name: "Hall", size: 9, door: nil)]
    var fees: [String: Int]?
    var shownNotes: [String: String?] {
      get { notes }
      set { notes = newValue }
    }

    static let shape = EditableShape<Notes>.members(
      Notes.init(notes:prices:rooms:fees:), StoredMember("notes", \.notes), StoredMember("prices", \.prices),
      StoredMember("rooms", \.rooms), StoredMember("fees", \.fees),
      computed: [ComputedMember("shownNotes", \.shownNotes, from: \.notes)])
  }

  @Test(arguments: dictionaryMerges, TestTransport.allCases)
  func `a merge into a dictionary adds missing keys, and null removes a key`(
    _ merge: (path: String, patch: String, result: String), _ transport: TestTransport
  ) throws {
    try transport.serve(Notes()) { client, _ throws in
      let before = try client.text("/state")
      let reply = try client.patch("/state" + merge.path, merge.patch)
      #expect(
        (reply.status == 200 ? reply.text : reply.outcome + (reply.string("pointer").map { " \($0)" } ?? ""))
          == merge.result)
      let isChanged = try client.text("/state") != before
      #expect((reply.changed == true) == isChanged)
      // The same merge one level above.
      guard merge.path.split(separator: "/").count == 1 else { return }
      try transport.serve(Notes()) { other, _ throws in
        _ = try other.patch("/state", "{\"\(merge.path.dropFirst())\":\(merge.patch)}")
        #expect(try other.text("/state") == client.text("/state"))
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `PUT of a key may store nil, and writing a dictionary back with PUT keeps it`(_ transport: TestTransport) throws
  {
    try transport.serve(Notes()) { client, _ throws in
      #expect(try client.put("/state/notes/c", "null").status == 201)
      #expect(try client.text("/state/notes") == #"{"a":null,"b":"B","c":null}"#)
      let value = try client.text("/state/notes")
      #expect(try client.put("/state/notes", value).changed == false)
      #expect(try client.patch("/state/notes", value).text == #"{"b":"B"}"#)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a nil optional needs a complete value and a non-nil one merges`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      #expect(try client.patch("/state/sheet", #"{"some":{"size":4}}"#).outcome == "422 missing-member")
      #expect(
        try client.patch("/state/sheet", #"{"some":{"name":"Den"}}"#).text
          == #"{"some":{"name":"Den","size":1,"door":null}}"#)
      #expect(
        try client.patch("/state/sheet", #"{"some":{"size":4}}"#).text
          == #"{"some":{"name":"Den","size":4,"door":null}}"#)
      #expect(
        try client.patch("/state/sheet/some", #"{"door":"red"}"#).text == #"{"name":"Den","size":4,"door":"red"}"#)
      #expect(try client.patch("/state/sheet/some", #"{"door":null}"#).text == #"{"name":"Den","size":4,"door":null}"#)
      #expect(try client.patch("/state/sheet", "{}")["State-Changed"] == "?0")
      #expect(try client.patch("/state/sheet", #"{"some":null}"#).text == #"{"some":null}"#)
      #expect(try client.patch("/state/sheet", "{}").text == #"{"some":null}"#)
      #expect(try client.patch("/state/sheet", "null").text == "null")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `the active case merges and another case needs a complete value`(_ transport: TestTransport)
    throws
  {
    try transport.serve(Self.zoo) { client, _ throws in
      #expect(try client.patch("/state/cell", #"{"point":{"x":5}}"#).text == #"{"point":{"x":5,"y":2}}"#)
      #expect(try client.patch("/state/cell", #"{"room":{"size":5}}"#).outcome == "422 missing-member")
      #expect(
        try client.patch("/state/cell", #"{"room":{"name":"a"}}"#).text
          == #"{"room":{"name":"a","size":1,"door":null}}"#)
      #expect(
        try client.patch("/state/cell", #"{"room":{"size":5}}"#).text == #"{"room":{"name":"a","size":5,"door":null}}"#)
      #expect(try client.patch("/state/cell", #"{"point":{"x":5}}"#).outcome == "422 missing-member")
      #expect(try client.patch("/state/cell", "\"empty\"").text == "\"empty\"")
    }
  }
}
