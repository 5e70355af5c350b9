import BinderyJSON

/// A response, read by the letter of RFC 9112 and with nothing in common with what wrote it.
struct Reply: CustomStringConvertible {
  let status: Int
  let fields: [Message.Field]
  private(set) var content: [UInt8] = []
  /// The content has no length: it goes on until the connection, or its last chunk, ends it.
  private(set) var isStream = false

  /// The one value of a field.
  subscript(lowercaseName: String) -> String? {
    fields.first { $0.name.text.lowercased() == lowercaseName }?.value.text
  }

  var isEventStream: Bool { self["content-type"] == "text/event-stream" }

  var description: String {
    "\(status) \(fields.map { "[\($0.name.text): \($0.value.text)]" }.joined(separator: " ")) \(content.text)"
  }

  /// Reads what a connection was answered to one request, which must be one response and nothing else.
  init(_ bytes: [UInt8], isHead: Bool) throws(Finding) {
    var rest = bytes[...]
    let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    if rest.starts(with: interim) { rest = rest.dropFirst(interim.count) }
    guard let line = takeLine(&rest), line.starts(with: "HTTP/1.1 ".utf8), line.count > 13,
      line.dropFirst(12).first == 0x20, let status = Int(line.dropFirst(9).prefix(3).text), (200...599).contains(status)
    else { throw Finding("not the beginning of a response: \(bytes.text)") }
    self.status = status
    var fields: [Message.Field] = []
    while true {
      guard let line = takeLine(&rest) else { throw Finding("a head without an end: \(bytes.text)") }
      if line.isEmpty { break }
      guard let field = Message.Field(line) else { throw Finding("no field: \(line.text)") }
      fields.append(field)
    }
    self.fields = fields
    try readContent(rest, isHead: isHead)
    try checkFields()
  }

  private mutating func readContent(_ rest: ArraySlice<UInt8>, isHead: Bool) throws(Finding) {
    let length = self["content-length"]
    let isChunked = self["transfer-encoding"] == "chunked"
    try expect(length == nil || !isChunked, "two lengths: \(self)")
    if isHead || status == 204 || status == 304 {
      return try expect(rest.isEmpty, "content behind \(self): \(rest.text)")
    }
    if isChunked {
      isStream = true
      guard let chunked = ChunkedContent(rest), chunked.rest.isEmpty else {
        throw Finding("a stream is not chunked to its end: \(rest.text)")
      }
      content = chunked.content
    } else if let length {
      content = Array(rest)
      try expect(Int(length) == content.count, "\(content.count) bytes behind \(self)")
    } else {
      isStream = true
      content = Array(rest)
      try expect(self["connection"] == "close", "no length, and no end: \(self)")
    }
  }

  private func checkFields() throws(Finding) {
    let names = fields.map { $0.name.text.lowercased() }
    try expect(Set(names).count == names.count, "a field stands twice: \(self)")
    try expect(self["date"] != nil, "no Date: \(self)")
    if let tag = self["etag"] {
      try expect(tag.utf8.count == 24 && tag.hasPrefix("\"") && tag.hasSuffix("\""), "no entity tag: \(tag)")
    }
    if status >= 400, !content.isEmpty { try checkProblem() }
    if self["content-type"] == "application/json", !content.isEmpty {
      try expect(ReferenceJSON.accepts(content), "no JSON: \(content.text)")
    }
    if isEventStream { try checkEvents() }
  }

  /// RFC 9457 §3.1.
  private func checkProblem() throws(Finding) {
    try expect(self["content-type"] == "application/problem+json", "no problem document: \(self)")
    try expect(ReferenceJSON.accepts(content), "no JSON: \(content.text)")
    let problem = try? JSONDocument(parsing: content).root
    try expect(problem?["status"]?.integer() == .value(Int64(status)), "another status: \(self)")
    try expect(problem?["type"]?.string?.hasPrefix("/problems/") ?? false, "no type: \(self)")
    try expect(problem?["title"]?.string != nil && problem?["detail"]?.string != nil, "no title or detail: \(self)")
  }

  /// Each line is a field that browsers know, and all data is JSON.
  private func checkEvents() throws(Finding) {
    for line in content.split(separator: 0x0A) {
      let name = line.prefix { $0 != UInt8(ascii: ":") }.text
      try expect(["", "id", "data", "event", "retry"].contains(name), "no line of an event: \(line.text)")
      if name == "data" {
        try expect(ReferenceJSON.accepts(Array(line.dropFirst("data: ".count))), "no JSON: \(line.text)")
      }
    }
  }
}
