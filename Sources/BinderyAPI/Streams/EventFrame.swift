import BinderyCore
import BinderyHTTP
import BinderyJSON

/// Server-sent events as bytes
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
enum EventFrame {
  /// A comment, which clients ignore. It keeps proxies from closing an idle connection, and detects a lost client.
  static let heartbeat = PreparedChunk(Array(": hb\n\n".utf8))

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - event: The event type; nil for the default type, `message`.
  ///   - id: The event id, which the client sends back as `Last-Event-ID`.
  ///   - data: One line of text. Canonical JSON never contains a line break.
  static func make(event: String?, id: [UInt8], data: [UInt8]) -> PreparedChunk {
    var frame: [UInt8] = []
    frame.reserveCapacity(id.count + data.count + 64)
    if let event { frame.append(contentsOf: "event: \(event)\n".utf8) }
    frame.append(contentsOf: "id: ".utf8)
    frame.append(contentsOf: id)
    frame.append(contentsOf: "\ndata: ".utf8)
    frame.append(contentsOf: data)
    frame.append(contentsOf: "\n\n".utf8)
    return PreparedChunk(frame)
  }

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
