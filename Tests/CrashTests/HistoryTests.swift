import BinderyJSON
import BinderyTestKit
import Testing

/// The resource `/history` over HTTP.
@Suite(.serialized)
struct HistoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The kinds of stores, whose histories are the same.
  enum Store: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, memory

    var testDescription: String { rawValue }

    fileprivate func location(in folder: TemporaryFolder) -> String {
      self == .sqlite ? folder("store.db") : "memory"
    }
  }

  private static let json: SocketClient.Fields = ["Content-Type": "application/json"]

  @Test(arguments: Store.allCases)
  func `revisions are listed with their patches and undo patches`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try server.client
    #expect(try client.get("/history").text == #"{"revisions":[],"oldest":1}"#)
    _ = try client.patch("/state/pinnedDish", #"{"isFavorite":true}"#)
    _ = try client.put("/state/dishes/00000000-0000-8000-8000-0000000000aa", #"{"name":"Soup"}"#)
    let all = try client.get("/history")
    #expect(all["Cache-Control"] == "no-store")
    let revisions = try #require(all.json?["revisions"]).elements.map { $0 }
    #expect(revisions.map { String(decoding: $0["revision"]?.text ?? [], as: UTF8.self) } == ["1", "2"])
    #expect(all.text.contains(#""patch":[{"op":"add","path":"/dishes/4","value":{"id":"00000000"#))
    #expect(all.text.contains(#""undo":[{"op":"remove","path":"/dishes/00000000-0000-8000-8000-0000000000aa"}]"#))
    let first = try client.get("/history?limit=1")
    #expect(first["Link"] == "</history?after=1&limit=1>; rel=\"next\"")
    #expect(try client.get("/history?after=2").text == #"{"revisions":[],"oldest":1}"#)
  }

  @Test(arguments: Store.allCases)
  func `a revert restores hidden and read-only members too`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try server.client
    let before = try client.get("/state")
    _ = try client.patch("/state", #"{"time":{"custom":"2026-12-24T18:00:00Z"}}"#)
    let reverted = try client.send("POST", "/history/1/revert", nil, Self.json)
    #expect(reverted.outcome == "200")
    #expect(reverted.text == #"{"revision":2}"#)
    #expect(reverted.changed == true)
    #expect(try client.get("/state").etag == before.etag)
    // A revert is a revision too and can be reverted.
    #expect(try client.send("POST", "/history/2/revert", nil, Self.json).status == 200)
    #expect(try client.get("/state/lastCustomTime").text == #""2026-12-24T18:00:00.000Z""#)
  }

  @Test(arguments: Store.allCases)
  func `a revert honors conditions on the complete state`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try server.client
    let before = try #require(try client.get("/state").etag)
    _ = try client.patch("/state/time", #""tomorrow""#)
    let after = try #require(try client.get("/state").etag)
    func revert(_ name: String, _ value: String) throws -> Reply {
      try client.send("POST", "/history/1/revert", nil, ["Content-Type": "application/json", name: value])
    }
    for (name, value) in [
      ("If-Match", before), ("If-Match", "\"x\""), ("If-None-Match", after), ("If-None-Match", "*"),
    ] {
      let refused = try revert(name, value)
      #expect(refused.outcome == "412 precondition-failed")
      #expect(refused.string("currentETag") == after && refused.member("current") == nil)
    }
    #expect(try client.get("/state/time").text == #""tomorrow""#)
    #expect(try revert("If-Match", after).changed == true)
    #expect(try client.get("/state").etag == before)
    // The change is gone, so the revision cannot be reverted again.
    #expect(try revert("If-Match", "*").outcome == "409 changed-since")
  }

  @Test(arguments: Store.allCases)
  func `a revert is rejected if a later revision changed the same value`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try server.client
    _ = try client.patch("/state/pinnedDish", #"{"name":"one","isFavorite":true}"#)
    _ = try client.patch("/state/time", #""tomorrow""#)
    _ = try client.patch("/state/pinnedDish", #"{"name":"two"}"#)
    let refused = try client.send("POST", "/history/1/revert", nil, Self.json)
    #expect(refused.outcome == "409 changed-since")
    #expect(refused.string("pointer")?.hasSuffix("/name") == true)
    // Later changes of other values do not prevent a revert.
    #expect(try client.send("POST", "/history/2/revert", nil, Self.json).status == 200)
    #expect(try client.get("/state/time").text == #""tonight""#)
    #expect(try client.get("/state/pinnedDish/name").text == #""two""#)
    // An inserted element is removed only if it has not changed since.
    _ = try client.put("/state/dishes/00000000-0000-8000-8000-0000000000aa", #"{"name":"Soup"}"#)
    _ = try client.patch("/state/dishes/00000000-0000-8000-8000-0000000000aa", #"{"isFavorite":true}"#)
    #expect(try client.send("POST", "/history/5/revert", nil, Self.json).outcome == "409 changed-since")
  }

  @Test(arguments: Store.allCases)
  func `a move is reverted only if the element is still where it was moved to`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try server.client
    let ids = try #require(try client.get("/state/dishes").json).elements.compactMap { $0["id"]?.string }
    func move(_ index: Int, to target: Int) throws -> Int? {
      let patch = #"[{"op":"move","from":"/dishes/\#(ids[index])","path":"/dishes/\#(target)"}]"#
      return try client.jsonPatch("/state", patch).revision
    }
    let before = try client.get("/state/dishes").etag
    #expect(try move(0, to: 3) == 1)
    #expect(try move(0, to: 1) == 2)
    let refused = try client.send("POST", "/history/1/revert", nil, Self.json)
    #expect(refused.outcome == "409 changed-since")
    #expect(refused.string("pointer") == "/dishes/\(ids[0])")
    #expect(try client.send("POST", "/history/2/revert", nil, Self.json).status == 200)
    #expect(try client.send("POST", "/history/1/revert", nil, Self.json).status == 200)
    #expect(try client.get("/state/dishes").etag == before)
  }

  @Test(arguments: Store.allCases)
  func `revisions beyond the retention are removed`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder), options: ["--history-revisions", "3"])
    let client = try server.client
    for number in 1...10 { _ = try client.patch("/state/pinnedDish", #"{"name":"dish \#(number)"}"#) }
    #expect(try client.get("/history").member("oldest") == "8")
    #expect(try client.get("/history?after=7").status == 200)
    #expect(try client.get("/history?after=3").outcome == "410 gone")
    #expect(try client.send("POST", "/history/7/revert", nil, Self.json).outcome == "410 gone")
    #expect(try client.send("POST", "/history/99/revert", nil, Self.json).outcome == "404 no-such-element")
  }

  @Test func `the size of the history is limited while serving`() throws {
    let server = try Server(store: folder("store.db"), options: ["--history-bytes", "3000000"])
    let client = try CurlClient(server.address)
    for round in 0..<20 {
      let dishes = (10_000..<13_000).map { number in
        #"{"id":"000\#(number)-0000-8000-8000-0000000000\#(10 + round)","name":"x","isFavorite":false,"#
          + #""status":{"inStock":{"quantity":1}}}"#
      }
      let body = "[" + dishes.joined(separator: ",") + "]"
      #expect(try client.put("/state/dishes", body, ["Prefer": "return=minimal"]).status == 204)
    }
    let oldest = try #require(try client.get("/history?after=20").member("oldest").flatMap { Int($0) })
    #expect((17...20).contains(oldest))
    #expect(try client.get("/history?after=1").outcome == "410 gone")
    // All revisions together have more than 16 MB. Those after the last snapshot are kept for the next start.
    let metrics = try client.get("/metrics").text
    let stored = metrics.firstMatch(of: /(?m)^bindery_history_bytes ([0-9]+)$/).flatMap { Int($0.output.1) }
    #expect(try #require(stored) < 9_000_000)
  }

  @Test(arguments: Store.allCases)
  func `a long history is split into pages that link to the next one`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try CurlClient(server.address)
    for round in 0..<6 {
      let dishes = (10_000..<13_000).map { number in
        #"{"id":"000\#(number)-0000-8000-8000-00000000000\#(round)","name":"x","isFavorite":false,"#
          + #""status":{"inStock":{"quantity":1}}}"#
      }
      let body = "[" + dishes.joined(separator: ",") + "]"
      #expect(try client.put("/state/dishes", body, ["Prefer": "return=minimal"]).status == 204)
    }
    var numbers: [Int] = []
    var next: Substring? = "/history?limit=1000"
    var pages = 0
    while let target = next {
      let page = try client.get(String(target))
      #expect(page.body.count < 4 * 1024 * 1024)
      let revisions = try #require(page.json?["revisions"]).elements
      numbers += revisions.compactMap { Int(String(decoding: $0["revision"]?.text ?? [], as: UTF8.self)) }
      next = page["Link"].map { $0.dropFirst().prefix { $0 != ">" } }
      pages += 1
    }
    #expect(numbers == Array(1...6) && pages > 1)
  }

  @Test(arguments: Store.allCases)
  func `a page after the largest integer is empty`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try server.client
    for number in [Int.max, Int.max - 1] {
      #expect(try client.get("/history?after=\(number)").text == #"{"revisions":[],"oldest":1}"#)
    }
    #expect(try client.get("/history?after=\(UInt(Int.max) + 1)").outcome == "400 malformed-query")
    #expect(try client.get("/livez").status == 200)
  }

  @Test func `without a history there are no revisions, and the HTTP rules of other resources hold`() throws {
    let server = try Server(store: "memory", options: ["--history-revisions", "0"])
    let client = try server.client
    _ = try client.patch("/state/time", #""tomorrow""#)
    #expect(try client.get("/history").text == #"{"revisions":[],"oldest":2}"#)
    #expect(try client.send("POST", "/history/1/revert", nil, Self.json).outcome == "410 gone")
    #expect(try client.options("/history")["Allow"] == "GET, HEAD, OPTIONS")
    #expect(try client.options("/history/1/revert")["Allow"] == "POST, OPTIONS")
    #expect(try client.delete("/history")["Allow"] == "GET, HEAD, OPTIONS")
    #expect(try client.get("/history/1/revert").outcome == "405 method-not-allowed")
    #expect(try client.get("/history/1").outcome == "404 unknown-path")
    #expect(try client.get("/history?limit=0").outcome == "400 malformed-query")
    let text: KeyValuePairs = ["Content-Type": "text/plain"]
    #expect(try client.send("POST", "/history/1/revert", nil, text).outcome == "415 unsupported-media-type")
    #expect(try client.get("/history", ["Accept": "text/html"]).outcome == "406 not-acceptable")
  }
}
