import BinderyJSON
import BinderyMenu
import BinderyTestKit
import Foundation
import Testing

/// GET and HEAD: fields, media types and pages.
struct ReadingTests {
  @Test(arguments: TestTransport.allCases)
  func `HEAD is GET without content`(_ transport: TestTransport) throws {
    try transport.serve(Menus.custom) { client, _ throws in
      // The last two are refused with a command as a hint.
      let others = ["/state/editing/some", "/state/nope", "/state/dishes?limit=1", "/state/dishes/", "/state/tim"]
      let places = try StatePaths.all(client, of: "/state") + others
      for place in places {
        let (get, head) = (try client.get(place), try client.head(place))
        #expect(head.status == get.status)
        #expect(head.body.isEmpty)
        let isStable = { (field: (name: String, value: String)) in field.name != "Date" }
        #expect(head.fields.filter(isStable).map { "\($0)" } == get.fields.filter(isStable).map { "\($0)" })
        #expect(head["Content-Length"] == "\(get.body.count)")
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a GET has Content-Type, ETag, State-Revision and Vary`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let reply = try client.get("/state/time")
      #expect(reply.text == "\"tonight\"")
      #expect(reply["Content-Type"] == "application/json")
      #expect(reply["Vary"] == "Accept")
      #expect(reply.revision == 0)
      #expect(reply["Date"] != nil)
      let tag = try #require(reply.etag)
      #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 20)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a repeated GET shows the current value`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let dish = "/state/dishes/" + Menus.first
      let first = try client.get(dish)
      for _ in 1...4 { #expect(try client.get(dish).body == first.body) }
      try client.patch("/state/time", "\"tomorrow\"").expect(200)
      for _ in 1...3 {
        let elsewhere = try client.get(dish)
        #expect(elsewhere.body == first.body)
        #expect(elsewhere.etag == first.etag)
        #expect(elsewhere.revision == 1)
        #expect(try client.head(dish).body.isEmpty)
      }
      try client.patch(dish + "/name", "\"Soup\"").expect(200)
      for _ in 1...3 {
        let here = try client.get(dish)
        #expect(here.etag != first.etag)
        #expect(here.revision == 2)
        #expect(here.text.contains("Soup"))
      }
      #expect(try client.get(dish, ["If-None-Match": try #require(first.etag)]).status == 200)
      #expect(try client.get(dish, ["Accept": "text/html"]).status == 406)
      #expect(try client.get(dish + "?pretty").text.contains("\n"))
      try client.send("DELETE", dish).expect(204)
      #expect(try client.get(dish).status == 404)
    }
  }

  @Test func `each of many dishes is read as itself, however often the others are read`() throws {
    // So many that some replace others in the cache of paths.
    let ids = (0..<3000).map { _ in UUID().uuidString.lowercased() }
    try TestTransport.memory.serve(Menus.fresh) { client, _ throws in
      let rest = #""name":"Soup","isFavorite":false,"status":{"inStock":{"quantity":1}}"#
      for id in ids { try client.post("/state/dishes", #"{"id":"\#(id)",\#(rest)}"#).expect(201) }
      for name in ["first", "second"] {
        // The first rounds fill the cache of paths, and the encoded responses.
        for _ in 1...4 {
          for id in ids { #expect(try client.get("/state/dishes/\(id)/id").text == "\"\(id)\"") }
        }
        for id in ids {
          try client.patch("/state/dishes/\(id)/name", "\"\(name) \(id)\"").expect(200)
          #expect(try client.get("/state/dishes/\(id)/name").text == "\"\(name) \(id)\"")
        }
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `pretty JSON has the tag of the compact form`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let compact = try client.get("/state")
      for query in ["?pretty", "?pretty=1", "?pretty=true"] {
        let pretty = try client.get("/state" + query)
        #expect(pretty.etag == compact.etag)
        #expect(pretty.text.contains("\n  \"dishes\": [\n"))
        let value = try #require(compact.json)
        #expect(pretty.json?.equals(value) == true)
      }
      #expect(try client.get("/state?pretty=0").body == compact.body)
      #expect(try client.get("/state?pretty=perhaps").outcome == "400 malformed-query")
      #expect(try client.get("/state?pretty", ["If-None-Match": try #require(compact.etag)]).status == 304)
      #expect(try client.patch("/state/time?pretty", "\"tomorrow\"").text == "\"tomorrow\"")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `every JSON body ends in one newline`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let dish = "/state/dishes/" + Menus.first
      let replies = [
        try client.get(dish), try client.get(dish), try client.get(dish + "?pretty"), try client.get("/state"),
        try client.get("/state/dishes?limit=1"), try client.patch(dish + "/name", "\"Soup\""),
        try client.patch(dish + "/name", "\"Soup\""), try client.get(dish), try client.patch("/state?pretty", "{}"),
        try client.put("/state/time/custom", "\"\(Menus.date)\""),
        try client.post("/state/dishes", #"{"name":"Bread"}"#), try client.jsonPatch("/state", "[]"),
        try client.get("/history"), try client.get("/state/nothing"), try client.patch(dish, "{"),
        try client.patch(dish, "{}", ["If-Match": "\"x\""]), try client.send("BREW", "/state"),
      ]
      #expect(
        replies.map(\.status) == [200, 200, 200, 200, 200, 200, 200, 200, 200, 201, 201, 200, 200, 404, 400, 412, 501])
      for reply in replies {
        #expect(reply.body.suffix(1) == Array("\n".utf8) && reply.body.suffix(2) != Array("\n\n".utf8), "\(reply)")
        #expect(reply["Content-Length"] == "\(reply.body.count)", "\(reply)")
      }
    }
  }

  static let accepted: [(accept: String, status: Int)] = [
    ("application/json", 200), ("*/*", 200), ("application/*", 200), ("text/html, application/json;q=0.1", 200),
    ("APPLICATION/JSON", 200), ("application/json;q=0", 406), ("text/html", 406), ("*/*;q=0", 406),
    (#"text/html;x="a, application/json, b""#, 406), (#"text/html;x="a\",application/json""#, 406),
    ("*/*, application/json;q=0", 406), ("application/json;q=0, */*", 406), ("image/*", 406),
  ]

  @Test(arguments: accepted, TestTransport.allCases)
  func `Accept selects the media type`(_ entry: (accept: String, status: Int), _ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      #expect(try client.get("/state/time", ["Accept": entry.accept]).status == entry.status)
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 9], TestTransport.allCases)
  func `following the Link fields returns all elements, forward and backward`(
    _ limit: Int, _ transport: TestTransport
  ) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let whole = try client.get("/state/dishes")
      // Returns the pages from one on.
      func pages(from first: String, _ relation: String) throws -> [[String]] {
        var pages: [[String]] = []
        var next: String? = first
        while let target = next {
          let page = try client.get(target)
          #expect(page.status == 200)
          #expect(page.etag == whole.etag)
          let ids = try #require(page.json).elements.map { $0["id"]?.string ?? "" }
          #expect(ids.count <= limit && !ids.isEmpty)
          pages.append(ids)
          let links = page["Link"]?.split(separator: ", ") ?? []
          next = links.first { $0.hasSuffix(">; rel=\"\(relation)\"") }.map {
            String($0.dropFirst().prefix { $0 != ">" })
          }
        }
        return pages
      }
      let ids = try pages(from: "/state/dishes?limit=\(limit)", "next").flatMap { $0 }
      let backward = try pages(from: "/state/dishes?limit=\(limit)&before=\(Menus.fourth)", "prev")
      #expect(backward.reversed().flatMap { $0 } + [Menus.fourth] == ids)
      #expect(ids == whole.json?.elements.map { $0["id"]?.string ?? "" })
      #expect(whole["Link"] == nil)
    }
  }

  static let pages: [(query: String, outcome: String)] = [
    ("limit=0", "400 malformed-query"), ("limit=-1", "400 malformed-query"), ("limit=x", "400 malformed-query"),
    ("limit=", "400 malformed-query"), ("limit=1.0", "400 malformed-query"),
    ("limit=99999999999999999999", "400 malformed-query"), ("after=x", "400 malformed-query"),
    ("after=" + Menus.unknownID, "404 no-such-element"), ("after=" + Menus.fourth, "200"),
    ("after=" + Menus.first.uppercased(), "200"), ("before=x", "400 malformed-query"),
    ("before=" + Menus.unknownID, "404 no-such-element"), ("before=" + Menus.first, "200"),
    ("before=\(Menus.fourth)&after=\(Menus.unknownID)", "404 no-such-element"),
    ("before=\(Menus.first)&after=\(Menus.fourth)", "200"),
    ("%ff=1", "400 malformed-query"),
    ("unknown=1", "400 malformed-query"), ("=", "400 malformed-query"), ("limit=1&limit=1", "400 malformed-query"),
    ("", "200"), ("&&", "200"),
  ]

  @Test(arguments: pages, TestTransport.allCases)
  func `an invalid page is rejected`(_ entry: (query: String, outcome: String), _ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      #expect(try client.get("/state/dishes?" + entry.query).outcome == entry.outcome)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `pages lead to the next and to the previous one`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      func ids(_ query: String) throws -> [String] {
        try client.get("/state/dishes?" + query).json?.elements.map { $0["id"]?.string ?? "" } ?? []
      }
      let url = "</state/dishes?limit=2"
      let first = try client.get("/state/dishes?limit=2")
      #expect(first["Link"] == "\(url)&after=\(Menus.second)>; rel=\"next\"")
      let middle = try client.get("/state/dishes?limit=2&after=" + Menus.first)
      #expect(
        middle["Link"] == "\(url)&after=\(Menus.third)>; rel=\"next\", \(url)&before=\(Menus.second)>; rel=\"prev\"")
      #expect(try ids("limit=2&before=" + Menus.fourth) == [Menus.second, Menus.third])
      #expect(try ids("limit=2&before=" + Menus.second) == [Menus.first])
      #expect(try ids("before=" + Menus.fourth) == [Menus.first, Menus.second, Menus.third])
      #expect(try ids("limit=2&before=" + Menus.first) == [])
      #expect(try ids("after=\(Menus.first)&before=\(Menus.fourth)") == [Menus.second, Menus.third])
      #expect(try ids("after=\(Menus.third)&before=\(Menus.second)") == [])
      let range = try client.get("/state/dishes?limit=1&after=\(Menus.first)&before=\(Menus.fourth)")
      #expect(
        range["Link"] == "</state/dishes?limit=1&after=\(Menus.second)&before=\(Menus.fourth)>; rel=\"next\", "
          + "</state/dishes?limit=1&before=\(Menus.second)>; rel=\"prev\"")
      let last = try client.get("/state/dishes?limit=2&before=" + Menus.fourth)
      #expect(
        last["Link"] == "\(url)&after=\(Menus.third)>; rel=\"next\", \(url)&before=\(Menus.second)>; rel=\"prev\"")
      let pretty = try client.get("/state/dishes?limit=3&pretty")
      #expect(pretty["Link"] == "</state/dishes?pretty&limit=3&after=\(Menus.third)>; rel=\"next\"")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a collection has the number of its elements in a header`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let counts =
        [
          ("/state/dishes", "4"), ("/state/dishes?limit=1", "4"), ("/state/days?pretty", "11"),
          ("/state/favorites", "0"),
          ("/state/time", nil), ("/state", nil), ("/state/pinnedDish", nil),
        ] as [(String, String?)]
      for (target, count) in counts {
        // The second and third response are encoded before.
        for _ in 0..<3 { #expect(try client.get(target)["Collection-Count"] == count) }
        #expect(try client.head(target)["Collection-Count"] == count)
      }
      _ = try client.post("/state/dishes", #"{"name":"Soup"}"#)
      #expect(try client.get("/state/dishes")["Collection-Count"] == "5")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `the page after the last element is empty`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let page = try client.get("/state/dishes?limit=2&after=" + Menus.fourth)
      #expect(page.text == "[]")
      #expect(page["Link"] == nil)
      #expect(
        try client.get("/state/days?limit=1&after=2026-11-30").json?.elements.map { $0["number"]?.integer() } == [
          .value(1)
        ])
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `an inactive case is reported with the active one and all cases`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let status = "/status/outOfStock/isOnBackOrder"
      for place in ["/state/dishes/\(Menus.first)", "/state/pinnedDish"] {
        let reply = try client.get(place + status)
        #expect(reply.outcome == "404 inactive-case")
        #expect(reply.string("activeCase") == "inStock")
        #expect(reply.member("cases") == #"["inStock","outOfStock"]"#)
      }
      let time = try client.patch("/state/time/custom", "\"\(Menus.date)\"")
      #expect(time.string("activeCase") == "tonight")
      #expect(time.member("cases") == #"["tonight","tomorrow","custom"]"#)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `the type of a problem is an HTML page`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let page = try client.get("/problems/inactive-case")
      #expect(page["Content-Type"] == "text/html; charset=utf-8")
      #expect(page.text.contains("inactive-case"))
      #expect(try client.patch("/problems/inactive-case", "{}").outcome == "405 method-not-allowed")
    }
  }
}
