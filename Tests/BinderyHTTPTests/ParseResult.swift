import BinderyHTTP

/// The result of parsing a sequence of bytes, as text that tests can compare.
struct ParseResult: Equatable, CustomStringConvertible {
  var requests: [String] = []
  var rejection: Rejection?
  var isWaiting = false

  var description: String { "\(requests) \(rejection.map { "\($0)" } ?? "")\(isWaiting ? " …" : "")" }

  /// Parses pieces one after the other, as they would arrive from a socket.
  init(_ pieces: [ArraySlice<UInt8>], limits: Limits = Limits()) {
    var buffer = RequestBuffer(capacity: 16)
    for piece in pieces {
      var remaining = piece
      while !remaining.isEmpty {
        buffer.fill(from: &remaining)
        guard advance(&buffer, limits) else { return }
      }
    }
    isWaiting = !buffer.isEmpty
  }

  /// Parses all complete requests; returns false after a rejection.
  private mutating func advance(_ buffer: inout RequestBuffer, _ limits: Limits) -> Bool {
    while true {
      switch buffer.next(limits: limits) {
      case .needsMore:
        return true
      case .rejected(let reason):
        rejection = reason
        return false
      case .request(.tooLarge):
        requests.append("too large")
        return false
      case .request(.pending):
        buffer.startBody()
      case .request(let body):
        requests.append(describe(buffer, body))
        buffer.consume()
      }
    }
  }

  private func describe(_ buffer: borrowing RequestBuffer, _ body: RequestBody) -> String {
    let bytes = buffer.bytes.span.extracting(buffer.range)
    let head = buffer.head
    var text = "\(head.method.name) \(bytes.text(head.path))"
    if let query = head.query { text += "?\(bytes.text(query))" }
    text += " @\(bytes.text(head.authority)) \(head.isHTTP11 ? "1.1" : "1.0")\(head.keepAlive ? "" : " close")"
    for index in 0..<head.fieldCount {
      text += " [\(head.field(index).name):\(bytes.text(head.field(index).value))]"
    }
    if case .complete(let range) = body { text += " {\(bytes.text(range))}" }
    return text
  }
}

extension ParseResult {
  init(_ text: String, limits: Limits = Limits()) {
    self.init([Array(text.utf8)[...]], limits: limits)
  }

  /// Parses a text as a whole, byte by byte, and split in two at every position.
  static func allSplits(_ text: String, limits: Limits = Limits()) -> [ParseResult] {
    let bytes = Array(text.utf8)
    var results = [ParseResult([bytes[...]], limits: limits)]
    results.append(ParseResult(bytes.indices.map { bytes[$0...$0] }, limits: limits))
    for split in bytes.indices { results.append(ParseResult([bytes[..<split], bytes[split...]], limits: limits)) }
    return results
  }
}

extension RequestBuffer {
  /// Appends as many bytes as fit.
  mutating func fill(from bytes: inout ArraySlice<UInt8>) {
    _ = fill { storage, start in
      let count = min(storage.count - start, bytes.count)
      for offset in 0..<count { storage[start + offset] = bytes[bytes.startIndex + offset] }
      bytes = bytes.dropFirst(count)
      return count
    }
  }
}
