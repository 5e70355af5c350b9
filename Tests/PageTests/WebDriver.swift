import BinderySystem
import Foundation

/// A client for chromedriver (W3C WebDriver §6). It opens one connection per request.
struct WebDriver {
  /// An error response of chromedriver.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private struct Response<Value: Decodable>: Decodable {
    let value: Value
  }

  let address: SocketAddress

  /// Longer than the script timeout of the session.
  private static let timeoutMilliseconds = 90_000

  /// Sends a command and returns the value of its response.
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
      if bytes.isEmpty || Self.isComplete(received) { break }
    }
    guard let start = received.range(of: Self.headEnd)?.upperBound else {
      throw Failure(description: "no response to \(method) \(path)")
    }
    let responseBody = received[start...]
    guard received.starts(with: Array("HTTP/1.1 200".utf8)) else {
      throw Failure(description: "\(method) \(path): \(String(decoding: responseBody.prefix(600), as: UTF8.self))")
    }
    return try JSONDecoder().decode(Response<Value>.self, from: Data(responseBody)).value
  }

  private static let headEnd = Data("\r\n\r\n".utf8)

  /// Whether the response has as many bytes as its `Content-Length`.
  private static func isComplete(_ received: Data) -> Bool {
    guard let end = received.range(of: headEnd) else { return false }
    let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let length = lines.lazy.map { $0.split(separator: ":") }.first { $0[0].lowercased() == "content-length" }
    guard let length = length?.last.flatMap({ Int($0.trimmingCharacters(in: .whitespaces)) }) else { return false }
    return received.count - end.upperBound >= length
  }
}

/// A response whose value is ignored.
struct EmptyResponse: Decodable {
  init(from decoder: any Decoder) {}
}
