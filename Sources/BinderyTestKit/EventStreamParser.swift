/// An event as a browser's EventSource would dispatch it.
package struct ServerSentEvent: Sendable, Hashable, CustomStringConvertible {
  /// The event type; `message` if the stream does not set one.
  package var type: String
  package var data: String
  /// The last event ID after this event.
  package var id: String

  /// Creates an event.
  package init(_ type: String = "message", _ data: String, id: String) {
    self.type = type
    self.data = data
    self.id = id
  }

  package var description: String { "[\(type) \(id)] \(data.prefix(200))" }
}

/// An incremental parser of `text/event-stream` (HTML Standard §9.2.6, “Interpreting an event stream”).
package struct EventStreamParser: Sendable {
  /// The value that a reconnecting client sends as `Last-Event-ID`.
  package private(set) var lastEventID: String
  /// The last reconnection time that the stream set, in milliseconds.
  package private(set) var retryMilliseconds: Int?
  /// The number of comments received. Bindery sends them as heartbeats.
  package private(set) var commentCount = 0
  /// The received events that the test has not removed yet.
  package var events: [ServerSentEvent] = []

  private var line: [UInt8] = []
  private var previousWasReturn = false
  private var isFirstLine = true
  private var type = ""
  private var data: String?
  private var id: String

  /// Creates a parser for a stream that resumes after an event.
  package init(lastEventID: String = "") {
    self.lastEventID = lastEventID
    id = lastEventID
  }

  /// Parses the next chunk of bytes, of any size.
  package mutating func append(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let end = Self.lineEnd(in: rest) {
      // An LF after a CR ends no further line.
      if rest[end] == 0x0D || end > rest.startIndex || !previousWasReturn {
        line += rest[..<end]
        takeLine()
        line.removeAll(keepingCapacity: true)
      }
      previousWasReturn = rest[end] == 0x0D
      rest = rest[(end + 1)...]
    }
    line += rest
    if !rest.isEmpty { previousWasReturn = false }
  }

  /// Returns the index of the first CR or LF.
  private static func lineEnd(in bytes: ArraySlice<UInt8>) -> Int? {
    let lineFeed = bytes.firstOffset(of: 0x0A)
    let carriageReturn = bytes.prefix(lineFeed ?? bytes.count).firstOffset(of: 0x0D)
    return (carriageReturn ?? lineFeed).map { bytes.startIndex + $0 }
  }

  private mutating func takeLine() {
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    isFirstLine = false
    guard !line.isEmpty else { return dispatch() }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      return take(String(decoding: line, as: UTF8.self), "")
    }
    guard colon > 0 else {
      commentCount += 1
      return
    }
    var value = line[(colon + 1)...]
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    take(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
  }

  private mutating func take(_ field: String, _ value: String) {
    switch field {
    case "event": type = value
    case "data": data = data.map { $0 + "\n" + value } ?? value
    case "id": if !value.utf8.contains(0) { id = value }
    case "retry":
      if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { retryMilliseconds = Int(value) }
    default: break
    }
  }

  private mutating func dispatch() {
    lastEventID = id
    if let data { events.append(ServerSentEvent(type.isEmpty ? "message" : type, data, id: id)) }
    type = ""
    data = nil
  }
}
