/// One event as a browser's EventSource would tell it.
package struct ServerSentEvent: Sendable, Hashable, CustomStringConvertible {
  /// `message` where the stream gives none.
  package var type: String
  package var data: String
  /// The last event ID after it.
  package var id: String

  package init(_ type: String = "message", _ data: String, id: String) {
    self.type = type
    self.data = data
    self.id = id
  }

  package var description: String { "[\(type) \(id)] \(data.prefix(200))" }
}

/// Reads `text/event-stream` as the HTML standard has it (“Server-sent events” §9.2.6), in pieces of any size.
package struct EventStreamParser: Sendable {
  /// What the next connection would send as `Last-Event-ID`.
  package private(set) var lastEventID: String
  package private(set) var retryMilliseconds: Int?
  /// How many comments have come: they are the heartbeats.
  package private(set) var commentCount = 0
  /// The events that nobody has taken yet.
  package var events: [ServerSentEvent] = []

  private var line: [UInt8] = []
  private var lastWasReturn = false
  private var isFirstLine = true
  private var type = ""
  private var data: String?
  private var id: String

  package init(lastEventID: String = "") {
    self.lastEventID = lastEventID
    id = lastEventID
  }

  package mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      let followsReturn = lastWasReturn
      lastWasReturn = byte == 0x0D
      switch byte {
      case 0x0A where followsReturn: continue
      case 0x0A, 0x0D:
        takeLine()
        line.removeAll(keepingCapacity: true)
      default: line.append(byte)
      }
    }
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
