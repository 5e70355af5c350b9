/// A response, parsed strictly by RFC 9112.
struct Reply: Equatable {
  let status: Int
  let fields: [String]
  let body: [UInt8]

  /// Returns the value of the first field with a name.
  subscript(name: String) -> String? {
    fields.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }.map { String($0.dropFirst(name.count + 2)) }
  }

  var text: String { String(decoding: body, as: UTF8.self) }
  var saysClose: Bool { self["Connection"] == "close" }
}

/// A strict parser for the responses of a connection. It throws for any deviation from the grammar.
enum Replies {
  enum Failure: Error {
    case malformed(String)
  }

  /// Parses all responses of a connection.
  ///
  /// - Parameter toHEAD: The indices of responses to HEAD, which have no content.
  static func read(_ bytes: [UInt8], toHEAD: Set<Int> = []) throws(Failure) -> [Reply] {
    var remaining = bytes[...]
    var replies: [Reply] = []
    while !remaining.isEmpty {
      replies.append(try next(&remaining, isHead: toHEAD.contains(replies.count)))
    }
    return replies
  }

  private static func next(_ remaining: inout ArraySlice<UInt8>, isHead: Bool) throws(Failure) -> Reply {
    let lines = try takeHead(&remaining)
    guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
      throw .malformed(lines.first ?? "")
    }
    let fields = Array(lines.dropFirst())
    let head = Reply(status: status, fields: fields, body: [])
    guard status >= 200 else { return head }
    guard head["Date"] != nil else { throw .malformed("\(status) without a Date field") }
    if isHead || status == 204 || status == 304 { return head }
    if head["Transfer-Encoding"] == "chunked" {
      return Reply(status: status, fields: fields, body: try takeChunks(&remaining))
    }
    guard let length = head["Content-Length"].flatMap({ Int($0) }), remaining.count >= length else {
      throw .malformed("\(status) with \(remaining.count) bytes of \(head["Content-Length"] ?? "unknown")")
    }
    defer { remaining = remaining.dropFirst(length) }
    return Reply(status: status, fields: fields, body: Array(remaining.prefix(length)))
  }

  private static func takeHead(_ remaining: inout ArraySlice<UInt8>) throws(Failure) -> [String] {
    guard let end = remaining.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw .malformed(String(decoding: remaining.prefix(100), as: UTF8.self))
    }
    defer { remaining = remaining[end.upperBound...] }
    return String(decoding: remaining[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").map(String.init)
  }

  private static func takeChunks(_ remaining: inout ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
    var body: [UInt8] = []
    while let line = remaining.firstRange(of: [0x0D, 0x0A]),
      let size = Int(String(decoding: remaining[..<line.lowerBound], as: UTF8.self), radix: 16)
    {
      remaining = remaining[line.upperBound...]
      guard remaining.count >= size + 2 else { break }
      body += remaining.prefix(size)
      remaining = remaining.dropFirst(size + 2)
      if size == 0 { return body }
    }
    throw .malformed("a truncated chunk")
  }
}
