import BinderyCore
import BinderyHTTP
import BinderyJSON

/// An event that is about to be written.
enum StreamEvent {
  /// An event that is written at once, and copied for each stream.
  case frame(PreparedChunk)
  /// An event that is written in pieces.
  case long(OutgoingEvent)
  /// An event of several places, of which some values are so long that their length must be measured first.
  case unmeasured(SnapshotEvent)

  /// The length in bytes up to which an event is short. A short event is written even if unread streams hold too much.
  static var shortBytes: Int { 4 * 1024 }

  /// Creates an event from the parts of its text.
  init(_ parts: [OutgoingEvent.Part]) {
    if parts.count == 1, case .text(let text) = parts[0] {
      self = .frame(PreparedChunk(text))
    } else {
      self = .long(OutgoingEvent(parts))
    }
  }

  /// Whether the event begins with bytes that are not held yet.
  var needsMemory: Bool {
    switch self {
    case .frame: false
    case .long(let event): event.needsMemory
    case .unmeasured: true
    }
  }
}

/// Server-sent events as bytes
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
enum EventFrame {
  /// A comment, which clients ignore. It keeps proxies from closing an idle connection, and detects a lost client.
  static let heartbeat = PreparedChunk(Array(": hb\n\n".utf8))

  /// Returns the lines of an event up to the start of its data.
  ///
  /// - Parameters:
  ///   - event: The event type; nil for the default type, `message`.
  ///   - id: The event id, which the client sends back as `Last-Event-ID`; nil for none.
  static func start(event: String?, id: [UInt8]?) -> [UInt8] {
    var text: [UInt8] = []
    if let event { text.append(contentsOf: "event: \(event)\n".utf8) }
    if let id {
      text.append(contentsOf: "id: ".utf8)
      text.append(contentsOf: id)
      text.append(UInt8(ascii: "\n"))
    }
    text.append(contentsOf: "data: ".utf8)
    return text
  }

  /// The end of an event. Its data is one line, because canonical JSON never contains a line break.
  static let end = Array("\n\n".utf8)

  /// Creates the last event of a stream whose credential was revoked or expired.
  ///
  /// It has no `id:`, so the client keeps its cursor and can resume with a new credential.
  static func cancel(_ revocation: Revocation) -> PreparedChunk {
    PreparedChunk(Array("event: cancel\ndata: {\"reason\":\"\(revocation.rawValue)\"}\n\n".utf8))
  }

  /// Returns a `retry:` field, the time after which the client reconnects when the connection is lost.
  static func retry(milliseconds: Int) -> [UInt8] { Array("retry: \(milliseconds)\n\n".utf8) }
}

extension Absence? {
  /// Writes the absence as the data of an `absent` event.
  func encode(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("reason")
    switch self?.reason {
    case .inactiveCase(_, let active)?:
      writer.string(ProblemKind.inactiveCase.rawValue)
      writer.member("activeCase", active)
    case .noSuchElement?: writer.string(ProblemKind.noSuchElement.rawValue)
    case .nilOptional?, nil: writer.string(ProblemKind.nilOptional.rawValue)
    }
    writer.endObject()
  }
}
