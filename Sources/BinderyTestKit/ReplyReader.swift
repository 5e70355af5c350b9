/// Takes replies off the front of the bytes that a connection has brought.
struct ReplyReader {
  enum Failure: Error { case malformed(String) }

  private var bytes: [UInt8] = []

  mutating func append(_ more: [UInt8]) { bytes += more }

  /// The next final reply; nil while it is not whole. Interim replies (RFC 9110 §15.2) are passed over.
  ///
  /// - Parameter isHead: the reply answers a HEAD, so that no content follows.
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
    guard let length = isEmpty ? 0 : length else { throw .malformed("\(status) without a length") }
    guard bytes.count - end.upperBound >= length else { return nil }
    let body = Array(bytes[end.upperBound..<end.upperBound + length])
    bytes.removeFirst(end.upperBound + length)
    return Reply(status: status, fields: fields, body: body)
  }
}
