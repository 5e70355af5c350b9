/// Whatever the fields of a request say, it is answered; and conditions hold as RFC 9110 §13.1 has it.
///
/// The input is lines; `@@` in one stands for the current entity tag.
enum Fields {
  static func run(_ input: [UInt8]) throws(Finding) {
    let wire = Wire()
    try wire.send(Array("GET /state/dishes HTTP/1.1\r\nHost: h\r\n\r\n".utf8)[...])
    guard let tag = wire.replies.first?["etag"] else { throw Finding("no ETag: \(wire.replies)") }
    let lines = input.split(separator: 0x0A).map { $0.text.replacing("@@", with: tag) }
    let fields = lines.map { $0 + "\r\n" }.joined()
    for (request, body) in [
      ("GET /state/dishes", ""), ("GET /state/dishes/b10de400-0000-8000-8000-000000000009", ""),
      ("PATCH /state/time", "\"tomorrow\""), ("POST /state/dishes", "{\"name\":\"Pizza\"}"),
    ] {
      let wire = Wire()
      let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
      try wire.send(Array("\(request) HTTP/1.1\r\nHost: h\r\n\(length)\(fields)\r\n\(body)".utf8)[...])
      try wire.finish()
      guard request == "GET /state/dishes", let reply = wire.replies.first, [200, 304, 412].contains(reply.status),
        wire.replies.count == 1,
        let message = Message.reference(Array("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n".utf8)[...])
      else { continue }
      let expected = status(message.message, tag: tag)
      try expect(reply.status == expected, "\(reply.status), not \(expected): \(lines)")
    }
  }

  /// How a GET of something that is there is answered.
  private static func status(_ message: Message, tag: String) -> Int {
    if let tags = tags("if-match", message), !matches(tags, tag, allowWeak: false) { return 412 }
    if let tags = tags("if-none-match", message), matches(tags, tag, allowWeak: true) { return 304 }
    return 200
  }

  /// All field lines with a name, as one list (§5.3).
  private static func tags(_ name: String, _ message: Message) -> [UInt8]? {
    let values = message.fields.filter { $0.name.text.lowercased() == name }.map(\.value)
    return values.isEmpty ? nil : Array(values.joined(separator: Array(",".utf8)))
  }

  /// Whether a list of entity tags holds one; what is malformed holds none, and `*` stands alone.
  private static func matches(_ list: [UInt8], _ tag: String, allowWeak: Bool) -> Bool {
    var items: [String] = []
    var item = ""
    var isQuoted = false
    for byte in list {
      let scalar = Unicode.Scalar(byte)
      if scalar == "\"" { isQuoted.toggle() }
      if scalar == ",", !isQuoted {
        items.append(item)
        item = ""
      } else {
        item.unicodeScalars.append(scalar)
      }
    }
    items = (items + [item]).map { trimmingBlanks(Array($0.utf8)[...]).text }.filter { !$0.isEmpty }
    if items == ["*"] { return true }
    let isTag = { (item: String) in
      let opaque = item.hasPrefix("W/") ? item.dropFirst(2) : item[...]
      return opaque.count >= 2 && opaque.first == "\"" && opaque.last == "\"" && opaque.count { $0 == "\"" } == 2
    }
    guard !isQuoted, items.allSatisfy(isTag) else { return false }
    return items.contains(tag) || allowWeak && items.contains("W/" + tag)
  }
}
