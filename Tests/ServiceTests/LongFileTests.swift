import BinderyAPI
import BinderyCore
import BinderySystem
import BinderyTestKit
import Foundation
import Synchronization
import Testing

/// Files that are longer than one slice.
struct LongFileTests {
  @Test func `a long file arrives complete, and so does the response to a pipelined request after it`() throws {
    let content = Data.pattern(1_000_000)
    let site = try Site()
    try site.write("photo.png", content)
    try site.serve { address in
      let reply = try CurlClient(address).get("/photo.png")
      #expect(reply["Content-Length"] == "1000000" && reply["Content-Type"] == "image/png")
      #expect(Data(reply.body) == content)
      let socket = try ClientSocket(to: #require(SocketAddress(address)))
      let requests = [
        "GET /photo.png HTTP/1.1\r\nHost: localhost", "HEAD /photo.png HTTP/1.1\r\nHost: localhost",
        "GET /photo.png HTTP/1.1\r\nHost: localhost\r\nRange: bytes=100000-299999",
        "GET /state/count HTTP/1.1\r\nHost: localhost", "GET /photo.png HTTP/1.0",
      ]
      try socket.send(Array((requests.joined(separator: "\r\n\r\n") + "\r\n\r\n").utf8))
      var received: [UInt8] = []
      while case let bytes = try socket.receive(), !bytes.isEmpty { received += bytes }
      for (status, body) in [
        (200, content), (200, Data()), (206, content[100_000..<300_000]), (200, Data("0\n".utf8)), (200, content),
      ] {
        let end = try #require(received.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
        let head = String(decoding: received[..<end], as: UTF8.self)
        #expect(head.hasPrefix("HTTP/1.1 \(status)") && Data(received[end...].prefix(body.count)) == body, "\(head)")
        received.removeFirst(end + body.count)
      }
      #expect(received.isEmpty)
    }
  }

  /// The files of a folder, which the caller's thread opens and reads. It counts the slices.
  private final class CountingSource: FileSource {
    let source: any FileSource
    let reads = Atomic(0)

    init(_ source: any FileSource) { self.source = source }

    func perform(_ work: @escaping @Sendable () -> Void) {
      reads.add(1, ordering: .relaxed)
      work()
    }

    func open(_ names: [String]) -> OpenedPath { source.open(names) }

    var count: Int { reads.load(ordering: .relaxed) }
  }

  @Test func `a client that does not read holds one slice of a file, however long it is`() throws {
    let site = try Site(["large.bin": ""])
    // A sparse file, which needs no space.
    try FileHandle(forWritingTo: site.folder.url.appending(path: "large.bin")).truncate(atOffset: 1 << 30)
    let source = CountingSource(try site.source())
    let loop = MemoryLoop(Store(Tally()), files: source)
    let exchange = loop.begin(Request("GET", "/large.bin"))
    loop.turn()
    loop.turn()
    loop.pauseReading(exchange)
    loop.settle()
    let before = exchange.bytes.count
    #expect(source.count <= 3 && before < 3 * 65_536)
    loop.resumeReading(exchange)
    for _ in 0..<20 { loop.turn() }
    #expect(exchange.bytes.count > before && exchange.isOpen)
    loop.disconnect(exchange)
    loop.settle()
    #expect(!exchange.reader.isEnded)
  }

  @Test(arguments: ["shorter", "longer", "replaced"])
  func `a file that changes while it is sent ends the connection, and one that is replaced does not`(
    _ change: String
  ) throws {
    let site = try Site()
    try site.write("a.bin", .pattern(300_000))
    let loop = MemoryLoop(Store(Tally()), files: CountingSource(try site.source()))
    let exchange = loop.begin(Request("GET", "/a.bin"))
    while exchange.bytes.isEmpty { loop.turn() }
    let file = try FileHandle(forUpdating: site.folder.url.appending(path: "a.bin"))
    switch change {
    case "shorter": try file.truncate(atOffset: 100_000)
    case "longer": try file.truncate(atOffset: 300_001)
    default: try Data.pattern(200_000).write(to: site.folder.url.appending(path: "a.bin"), options: .atomic)
    }
    loop.settle()
    #expect(!exchange.isOpen && exchange.reader.isEnded == (change == "replaced"))
    #expect(exchange.reader.content.count == (change == "replaced" ? 300_000 : 65_536))
    #expect(Data.pattern(300_000).starts(with: exchange.reader.content))
  }

  @Test func `only a limited number of long files is sent at the same time, and short ones are always sent`() throws {
    let site = try Site(["short": "x"])
    try site.write("long", .pattern(300_000))
    var limits = StreamLimits()
    limits.fileBytes = 2 * 65_536
    let loop = MemoryLoop(Store(Tally()), streamLimits: limits, files: CountingSource(try site.source()))
    let exchanges = (0..<3).map { _ in loop.begin(Request("GET", "/long")) }
    loop.turn()
    loop.turn()
    #expect(exchanges.map { $0.reader.head?.status } == [200, 200, 503])
    #expect(try loop.send(Request("HEAD", "/long")).status == 200)
    #expect(try loop.send(Request("GET", "/short")).text == "x")
    loop.settle()
    #expect(try loop.send(Request("GET", "/long")).body.count == 300_000)
  }

  /// The files of a folder on a disk that does not respond until the test says so.
  private final class HangingSource: FileSource {
    let source: any FileSource
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    init(_ source: any FileSource) { self.source = source }

    func perform(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }
    func open(_ names: [String]) -> OpenedPath { source.open(names) }

    func respond() {
      for work in waiting.withLock({ exchange(&$0, with: []) }) { work() }
    }
  }

  @Test func `reads whose client has disconnected are limited, too`() throws {
    let site = try Site(["a.txt": "x"])
    var limits = StreamLimits()
    limits.maximumPendingResponses = 2
    let source = HangingSource(try site.source())
    let loop = MemoryLoop(Store(Tally()), streamLimits: limits, files: source)
    for _ in 0..<2 { loop.disconnect(loop.begin(Request("GET", "/a.txt"))) }
    #expect(try loop.send(Request("GET", "/a.txt")).outcome == "503 unavailable")
    #expect(try loop.get("/state/count").status == 200)
    source.respond()
    loop.settle()
    let exchange = loop.begin(Request("GET", "/a.txt"))
    source.respond()
    loop.settle()
    #expect(exchange.reader.reply?.text == "x")
  }

  @Test func `a client that disconnects before its file is open gets nothing, and the file is closed`() throws {
    let site = try Site(["a.txt": "x"])
    let loop = MemoryLoop(Store(Tally()), files: CountingSource(try site.source()))
    let exchange = loop.begin(Request("GET", "/a.txt"))
    loop.disconnect(exchange)
    loop.settle()
    #expect(exchange.bytes.isEmpty)
    #expect(try loop.send(Request("GET", "/a.txt")).text == "x")
  }
}
