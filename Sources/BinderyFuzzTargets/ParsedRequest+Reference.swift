extension ParsedRequest {
  /// Parses one request in strict accordance with RFC 9112.
  ///
  /// This reference parser works line by line, is slow, and shares no code with the parser under test.
  /// - Returns: The request and the bytes after it; nil if the bytes do not begin with a complete, unambiguous request.
  static func reference(_ bytes: ArraySlice<UInt8>) -> (message: ParsedRequest, rest: ArraySlice<UInt8>)? {
    var rest = bytes
    // Empty lines before a request are ignored (§2.2); the server limits their number.
    while rest.starts(with: lineEnd), bytes.count - rest.count < 8 { rest = rest.dropFirst(2) }
    var lines: [ArraySlice<UInt8>] = []
    while let line = takeLine(&rest), !line.isEmpty { lines.append(line) }
    // Fails if the loop ended because the header section is incomplete.
    guard let first = lines.first, bytes[..<rest.startIndex].suffix(4).elementsEqual(lineEnd + lineEnd),
      var message = ParsedRequest(requestLine: first)
    else { return nil }
    for line in lines.dropFirst() {
      guard let field = Field(line) else { return nil }
      message.fields.append(field)
    }
    guard message.values("host").count == 1 || !message.isHTTP11 && message.values("host").isEmpty else { return nil }
    return message.readContent(&rest) ? (message, rest) : nil
  }

  private init?(requestLine: ArraySlice<UInt8>) {
    let parts = requestLine.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isToken), !parts[1].isEmpty,
      parts[1].allSatisfy({ (0x21...0x7E).contains($0) }), parts[2].count == 8, parts[2].starts(with: "HTTP/1.".utf8),
      let minor = parts[2].last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(minor)
    else { return nil }
    method = Array(parts[0])
    target = Self.pathAndQuery(parts[1])
    isHTTP11 = minor != UInt8(ascii: "0")
  }

  /// Returns path and query of a request target in origin, absolute or asterisk form (§3.2).
  private static func pathAndQuery(_ target: ArraySlice<UInt8>) -> [UInt8] {
    if target.elementsEqual("*".utf8) { return [] }
    let text = target.text
    guard target.first != UInt8(ascii: "/"), let scheme = text.firstRange(of: "://") else { return Array(target) }
    let path = text[scheme.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
    return Array(text[path...].utf8)
  }

  private func values(_ lowercaseName: String) -> [String] {
    fields.filter { $0.name.text.lowercased() == lowercaseName }.map(\.value.text)
  }

  /// Consumes the content from the front of the bytes (§6.3).
  ///
  /// - Returns: False if the length of the content is ambiguous, or if it is incomplete.
  private mutating func readContent(_ rest: inout ArraySlice<UInt8>) -> Bool {
    switch (values("transfer-encoding"), values("content-length")) {
    case (let codings, let lengths) where codings.isEmpty && lengths.isEmpty: return true
    case (let codings, let lengths) where codings.isEmpty && lengths.count == 1:
      guard lengths[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(lengths[0]),
        length <= rest.count
      else { return false }
      content = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      return true
    case (let codings, let lengths) where codings.count == 1 && lengths.isEmpty:
      guard isHTTP11, codings[0].lowercased() == "chunked", let chunked = ChunkedContent(rest) else { return false }
      content = chunked.content
      rest = chunked.rest
      return true
    default: return false
    }
  }
}

extension ParsedRequest.Field {
  /// Parses a field line, `name: value` (§5).
  init?(_ line: ArraySlice<UInt8>) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(isToken), line.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    name = Array(line[..<colon])
    value = Array(trimmingWhitespace(line[(colon + 1)...]))
  }
}

/// The decoded content of a chunked body (RFC 9112 §7.1), parsed line by line.
struct ChunkedContent {
  private(set) var content: [UInt8] = []
  private(set) var rest: ArraySlice<UInt8>

  /// Parses a chunked body; nil if it is malformed or incomplete.
  init?(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
    while true {
      guard let line = takeLine(&rest) else { return nil }
      let digits = trimmingWhitespace(line.prefix { $0 != UInt8(ascii: ";") })
      guard !digits.isEmpty, digits.first != UInt8(ascii: "+"), let size = Int(digits.text, radix: 16), size >= 0 else {
        return nil
      }
      if size == 0 { break }
      guard rest.count >= size + 2, rest.dropFirst(size).starts(with: lineEnd) else { return nil }
      content += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
    }
    while true {
      guard let line = takeLine(&rest) else { return nil }
      if line.isEmpty { return }
      guard ParsedRequest.Field(line) != nil else { return nil }
    }
  }
}

/// CRLF.
let lineEnd: [UInt8] = [0x0D, 0x0A]

/// Consumes a line and returns it without CRLF; nil if there is no CRLF or if the line contains a bare CR or LF.
func takeLine(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
  guard let end = bytes.firstRange(of: lineEnd) else { return nil }
  let line = bytes[..<end.lowerBound]
  bytes = bytes[end.upperBound...]
  return line.contains { $0 == 0x0D || $0 == 0x0A } ? nil : line
}

/// Returns the bytes without leading and trailing spaces and tabs (OWS, RFC 9110 §5.6.3).
func trimmingWhitespace(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  var bytes = bytes
  while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
  while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
  return bytes
}

/// Returns whether a byte is a `tchar` (RFC 9110 §5.6.2).
func isToken(_ byte: UInt8) -> Bool {
  switch Unicode.Scalar(byte) {
  case "0"..."9", "a"..."z", "A"..."Z": true
  case "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^", "_", "`", "|", "~": true
  default: false
  }
}
