/// A request, independent of the client that sends it.
package struct Request: Sendable, CustomStringConvertible {
  package var method: String
  /// Path and query, as sent.
  package var target: String
  /// The header fields, except those that frame the body. `Host` is added if it is missing.
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]?

  /// Creates a request.
  package init(
    _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil
  ) {
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
  }

  package var description: String {
    let fields = fields.map { " [\($0.name): \($0.value)]" }.joined()
    let body = body.map { " " + String(decoding: $0.prefix(200), as: UTF8.self) } ?? ""
    return "\(method) \(target)\(fields)\(body)"
  }

  /// Returns the request in HTTP/1.1 syntax (RFC 9112 §3).
  func bytes(host: String) -> [UInt8] {
    var head = "\(method) \(target) HTTP/1.1\r\n"
    if !fields.contains(where: { $0.name == "Host" }) { head += "Host: \(host)\r\n" }
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + (body ?? [])
  }
}
