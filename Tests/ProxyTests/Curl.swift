import BinderyTestKit

/// A client that runs the curl command over TLS and HTTP/2, independent of the code under test.
struct Curl {
  /// The proxy. The reference keeps it running as long as the client exists.
  let proxy: Proxy

  private static let program = "/usr/bin/curl"

  private var options: [String] {
    ["--silent", "--insecure", "--http2", "--unix-socket", proxy.socket]
  }

  /// Sends a request.
  ///
  /// - Returns: The HTTP version and the reply.
  func send(_ method: String, _ path: String, _ body: String? = nil, _ fields: String...) throws -> (String, Reply) {
    var arguments = options + ["--include", "--max-time", "30", "--request", method]
    for field in fields { arguments += ["--header", field] }
    if let body { arguments += ["--data-binary", body] }
    let result = try ChildProcess.run(Self.program, arguments + ["\(proxy.scheme)://localhost\(path)"])
    guard result.code == 0 else { throw ChildProcess.Failure.ended(result.code, output: result.errors) }
    let output = result.outputBytes
    let end = output.indices.first { output[$0...].starts(with: Array("\r\n\r\n".utf8)) } ?? output.endIndex
    let lines = String(decoding: output[..<end], as: UTF8.self).split(separator: "\r\n")
    let status = lines.first?.split(separator: " ") ?? []
    let head = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
    }
    let code = status.dropFirst().first.flatMap { Int($0) } ?? 0
    return (String(status.first ?? ""), Reply(status: code, fields: head, body: Array(output[end...].dropFirst(4))))
  }

  /// Opens an event stream.
  func events(_ path: String, lastEventID: String = "") throws -> Events {
    let fields = ["--header", "Accept: text/event-stream", "--header", "Last-Event-ID: \(lastEventID)"]
    let program = try ChildProcess(
      Self.program, options + ["--no-buffer"] + fields + ["\(proxy.scheme)://localhost\(path)"], output: .pipe)
    return Events(program, through: proxy)
  }

  /// An open event stream.
  final class Events {
    private let program: ChildProcess
    private let proxy: Proxy
    private(set) var parser = EventStreamParser()

    fileprivate init(_ program: ChildProcess, through proxy: Proxy) {
      self.program = program
      self.proxy = proxy
    }

    /// Waits for the next event. Returns nil at the end of the stream.
    func next() -> ServerSentEvent? {
      while parser.events.isEmpty {
        let bytes = program.readOutput()
        if bytes.isEmpty { return nil }
        parser.append(bytes[...])
      }
      return parser.events.removeFirst()
    }
  }
}
