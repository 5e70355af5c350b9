import BinderyCore
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// Long responses over real sockets, with one event loop for all clients.
struct ChunkedResponseSocketTests {
  /// More bytes than the kernel's send and receive buffers hold.
  private let library = Library(count: 200, bookBytes: 40_000)

  private func connect(_ live: LiveService<Library>, _ request: String) throws -> ClientSocket {
    let socket = try ClientSocket(to: SocketAddress(live.address)!)
    try socket.send(Array((request + "\r\n\r\n").utf8))
    return socket
  }

  private func reply(_ socket: borrowing ClientSocket) throws -> Reply {
    var reader = EventStreamReader()
    while !reader.isEnded {
      let bytes = try socket.receive()
      if bytes.isEmpty { break }
      try reader.append(bytes)
    }
    return Reply(status: reader.head?.status ?? 0, fields: reader.head?.fields ?? [], body: reader.content)
  }

  @Test func `a client that reads nothing does not delay others, and later receives the value it asked for`() throws {
    let live = try LiveService(library)
    defer { live.stop() }
    let stalled = try connect(live, "GET /state/books HTTP/1.1\r\nHost: localhost")
    let first = try stalled.receive(atMost: 100)
    let client = try SocketClient(live.address)
    for number in 1...50 {
      #expect(try client.patch("/state/name", "\"\(number)\"").status == 200)
      #expect(try client.get("/state/name").text == "\"\(number)\"")
    }
    live.store.post { $0.books = [] }
    var reader = EventStreamReader()
    try reader.append(first)
    while !reader.isEnded {
      let bytes = try stalled.receive()
      try #require(!bytes.isEmpty)
      try reader.append(bytes)
    }
    #expect(difference(reader.content, Library.content(library.books)) == nil)
  }

  @Test func `a long response to an HTTP 1.0 client ends with the connection`() throws {
    let live = try LiveService(library)
    defer { live.stop() }
    let old = try connect(live, "GET /state/books HTTP/1.0\r\nConnection: keep-alive")
    let reply = try reply(old)
    #expect(reply["Transfer-Encoding"] == nil && reply["Content-Length"] == nil && reply["Connection"] == "close")
    #expect(difference(reply.body, Library.content(library.books)) == nil)
  }

  @Test func `a client that has closed its sending side receives all its responses`() throws {
    let live = try LiveService(library)
    defer { live.stop() }
    let head = "GET /state/books HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let socket = try connect(live, head + "GET /state/name HTTP/1.1\r\nHost: localhost")
    socket.endWriting()
    var all: [UInt8] = []
    while true {
      let bytes = try socket.receive()
      if bytes.isEmpty { break }
      all += bytes
    }
    #expect(all.count > Library.json(library.books).count)
    #expect(String(decoding: all.suffix(17), as: UTF8.self) == "\r\n\r\n\"Alexandria\"\n")
  }

  @Test func `a long response is completed when the server stops`() throws {
    let live = try LiveService(library)
    let socket = try connect(live, "GET /state/books HTTP/1.1\r\nHost: localhost")
    let first = try socket.receive(atMost: 100)
    live.service.stop()
    var reader = EventStreamReader()
    try reader.append(first)
    while !reader.isEnded {
      let bytes = try socket.receive()
      if bytes.isEmpty { break }
      try reader.append(bytes)
    }
    #expect(difference(reader.content, Library.content(library.books)) == nil)
    live.stop()
  }
}
