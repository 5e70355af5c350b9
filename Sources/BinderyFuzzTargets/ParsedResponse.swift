import BinderyJSON

/// A response, parsed and validated in strict accordance with RFC 9112 by code that is independent of the server.
struct ParsedResponse: CustomStringConvertible {
  let status: Int
  let fields: [ParsedRequest.Field]
  private(set) var content: [UInt8] = []
  /// Whether the content has no declared length and ends with the connection or the last chunk.
  private(set) var isStream = false

  /// Returns the value of a header field.
  subscript(lowercaseName: String) -> String? {
    fields.first { $0.name.text.lowercased() == lowercaseName }?.value.text
  }

  var isEventStream: Bool { self["content-type"] == "text/event-stream" }

  var description: String {
    "\(status) \(fields.map { "[\($0.name.text): \($0.value.text)]" }.joined(separator: " ")) \(content.text)"
  }

  /// Parses the bytes sent in response to one request, which must be exactly one final response.
  ///
  /// - Parameter isHead: The request was a HEAD, so no content follows (RFC 9110 §9.3.2).
  init(_ bytes: [UInt8], isHead: Bool) throws(Finding) {
    var rest = bytes[...]
    let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    if rest.starts(with: interim) { rest = rest.dropFirst(interim.count) }
    guard let line = takeLine(&rest), line.starts(with: "HTTP/1.1 ".utf8), line.count > 13,
      line.dropFirst(12).first == 0x20, let status = Int(line.dropFirst(9).prefix(3).text), (200...599).contains(status)
    else { throw Finding("invalid status line: \(bytes.text)") }
    self.status = status
    var fields: [ParsedRequest.Field] = []
    while true {
      guard let line = takeLine(&rest) else { throw Finding("incomplete header section: \(bytes.text)") }
      if line.isEmpty { break }
      guard let field = ParsedRequest.Field(line) else { throw Finding("invalid field line: \(line.text)") }
      fields.append(field)
    }
    self.fields = fields
    try readContent(rest, isHead: isHead)
    try checkFields()
  }

  private mutating func readContent(_ rest: ArraySlice<UInt8>, isHead: Bool) throws(Finding) {
    let length = self["content-length"]
    let isChunked = self["transfer-encoding"] == "chunked"
    try expect(length == nil || !isChunked, "both Content-Length and Transfer-Encoding: \(self)")
    if isHead || status == 204 || status == 304 {
      return try expect(rest.isEmpty, "unexpected content after \(self): \(rest.text)")
    }
    if isChunked {
      isStream = true
      guard let chunked = ChunkedContent(rest), chunked.rest.isEmpty else {
        throw Finding("malformed or incomplete chunked body: \(rest.text)")
      }
      content = chunked.content
    } else if let length {
      content = Array(rest)
      try expect(
        Int(length) == content.count, "\(content.count) bytes of content, which differs from Content-Length: \(self)")
    } else {
      isStream = true
      content = Array(rest)
      try expect(self["connection"] == "close", "content without a length on a persistent connection: \(self)")
    }
  }

  private func checkFields() throws(Finding) {
    let names = fields.map { $0.name.text.lowercased() }
    try expect(Set(names).count == names.count, "duplicate field: \(self)")
    try expect(self["date"] != nil, "no Date: \(self)")
    if let tag = self["etag"] {
      try expect(tag.utf8.count == 24 && tag.hasPrefix("\"") && tag.hasSuffix("\""), "invalid entity tag: \(tag)")
    }
    if status >= 400, !content.isEmpty { try checkProblem() }
    if self["content-type"] == "application/json", !content.isEmpty {
      try expect(ReferenceJSON.accepts(content), "invalid JSON: \(content.text)")
    }
    if isEventStream { try checkEvents() }
  }

  /// Checks that the content of an error response is a problem document (RFC 9457 §3.1).
  private func checkProblem() throws(Finding) {
    try expect(self["content-type"] == "application/problem+json", "not a problem document: \(self)")
    try expect(ReferenceJSON.accepts(content), "invalid JSON: \(content.text)")
    let problem = try? JSONDocument(parsing: content).root
    try expect(
      problem?["status"]?.integer() == .value(Int64(status)), "the status member differs from the status code: \(self)")
    try expect(problem?["type"]?.string?.hasPrefix("/problems/") ?? false, "no problem type: \(self)")
    try expect(problem?["title"]?.string != nil && problem?["detail"]?.string != nil, "no title or detail: \(self)")
  }

  /// Checks that each line of an event stream is a field that browsers know, and that all data is JSON.
  private func checkEvents() throws(Finding) {
    for line in content.split(separator: 0x0A) {
      let name = line.prefix { $0 != UInt8(ascii: ":") }.text
      try expect(["", "id", "data", "event", "retry"].contains(name), "invalid event stream line: \(line.text)")
      if name == "data" {
        try expect(ReferenceJSON.accepts(Array(line.dropFirst("data: ".count))), "invalid JSON: \(line.text)")
      }
    }
  }
}
