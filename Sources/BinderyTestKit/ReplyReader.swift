/// An incremental parser of the responses on a connection.
struct ReplyReader {
  enum Failure: Error { case malformed(String) }

  private var bytes: [UInt8] = []

  /// Appends received bytes.
  mutating func append(_ received: [UInt8]) { bytes += received }

  /// Removes and returns the next final response; nil if it is incomplete. Skips interim responses (RFC 9110 §15.2).
  ///
  /// - Parameter isHead: The request was a HEAD, so no content follows (RFC 9110 §9.3.2).
  mutating func next(isHead: Bool) throws(Failure) -> Reply? {
    while let head = try takeHead(isHead: isHead) {
      if head.status >= 200 { return head }
    }
    return nil
  }

  private mutating func takeHead(isHead: Bool) throws(Failure) -> Reply? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    guard let line = lines.first, line.hasPrefix("HTTP/1.1 "), let status = Int(line.dropFirst(9).prefix(3)) else {
      throw .malformed(lines.first.map(String.init) ?? "")
    }
    var fields: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { throw .malformed(String(line)) }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields.append((String(line[..<colon]), String(value)))
    }
    let length = fields.first { $0.name == "Content-Length" }.flatMap { Int($0.value) }
    let isEmpty = isHead || status < 200 || status == 204 || status == 304
    if !isEmpty, fields.contains(where: { $0.name == "Transfer-Encoding" && $0.value == "chunked" }) {
      guard let (body, end) = try chunkedBody(from: end.upperBound) else { return nil }
      bytes.removeFirst(end)
      return Reply(status: status, fields: fields, body: body)
    }
    guard let length = isEmpty ? 0 : length else { throw .malformed("response \(status) without Content-Length") }
    guard bytes.count - end.upperBound >= length else { return nil }
    let body = Array(bytes[end.upperBound..<end.upperBound + length])
    bytes.removeFirst(end.upperBound + length)
    return Reply(status: status, fields: fields, body: body)
  }

  /// Decodes a chunked body without trailer fields (RFC 9112 §7.1).
  ///
  /// - Returns: The body and the position after it; nil if it is incomplete.
  private func chunkedBody(from start: Int) throws(Failure) -> (body: [UInt8], end: Int)? {
    let lineEnd = Array("\r\n".utf8)
    var body: [UInt8] = []
    var position = start
    while let end = bytes[position...].firstRange(of: lineEnd) {
      let line = String(decoding: bytes[position..<end.lowerBound], as: UTF8.self)
      guard let size = Int(line, radix: 16), size >= 0 else { throw .malformed(line) }
      let next = end.upperBound + size + lineEnd.count
      guard next <= bytes.count else { return nil }
      body += bytes[end.upperBound..<end.upperBound + size]
      position = next
      if size == 0 { return (body, position) }
    }
    return nil
  }
}
