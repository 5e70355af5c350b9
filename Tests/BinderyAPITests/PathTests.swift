import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyMenu
import BinderyTestKit
import Testing

/// Percent-encoding and escaping of paths.
struct PathTests {
  static let malformed = [
    "/state/%zz", "/state/%", "/state/%4", "/state/%00", "/state/ti%00me", "/state/%ff", "/state/%c0%af",
    "/state/%ed%a0%80", "/state/.", "/state/..", "/state/%2e", "/state/%2E%2e", "/state/../state", "/state/./time",
    "/state/~", "/state/~2", "/state/a~", "/%ff", "/state/time/%f0%9f",
  ]

  @Test(arguments: malformed, TestTransport.allCases)
  func `a malformed path is a 400`(_ target: String, _ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      for method in ["GET", "PATCH", "DELETE"] {
        let reply = try client.send(method, target, method == "PATCH" ? "1" : nil)
        #expect(reply.status == 400, "\(method) \(reply)")
        #expect(reply["Content-Type"] == "application/problem+json")
      }
    }
  }

  /// Paths that differ in their keys, in their spelling, or in where they leave the types.
  static let related = [
    "", "/count", "/counter", "/nope", "/animals", "/animals/10", "/animals/0", "/animals/00", "/animals/7",
    "/animals/x", "/animals/10/name", "/animals/0/name", "/animals/0/nick", "/animals/10/nope", "/animals/0/name/x",
    "/prices/adult", "/prices/child", "/prices/%61dult", "/prices/pensioner", "/prices/count", "/rooms/hall/size",
    "/rooms/bar/size", "/rooms/hall", "/cell/number", "/cell/herd/10/name", "/cell/herd/0/name", "/cell/empty",
    "/sheet", "/sheet/some", "/sheet/some/name", "/sheet/name", "/deep/some/some", "/deep/some/some/some",
    "/tags/0", "/animals/", "/animals//name", "/animals/10/",
  ]

  @Test func `the response to a path does not depend on earlier requests`() throws {
    var zoo = Zoo()
    zoo.cell = .herd(zoo.animals)
    zoo.sheet = .some(Room(name: "Sheet", size: 2))
    zoo.deep = .some(.some(1))
    let store = Store(zoo)
    let key = DigestKey.random()
    let client = MemoryClient(store, key: key)
    for path in Self.related + Self.related.reversed() {
      for method in ["GET", "PATCH"] {
        let request = Request(method, "/state" + path, body: method == "GET" ? nil : Array("[".utf8))
        let (reply, first) = (try client.send(request), try MemoryClient(store, key: key).send(request))
        #expect(reply.status == first.status && reply.body == first.body && reply.etag == first.etag, "\(request)")
      }
    }
  }

  static let spellings: [(target: String, place: String)] = [
    ("/%73tate/t%69me", "/state/time"), ("/state/time?", "/state/time"), ("/state/time?pretty=0", "/state/time"),
    ("/state/dishes/" + Menus.first.uppercased(), "/state/dishes/" + Menus.first),
    ("/state/dishes/%62" + Menus.first.dropFirst(), "/state/dishes/" + Menus.first),
  ]

  @Test(arguments: spellings, TestTransport.allCases)
  func `a path is percent-decoded once`(_ entry: (target: String, place: String), _ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let (reply, canonical) = (try client.get(entry.target), try client.get(entry.place))
      #expect(reply.status == 200)
      #expect(reply.body == canonical.body)
      #expect(reply.etag == canonical.etag)
      #expect(try client.get("/state/t%2569me").outcome == "404 unknown-path")
      #expect(try client.get("/state/%252e%252e").outcome == "404 unknown-path")
    }
  }

  /// Keys of a dictionary, and their path segments.
  static let keys: [(key: String, segment: String)] = [
    ("a b", "a%20b"), ("a/b", "a~1b"), ("a~b", "a~0b"), ("~1", "~01"), ("a+b", "a+b"), ("a%b", "a%25b"),
    ("ü", "%C3%BC"),
    ("🍝", "%F0%9F%8D%9D"), ("-", "-"), ("0", "0"), ("..a", "..a"), ("?", "%3F"), ("#", "%23"), ("\"", "%22"),
    ("'", "'"),
    ("\u{1}", "%01"), ("\\", "%5C"), ("e\u{301}", "e%CC%81"),
  ]

  @Test(arguments: keys, TestTransport.allCases)
  func `every non-empty key has a URL`(_ entry: (key: String, segment: String), _ transport: TestTransport)
    throws
  {
    try transport.serve(Zoo()) { client, store throws in
      try client.put("/state/prices", "{}").expect(200)
      try client.put("/state/prices/\(entry.segment)", "1").expect(201)
      let keys = store.snapshot.root.prices.keys.map { Array($0.utf8) }
      #expect(keys == [Array(entry.key.utf8)])
      #expect(try client.text("/state/prices/\(entry.segment)") == "1")
      try client.delete("/state/prices/\(entry.segment)").expect(204)
      #expect(try client.text("/state/prices") == "{}")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a dictionary cannot contain both the NFC and the NFD form of a key`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      try client.put("/state/prices/%C3%A9", "1").expect(201)
      #expect(try client.get("/state/prices/e%CC%81").outcome == "404 no-such-element")
      #expect(try client.put("/state/prices/e%CC%81", "2").outcome == "422 duplicate-member")
      #expect(try client.text("/state/prices/%C3%A9") == "1")
    }
  }

  @Test(arguments: ["%", "~", ".", "/"], [0, 1, 7, 8, 9, 15, 16, 20])
  func `a segment ends at a slash, and is plain unless a byte may need decoding`(special: String, position: Int) {
    for rest in ["a", "\u{7F}\u{1}$&-}é"] {
      var path = Array(String(repeating: rest, count: 24).utf8.prefix(21))
      let length = RequestTarget.plainSegmentLength(path.span)
      #expect(length == 21)
      path[position] = Array(special.utf8)[0]
      let shorter = RequestTarget.plainSegmentLength(path.span)
      #expect(shorter == (special == "/" ? position : nil))
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a path has at most 64 segments`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let deep = { (count: Int) in "/state" + String(repeating: "/x", count: count - 1) }
      #expect(try client.get(deep(64)).outcome == "404 unknown-path")
      #expect(try client.get(deep(65)).outcome == "404 unknown-path")
      #expect(try client.get(deep(2_000)).outcome == "404 unknown-path")
    }
  }

  @Test(arguments: [TestTransport.memory, .socket])
  func `the absolute form of a target is accepted`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      #expect(try client.text("http://localhost/state/time") == "\"tonight\"")
      #expect(try client.send("OPTIONS", "*").status == 204)
    }
  }
}

struct LongPointerTests {
  /// Explaining the path of 100,000 segments must not resolve each of its beginnings.
  @Test func `a pointer in a body has at most as many segments as a URL`() throws {
    let loop = MemoryLoop(Store(Zoo()))
    for segment in ["/x", "/some", "/rooms"] {
      let pointer = String(repeating: segment, count: 100_000)
      let patch = #"[{"op":"remove","path":"\#(pointer)"}]"#
      let reply = try loop.jsonPatch("/state", patch)
      #expect(reply.outcome == "409 unknown-path")
      #expect(try loop.get("/events?path=\(pointer.prefix(5_000))").outcome == "404 unknown-path")
      #expect(reply.string("detail") == "Expected at most 64 segments.")
    }
  }
}
