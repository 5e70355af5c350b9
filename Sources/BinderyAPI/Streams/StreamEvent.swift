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

  var isShort: Bool { if case .frame = self { true } else { false } }

  /// Indicates whether the event begins with bytes that are not held yet.
  var needsMemory: Bool {
    switch self {
    case .frame: false
    case .long(let event): event.needsMemory
    case .unmeasured: true
    }
  }
}

/// The rest of an event that is written in pieces, each when the client has taken the one before.
struct OutgoingEvent {
  /// A part of an event's text.
  enum Part {
    /// A short text, which is copied for each stream.
    case text([UInt8])
    /// A longer text.
    case slice(EncodedSlice)
    /// The rest of a value.
    case value(SlicePosition)

    /// Creates a part of fixed text.
    init(_ text: [UInt8]) {
      self = text.count <= StreamEvent.shortBytes ? .text(text) : .slice(EncodedSlice(text))
    }
  }

  /// The parts that are not written, in reverse order.
  private var parts: [Part]

  init(_ parts: [Part]) { self.parts = parts.reversed() }

  /// Whether the whole event is written.
  var isWritten: Bool { parts.isEmpty }

  /// Indicates whether the next slice is held by no other stream.
  var needsMemory: Bool {
    for part in parts.reversed() {
      switch part {
      case .text: continue
      case .slice(let slice): return !slice.isHeld
      case .value(let position): return !position.isHeld
      }
    }
    return false
  }

  /// Writes the next piece: texts, and one slice after them. At most one slice is encoded, so that other connections do
  /// not wait long.
  ///
  /// - Returns: The slice, which the connection refers to until the client has taken it; nil if the event ends with
  ///   text.
  mutating func writePiece(to output: inout ResponseWriter) -> EncodedSlice? {
    while let part = parts.popLast() {
      let slice: EncodedSlice
      switch part {
      case .text(let text):
        output.chunk { $0.append(contentsOf: text) }
        continue
      case .slice(let encoded): slice = encoded
      case .value(let position): slice = position.slice
      }
      if let next = slice.next { parts.append(.value(next)) }
      output.chunk(sharing: slice.chunk)
      return slice
    }
    return nil
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
