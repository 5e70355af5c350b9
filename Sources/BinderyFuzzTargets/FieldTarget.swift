/// Checks that a request with any header fields gets a valid response, and that conditions follow RFC 9110 §13.1.
///
/// The input is a list of field lines. `@@` in a line is replaced by the current entity tag.
enum FieldTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    let connection = InMemoryConnection()
    try connection.send(Array("GET /state/dishes HTTP/1.1\r\nHost: h\r\n\r\n".utf8)[...])
    guard let tag = connection.responses.first?["etag"] else {
      throw Finding("no ETag in the response: \(connection.responses)")
    }
    let lines = input.split(separator: 0x0A).map { $0.text.replacing("@@", with: tag) }
    let fields = lines.map { $0 + "\r\n" }.joined()
    for (request, body) in [
      ("GET /state/dishes", ""), ("GET /state/dishes/b10de400-0000-8000-8000-000000000009", ""),
      ("PATCH /state/time", "\"tomorrow\""), ("POST /state/dishes", "{\"name\":\"Pizza\"}"),
    ] {
      let connection = InMemoryConnection()
      let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
      try connection.send(Array("\(request) HTTP/1.1\r\nHost: h\r\n\(length)\(fields)\r\n\(body)".utf8)[...])
      try connection.finish()
      guard request == "GET /state/dishes", let response = connection.responses.first,
        [200, 304, 412].contains(response.status),
        connection.responses.count == 1,
        let message = ParsedRequest.reference(Array("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n".utf8)[...])
      else { continue }
      let expected = status(message.message, tag: tag)
      try expect(response.status == expected, "status \(response.status), expected \(expected): \(lines)")
    }
  }

  /// Returns the expected status of a GET of an existing resource.
  private static func status(_ message: ParsedRequest, tag: String) -> Int {
    if let tags = tags("if-match", message), !matches(tags, tag, allowWeak: false) { return 412 }
    if let tags = tags("if-none-match", message), matches(tags, tag, allowWeak: true) { return 304 }
    return 200
  }

  /// Returns the values of all field lines with a name as one list (RFC 9110 §5.3); nil if there are none.
  private static func tags(_ name: String, _ message: ParsedRequest) -> [UInt8]? {
    let values = message.fields.filter { $0.name.text.lowercased() == name }.map(\.value)
    return values.isEmpty ? nil : Array(values.joined(separator: Array(",".utf8)))
  }

  /// Returns whether a list of entity tags contains a tag. `*` alone matches; a malformed list matches nothing.
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
    items = (items + [item]).map { trimmingWhitespace(Array($0.utf8)[...]).text }.filter { !$0.isEmpty }
    if items == ["*"] { return true }
    let isTag = { (item: String) in
      let opaque = item.hasPrefix("W/") ? item.dropFirst(2) : item[...]
      return opaque.count >= 2 && opaque.first == "\"" && opaque.last == "\"" && opaque.count { $0 == "\"" } == 2
    }
    guard !isQuoted, items.allSatisfy(isTag) else { return false }
    return items.contains(tag) || allowWeak && items.contains("W/" + tag)
  }
}
