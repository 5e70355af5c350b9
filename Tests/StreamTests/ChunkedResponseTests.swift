import BinderyCore
import BinderyHTTP
import BinderyJSON
import BinderyTestKit
import Testing

/// A long response is encoded and sent one slice at a time.
struct ChunkedResponseTests {
  private let library = Library()
  private let loop: MemoryLoop<Library>
  /// The expected maximum size of a slice: 64 KiB, and its last element, the response head and the indentation.
  private let maximumSliceBytes = 80_000

  init() { loop = MemoryLoop(Store(library)) }

  private func finalReply(_ exchange: MemoryExchange) throws -> Reply {
    loop.settle()
    return try #require(exchange.reader.reply)
  }

  /// Every kind of long place, with its JSON in one piece.
  private var places: [(path: String, json: [UInt8])] {
    [
      ("/state", Library.json(library)), ("/state/books", Library.json(library.books)),
      ("/state/annex", Library.json(library.annex)), ("/state/annex/some/open", Library.json(library.annex)),
      ("/state/titles", Library.json(library.titles)),
    ].map { path, json in
      path.hasSuffix("open") ? (path, Array(json.dropFirst(#"{"some":{"open":"#.utf8.count).dropLast(2))) : (path, json)
    }
  }

  @Test func `the slices together equal the JSON in one piece`() throws {
    for (path, json) in places {
      let reply = try finalReply(loop.begin(Request("GET", path)))
      #expect(reply.status == 200)
      #expect(difference(reply.body, json + Array("\n".utf8)) == nil, "\(path)")
      #expect(reply["Content-Length"] == nil && reply["Transfer-Encoding"] == "chunked")
      #expect(reply["Content-Type"] == "application/json")
      #expect(reply.revision == 0)
      let tag = try #require(reply.etag)
      #expect(try loop.get(path, ["If-None-Match": tag]).status == 304)
    }
  }

  @Test func `a long response can be indented`() throws {
    for (path, json) in places {
      let reply = try finalReply(loop.begin(Request("GET", path + "?pretty")))
      #expect(difference(reply.body, prettyPrinted(json.span) + Array("\n".utf8)) == nil, "\(path)")
    }
  }

  @Test func `HEAD has the same fields as GET and no content`() throws {
    for path in ["/state", "/state/books?pretty", "/state/books?limit=2000"] {
      let get = try finalReply(loop.begin(Request("GET", path)))
      let head = try finalReply(loop.begin(Request("HEAD", path)))
      #expect(head.body.isEmpty && head.status == get.status)
      #expect(head.fields.map { "\($0)" } == get.fields.map { "\($0)" })
    }
  }

  @Test func `a long page is a part of the list and links to the pages beside it`() throws {
    let page = try finalReply(loop.begin(Request("GET", "/state/books?limit=2000&after=99")))
    #expect(difference(page.body, Library.content(Array(library.books[100..<2_100]))) == nil)
    let url = "</state/books?limit=2000"
    #expect(page["Link"] == "\(url)&after=2099>; rel=\"next\", \(url)&before=100>; rel=\"prev\"")
  }

  @Test func `a short response has a Content-Length`() throws {
    let reply = try finalReply(loop.begin(Request("GET", "/state/books?limit=10")))
    #expect(reply["Content-Length"] == "\(reply.body.count)")
  }

  /// Otherwise it would be in memory without being counted, until the client reads.
  @Test func `the first slice is sent with the head`() {
    for (path, json) in places {
      let reader = loop.begin(Request("GET", path))
      #expect(reader.bytes.count > min(json.count, 60_000), "\(path)")
      loop.disconnect(reader)
    }
  }

  @Test(arguments: ["/state", "/state?pretty"])
  func `a slice is encoded after the previous one was sent, and other requests are served in between`(path: String)
    throws
  {
    let reader = loop.begin(Request("GET", path))
    var before = reader.bytes.count
    var turns = 0
    while loop.turn() {
      turns += 1
      #expect(reader.bytes.count - before <= maximumSliceBytes)
      before = reader.bytes.count
      if turns == 3 {
        loop.pauseReading(reader)
        loop.settle()
        #expect(reader.bytes.count == before)
        #expect(try loop.get("/state/name").text == "\"Alexandria\"")
        loop.resumeReading(reader)
        before = reader.bytes.count
      }
    }
    #expect(turns > 10 && reader.reader.isEnded)
  }

  @Test func `a write during a long response does not change its content`() throws {
    let reader = loop.begin(Request("GET", "/state"))
    loop.turn()
    loop.pauseReading(reader)
    loop.settle()
    loop.store.post { library in
      library.books.edit(at: 2_000) { $0.text = "new" }
      library.books.remove(at: 2_500)
      library.annex = nil
    }
    loop.settle()
    #expect(try loop.get("/state/annex").text == "null")
    loop.resumeReading(reader)
    let reply = try finalReply(reader)
    #expect(difference(reply.body, Library.content(library)) == nil && reply.revision == 0)
  }

  @Test func `a client that disconnects during a long response is cleaned up`() throws {
    let reader = loop.begin(Request("GET", "/state"))
    loop.turn()
    loop.disconnect(reader)
    loop.settle()
    let next = loop.begin(Request("GET", "/state/name"))
    #expect(next.id.slot == reader.id.slot)
    #expect(try finalReply(next).text == "\"Alexandria\"")
    #expect(!loop.turn())
  }

  @Test func `a long poll can have a long response`() throws {
    let tag = try finalReply(loop.begin(Request("HEAD", "/state/books"))).etag ?? ""
    let poll = loop.begin(Request("GET", "/state/books?wait=30", fields: [(name: "If-None-Match", value: tag)]))
    loop.settle()
    #expect(poll.bytes.isEmpty)
    loop.store.post { library in library.books.edit(at: 0) { $0.text = "new" } }
    let reply = try finalReply(poll)
    #expect(difference(reply.body, Library.content(loop.store.snapshot.root.books)) == nil)
    #expect(reply.etag != tag && reply.revision == 1)
  }

  @Test func `a write can have a long response`() throws {
    let write = Request(
      "PATCH", "/state", fields: [(name: "Content-Type", value: "application/json")], body: Array(#"{"name":"B"}"#.utf8)
    )
    for changed in [true, false] {
      let reply = try finalReply(loop.begin(write))
      #expect(difference(reply.body, Library.content(loop.store.snapshot.root)) == nil)
      #expect(reply.status == 200 && reply.changed == changed && reply.revision == 1)
      #expect(reply.etag == (try finalReply(loop.begin(Request("HEAD", "/state"))).etag))
    }
  }

  @Test func `a problem does not contain a long current value`() throws {
    let condition = [(name: "If-Match", value: "\"AAAAAAAAAAAAAAAAAAAAAA\"")]
    for method in ["GET", "DELETE"] {
      let reply = try finalReply(loop.begin(Request(method, "/state/annex", fields: condition)))
      #expect(reply.status == 412 && reply.json?["currentETag"] != nil && reply.json?["current"] == nil)
    }
    let short = try finalReply(loop.begin(Request("GET", "/state/name", fields: condition)))
    #expect(short.json?["current"]?.string == "Alexandria")
  }
}
