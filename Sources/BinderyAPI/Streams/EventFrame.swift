import BinderyCore
import BinderyHTTP
import BinderyJSON

/// Server-sent events as bytes
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
enum EventFrame {
  /// A comment, which clients ignore. It keeps proxies from closing an idle connection, and detects a lost client.
  static let heartbeat = PreparedChunk(Array(": hb\n\n".utf8))

  /// Returns the lines of an event up to the start of its data.
  ///
  /// - Parameters:
  ///   - event: The event type; nil for the default type, `message`.
  ///   - id: The event id, which the client sends back as `Last-Event-ID`.
  static func start(event: String?, id: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    if let event { text.append(contentsOf: "event: \(event)\n".utf8) }
    text.append(contentsOf: "id: ".utf8)
    text.append(contentsOf: id)
    text.append(contentsOf: "\ndata: ".utf8)
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
      writer.key("activeCase")
      writer.string(active)
    case .noSuchElement?: writer.string(ProblemKind.noSuchElement.rawValue)
    case .nilOptional?, nil: writer.string(ProblemKind.nilOptional.rawValue)
    }
    writer.endObject()
  }
}
