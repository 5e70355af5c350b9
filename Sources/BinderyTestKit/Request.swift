/// One request, however it travels.
package struct Request: Sendable, CustomStringConvertible {
  package var method: String
  /// Path and query as they are written on the wire.
  package var target: String
  /// Every field but those that frame the body; without a `Host` it gets one.
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]?

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

  /// The message as HTTP/1.1 writes it (RFC 9112 §3).
  func bytes(host: String) -> [UInt8] {
    var head = "\(method) \(target) HTTP/1.1\r\n"
    if !fields.contains(where: { $0.name == "Host" }) { head += "Host: \(host)\r\n" }
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + (body ?? [])
  }
}
