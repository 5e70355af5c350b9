/// One answer, read by the letter of RFC 9112.
struct Reply: Equatable {
  let status: Int
  let fields: [String]
  let body: [UInt8]

  /// The value of the first field with a name.
  subscript(name: String) -> String? {
    fields.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }.map { String($0.dropFirst(name.count + 2)) }
  }

  var text: String { String(decoding: body, as: UTF8.self) }
  var saysClose: Bool { self["Connection"] == "close" }
}

/// Takes the bytes of a connection apart into answers, without mercy for what does not fit.
enum Replies {
  enum Failure: Error {
    case malformed(String)
  }

  /// - Parameter toHEAD: the answers, by their place, that have no content because HEAD was asked.
  static func read(_ bytes: [UInt8], toHEAD: Set<Int> = []) throws(Failure) -> [Reply] {
    var rest = bytes[...]
    var replies: [Reply] = []
    while !rest.isEmpty {
      replies.append(try next(&rest, isHead: toHEAD.contains(replies.count)))
    }
    return replies
  }

  private static func next(_ rest: inout ArraySlice<UInt8>, isHead: Bool) throws(Failure) -> Reply {
    let lines = try takeHead(&rest)
    guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
      throw .malformed(lines.first ?? "")
    }
    let fields = Array(lines.dropFirst())
    let head = Reply(status: status, fields: fields, body: [])
    guard status >= 200 else { return head }
    guard head["Date"] != nil else { throw .malformed("\(status) without a date") }
    if isHead || status == 204 || status == 304 { return head }
    if head["Transfer-Encoding"] == "chunked" {
      return Reply(status: status, fields: fields, body: try takeChunks(&rest))
    }
    guard let length = head["Content-Length"].flatMap({ Int($0) }), rest.count >= length else {
      throw .malformed("\(status) with \(rest.count) bytes of \(head["Content-Length"] ?? "unknown")")
    }
    defer { rest = rest.dropFirst(length) }
    return Reply(status: status, fields: fields, body: Array(rest.prefix(length)))
  }

  private static func takeHead(_ rest: inout ArraySlice<UInt8>) throws(Failure) -> [String] {
    guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw .malformed(String(decoding: rest.prefix(100), as: UTF8.self))
    }
    defer { rest = rest[end.upperBound...] }
    return String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").map(String.init)
  }

  private static func takeChunks(_ rest: inout ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
    var body: [UInt8] = []
    while let line = rest.firstRange(of: [0x0D, 0x0A]),
      let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16)
    {
      rest = rest[line.upperBound...]
      guard rest.count >= size + 2 else { break }
      body += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
      if size == 0 { return body }
    }
    throw .malformed("a chunk that ends early")
  }
}
