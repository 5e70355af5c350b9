/// An incremental parser of one HTTP/1.1 response, which may be an event stream.
package struct EventStreamReader: Sendable {
  /// The reason why a response is invalid.
  package enum Failure: Error { case malformed(String) }

  private enum Phase {
    case head, chunkSize, chunkEnd, trailer, untilClose, ended
    case content(left: Int, isChunk: Bool)
  }

  /// Status and header fields; nil until they have been received.
  package private(set) var head: Reply?
  /// The content received so far.
  package private(set) var content: [UInt8] = []
  /// The parser of the content, if it is an event stream.
  package var parser: EventStreamParser
  private var phase = Phase.head
  private var line: [UInt8] = []
  private let isHead: Bool

  /// Creates a reader.
  ///
  /// - Parameter isHead: The request is a HEAD, so no content follows (RFC 9110 §9.3.2).
  package init(lastEventID: String = "", isHead: Bool = false) {
    parser = EventStreamParser(lastEventID: lastEventID)
    self.isHead = isHead
  }

  /// Whether the response is complete. A closed connection alone does not complete it.
  package var isEnded: Bool { if case .ended = phase { true } else { false } }

  /// The response; nil until it is complete.
  package var reply: Reply? {
    guard isEnded, let head else { return nil }
    return Reply(status: head.status, fields: head.fields, body: content)
  }

  private var isEvents: Bool { head?["Content-Type"] == "text/event-stream" }

  /// Parses the next chunk of bytes, of any size.
  ///
  /// - Throws: ``Failure`` if the response is malformed or bytes follow its end.
  package mutating func append(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    try consume(&rest)
    if !rest.isEmpty {
      throw .malformed("bytes after the end of the response: \(String(decoding: rest.prefix(40), as: UTF8.self))")
    }
  }

  /// Parses bytes up to the end of the response, and removes them from a slice.
  mutating func consume(_ rest: inout ArraySlice<UInt8>) throws(Failure) {
    while !rest.isEmpty {
      switch phase {
      case .content(let left, let isChunk):
        let piece = rest.prefix(left)
        take(piece)
        rest = rest.dropFirst(piece.count)
        let end = isChunk ? Phase.chunkEnd : .ended
        phase = left == piece.count ? end : .content(left: left - piece.count, isChunk: isChunk)
      case .untilClose:
        take(rest)
        rest = []
      case .ended: return
      case .head, .chunkSize, .chunkEnd, .trailer:
        let end = rest.firstOffset(of: 0x0A)
        let piece = rest.prefix(end.map { $0 + 1 } ?? rest.count)
        line += piece
        rest = rest.dropFirst(piece.count)
        if end != nil { try takeLine() }
      }
    }
  }

  private mutating func take(_ piece: ArraySlice<UInt8>) {
    content += piece
    if isEvents { parser.append(piece) }
  }

  private mutating func takeLine() throws(Failure) {
    if case .head = phase {
      guard line.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) else { return }
      try takeHead()
    } else {
      guard line.suffix(2).elementsEqual([0x0D, 0x0A]) else { return }
      let text = String(decoding: line.dropLast(2), as: UTF8.self)
      switch phase {
      case .chunkSize:
        guard let size = Int(text, radix: 16) else { throw .malformed("invalid chunk size “\(text)”") }
        phase = size == 0 ? .trailer : .content(left: size, isChunk: true)
      case .chunkEnd where text.isEmpty: phase = .chunkSize
      case .trailer where text.isEmpty: phase = .ended
      default: throw .malformed("unexpected “\(text)” after a chunk")
      }
    }
    line = []
  }

  private mutating func takeHead() throws(Failure) {
    let lines = String(decoding: line, as: UTF8.self).split(separator: "\r\n")
    guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
      throw .malformed("\(lines)")
    }
    let fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
    }
    let head = Reply(status: status, fields: fields, body: [])
    self.head = head
    if isHead || status < 200 || status == 204 || status == 304 {
      phase = .ended
    } else if head["Transfer-Encoding"] == "chunked" {
      phase = .chunkSize
    } else if let length = head["Content-Length"].flatMap({ Int($0) }) {
      phase = length == 0 ? .ended : .content(left: length, isChunk: false)
    } else {
      phase = .untilClose
    }
  }
}
