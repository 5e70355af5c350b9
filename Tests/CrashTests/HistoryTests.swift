import BinderyJSON
import BinderyTestKit
import Foundation
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
    #expect(all.text.contains(#""undo":[{"op":"remove","path":"/dishes/4"}]"#))
    let favorite = #"[{"op":"replace","path":"/dishes/0/isFavorite","value":true}]"#
    #expect(all.text.contains(#""by":"anonymous","patch":\#(favorite)"#))
    let ids = try client.get("/history?ids").text
    let soup = "/dishes/00000000-0000-8000-8000-0000000000aa"
    #expect(ids.contains(#""undo":[{"op":"remove","path":"\#(soup)"}]"#))
    #expect(ids.contains(#""patch":[{"op":"add","path":"\#(soup)","at":4,"value":{"id":"00000000"#))
    let first = try client.get("/history?limit=1")
    #expect(first["Link"] == "</history?after=1&limit=1>; rel=\"next\"")
    #expect(try client.get("/history?after=2").text == #"{"revisions":[],"oldest":1}"#)
    let last = try client.get("/history?before=3&limit=1&ids")
    #expect(Self.numbers(last) == ["2"])
    #expect(last["Link"] == "</history?before=2&limit=1&ids>; rel=\"next\"")
    #expect(Self.numbers(try client.get("/history?before=2&limit=1")) == ["1"])
    #expect(try client.get("/history?before=1").text == #"{"revisions":[],"oldest":1}"#)
  }

  @Test(arguments: Store.allCases)
  func `a removal and a move are reverted although the list has become shorter`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try server.client
    let dish = "b10de400-0000-8000-8000-00000000000"
    func ids() throws -> [String] {
      try #require(try client.get("/state/dishes").json?.elements.map { String(($0["id"]?.string ?? "").suffix(1)) })
    }
    _ = try client.delete("/state/dishes/\(dish)4")
    _ = try client.delete("/state/dishes/\(dish)1")
    #expect(try client.post("/history/1/revert", "").status == 200)
    #expect(try ids() == ["2", "3", "4"])
    let move = #"[{"op":"move","from":"/2","path":"/0"}]"#
    _ = try client.patch("/state/dishes", move, ["Content-Type": "application/json-patch+json"])
    _ = try client.delete("/state/dishes/\(dish)3")
    #expect(try ids() == ["4", "2"])
    #expect(try client.post("/history/4/revert", "").status == 200)
    #expect(try ids() == ["2", "4"])
    _ = try client.patch(
      "/state/dishes", #"[{"op":"add","path":"/0","value":{"name":"Soup"}}]"#,
      ["Content-Type": "application/json-patch+json"])
    let refused = try client.post("/history/4/revert", "")
    #expect(refused.status == 409, "\(refused)")
  }

  /// The numbers of the revisions in a page.
  private static func numbers(_ page: Reply) -> [String] {
    page.json?["revisions"]?.elements.map { String(decoding: $0["revision"]?.text ?? [], as: UTF8.self) } ?? []
  }

  @Test(arguments: Store.allCases)
  func `revisions can be selected by place`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try server.client
    let soup = "/dishes/00000000-0000-8000-8000-0000000000aa"
    _ = try client.put("/state\(soup)", #"{"name":"Soup"}"#)
    _ = try client.patch("/state/time", #""tomorrow""#)
    _ = try client.patch("/state\(soup)/name", #""Broth""#)
    _ = try client.patch("/state/pinnedDish/isFavorite", "true")
    _ = try client.delete("/state\(soup)")
    for (path, expected) in [
      (soup + "/name", ["1", "3", "5"]), (soup + "/isFavorite", ["1", "5"]), (soup, ["1", "3", "5"]),
      ("/dishes/00000000-0000-8000-8000-0000000000AA", ["1", "3", "5"]), ("/time", ["2"]), ("/selectedDay", []),
      ("/dishes", ["1", "3", "4", "5"]), ("/", ["1", "2", "3", "4", "5"]),
    ] {
      #expect(Self.numbers(try client.get("/history?path=\(path)")) == expected, "\(path)")
    }
    let page = try client.get("/history?path=\(soup)&before=5&limit=1")
    #expect(Self.numbers(page) == ["3"])
    #expect(page["Link"]?.contains("/history?before=3&limit=1&path=%2Fdishes%2F00000000") == true)
    let unknown = try client.get("/history?path=/nothing")
    #expect(unknown.outcome == "404 unknown-path" && unknown.string("pointer") == "/nothing")
    let noSlash = try client.get("/history?path=dishes")
    #expect(noSlash.string("detail") == "“dishes” is not a JSON Pointer: expected a slash first, as in “/dishes”.")
    let tilde = try client.get("/history?path=/a~b")
    #expect(tilde.string("detail") == "“/a~b” is not a JSON Pointer: write “~” as “~0”.")
    #expect(try client.get("/history?path=/pinnedDish/name").outcome == "400 malformed-query")
  }

  @Test(arguments: Store.allCases)
  func `revision numbers of another history are refused`(_ store: Store) throws {
    let server = try Server(store: store.location(in: folder))
    let client = try server.client
    let history = try #require(try client.patch("/state/time", #""tomorrow""#)["State-History"])
    #expect(try client.get("/history?history=\(history)").status == 200)
    #expect(try client.get("/history?history=abcdefgh").outcome == "410 other-history")
    let reverted = try client.send("POST", "/history/1/revert?history=abcdefgh", nil, Self.json)
    #expect(reverted.outcome == "410 other-history")
    #expect(try client.send("POST", "/history/1/revert?history=\(history)", nil, Self.json).status == 200)
  }

  @Test func `a revision names the token that wrote it`() throws {
    let tokens = folder("tokens")
    try "alice.w alice-token-0123456789\nother-token-0123456789\n".write(
      toFile: tokens, atomically: true, encoding: .utf8)
    let server = try Server(store: folder("store.db"), options: ["--token-file", tokens])
    let client = try server.client
    func fields(_ token: String) -> SocketClient.Fields { ["Authorization": "Bearer \(token)-token-0123456789"] }
    #expect(try client.patch("/state/time", #""tomorrow""#, fields("alice")).status == 200)
    #expect(try client.patch("/state/time", #""tonight""#, fields("other")).status == 200)
    let page = try client.get("/history", fields("alice"))
    let authors = try #require(page.json?["revisions"]).elements.map { $0["by"]?.string ?? "" }
    let group = try #require(try client.get("/session", fields("other")).string("group"))
    #expect(authors == ["alice.w", "token-\(group.prefix(8))"])
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
    let name = String(repeating: "x", count: 90)
    for round in 0..<20 {
      let dishes = (10_000..<11_600).map { number in
        #"{"id":"000\#(number)-0000-8000-8000-0000000000\#(10 + round)","name":"\#(name)","isFavorite":false,"#
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
    let name = String(repeating: "x", count: 90)
    for round in 0..<6 {
      let dishes = (10_000..<11_600).map { number in
        #"{"id":"000\#(number)-0000-8000-8000-00000000000\#(round)","name":"\#(name)","isFavorite":false,"#
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
    for path in ["/history/1/revert", "/events"] {
      #expect(try client.options(path)["Accept-Post"] == "application/json")
    }
    #expect(try client.options("/history")["Accept-Post"] == nil)
    #expect(try client.delete("/history")["Allow"] == "GET, HEAD, OPTIONS")
    #expect(try client.get("/history/1/revert").outcome == "405 method-not-allowed")
    #expect(try client.get("/history/1").outcome == "404 unknown-path")
    #expect(try client.get("/history?limit=0").outcome == "400 malformed-query")
    let text: KeyValuePairs = ["Content-Type": "text/plain"]
    #expect(try client.send("POST", "/history/1/revert", nil, text).outcome == "415 unsupported-media-type")
    for accept in ["text/html", "text/event-stream"] {
      #expect(try client.get("/history", ["Accept": accept]).outcome == "406 not-acceptable")
    }
  }
}
