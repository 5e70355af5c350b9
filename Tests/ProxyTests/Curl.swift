import BinderyTestKit

/// The command curl over TLS and HTTP/2: a client that has nothing of ours in it.
struct Curl {
  /// It is there for as long as its client.
  let proxy: Proxy

  private static let program = "/usr/bin/curl"

  private var options: [String] {
    ["--silent", "--insecure", "--http2", "--unix-socket", proxy.socket]
  }

  /// - Returns: the protocol that was spoken, and the reply.
  func send(_ method: String, _ path: String, _ body: String? = nil, _ fields: String...) throws -> (String, Reply) {
    var arguments = options + ["--include", "--max-time", "30", "--request", method]
    for field in fields { arguments += ["--header", field] }
    if let body { arguments += ["--data-binary", body] }
    let printed = try Program.run(Self.program, arguments + ["https://localhost" + path])
    let end = printed.indices.first { printed[$0...].starts(with: Array("\r\n\r\n".utf8)) } ?? printed.endIndex
    let lines = String(decoding: printed[..<end], as: UTF8.self).split(separator: "\r\n")
    let status = lines.first?.split(separator: " ") ?? []
    let head = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
    }
    let code = status.dropFirst().first.flatMap { Int($0) } ?? 0
    return (String(status.first ?? ""), Reply(status: code, fields: head, body: Array(printed[end...].dropFirst(4))))
  }

  func events(_ path: String, lastEventID: String = "") throws -> Events {
    let fields = ["--header", "Accept: text/event-stream", "--header", "Last-Event-ID: \(lastEventID)"]
    let program = try Program(Self.program, options + ["--no-buffer"] + fields + ["https://localhost" + path])
    return Events(program, through: proxy)
  }

  /// An event stream as it comes.
  final class Events {
    private let program: Program
    private let proxy: Proxy
    private(set) var parser = EventStreamParser()

    fileprivate init(_ program: Program, through proxy: Proxy) {
      self.program = program
      self.proxy = proxy
    }

    /// The next event, waited for; nil where the stream has ended.
    func next() -> ServerSentEvent? {
      while parser.events.isEmpty {
        let bytes = program.read()
        if bytes.isEmpty { return nil }
        parser.append(bytes)
      }
      return parser.events.removeFirst()
    }
  }
}
