import BinderyHTTP

/// What an intake made of a sequence of bytes, as text that two readings can be compared by.
struct Reading: Equatable, CustomStringConvertible {
  var requests: [String] = []
  var rejection: Rejection?
  var isWaiting = false

  var description: String { "\(requests) \(rejection.map { "\($0)" } ?? "")\(isWaiting ? " …" : "")" }

  /// Reads pieces one after the other, as they would come from a socket.
  init(_ pieces: [ArraySlice<UInt8>], limits: Limits = Limits()) {
    var buffer = RequestBuffer(capacity: 16)
    for piece in pieces {
      var rest = piece
      while !rest.isEmpty {
        buffer.fill(from: &rest)
        guard advance(&buffer, limits) else { return }
      }
    }
    isWaiting = !buffer.isEmpty
  }

  /// Reads requests while there are any; false after a refusal.
  private mutating func advance(_ buffer: inout RequestBuffer, _ limits: Limits) -> Bool {
    while true {
      switch buffer.next(limits: limits) {
      case .needsMore:
        return true
      case .refused(let found):
        rejection = found
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

extension Reading {
  init(_ text: String, limits: Limits = Limits()) {
    self.init([Array(text.utf8)[...]], limits: limits)
  }

  /// Reads a text whole, byte by byte and cut in two at every place.
  static func all(_ text: String, limits: Limits = Limits()) -> [Reading] {
    let bytes = Array(text.utf8)
    var readings = [Reading([bytes[...]], limits: limits)]
    readings.append(Reading(bytes.indices.map { bytes[$0...$0] }, limits: limits))
    for cut in bytes.indices { readings.append(Reading([bytes[..<cut], bytes[cut...]], limits: limits)) }
    return readings
  }
}

extension RequestBuffer {
  /// Takes as many bytes as there is room for.
  mutating func fill(from bytes: inout ArraySlice<UInt8>) {
    _ = fill { room, start in
      let count = min(room.count - start, bytes.count)
      for offset in 0..<count { room[start + offset] = bytes[bytes.startIndex + offset] }
      bytes = bytes.dropFirst(count)
      return count
    }
  }
}
