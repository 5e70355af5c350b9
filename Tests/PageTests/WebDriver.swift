import BinderySystem
import Foundation

/// Speaks to a chromedriver (W3C WebDriver §6): JSON both ways, one request a connection.
struct WebDriver {
  /// What chromedriver answers in place of a value.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private struct Answer<Value: Decodable>: Decodable {
    let value: Value
  }

  let address: SocketAddress

  /// Longer than any script may run.
  private static let timeoutMilliseconds = 90_000

  /// Sends a command, and returns the value it is answered with.
  func send<Value: Decodable>(
    _ method: String, _ path: String, _ body: [String: Any] = [:], as type: Value.Type = Value.self
  ) throws -> Value {
    let content = method == "POST" ? try JSONSerialization.data(withJSONObject: body) : Data()
    let head = """
      \(method) \(path) HTTP/1.1\r
      Host: localhost\r
      Connection: close\r
      Content-Type: application/json\r
      Content-Length: \(content.count)\r
      \r

      """
    let socket = try ClientSocket(to: address, timeoutMilliseconds: Self.timeoutMilliseconds)
    try socket.send(Array(head.utf8) + Array(content))
    var received = Data()
    while true {
      let bytes = try socket.receive()
      received += bytes
      if bytes.isEmpty || Self.isWhole(received) { break }
    }
    guard let start = received.range(of: Self.headEnd)?.upperBound else {
      throw Failure(description: "no answer to \(method) \(path)")
    }
    let answer = received[start...]
    guard received.starts(with: Array("HTTP/1.1 200".utf8)) else {
      throw Failure(description: "\(method) \(path): \(String(decoding: answer.prefix(600), as: UTF8.self))")
    }
    return try JSONDecoder().decode(Answer<Value>.self, from: Data(answer)).value
  }

  private static let headEnd = Data("\r\n\r\n".utf8)

  /// Whether all that `Content-Length` announces has come.
  private static func isWhole(_ received: Data) -> Bool {
    guard let end = received.range(of: headEnd) else { return false }
    let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let length = lines.lazy.map { $0.split(separator: ":") }.first { $0[0].lowercased() == "content-length" }
    guard let length = length?.last.flatMap({ Int($0.trimmingCharacters(in: .whitespaces)) }) else { return false }
    return received.count - end.upperBound >= length
  }
}

/// An answer that says nothing.
struct Nothing: Decodable {
  init(from decoder: any Decoder) {}
}
