import BinderyCore
import BinderyHTTP
import BinderyJSON

/// An event that is about to be written.
enum StreamEvent {
  /// An event that is written at once, and whose bytes the streams of a place share.
  case frame(PreparedChunk)
  /// An event that is written in pieces.
  case long(OutgoingEvent)
  /// An event of several places, of which some values are so long that their length must be measured first.
  case unmeasured(SnapshotEvent)

  /// The length in bytes up to which an event is short. A short event is written even if unread streams hold too much.
  static var shortBytes: Int { 4 * 1024 }

  /// Creates an event from its texts.
  init(_ parts: [EncodedSlice]) {
    let length = parts.reduce(0) { $0 + $1.bytes.count }
    if length <= Self.shortBytes, parts.allSatisfy(\.isLast) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(length)
      for part in parts { bytes.append(contentsOf: part.bytes) }
      self = .frame(PreparedChunk(bytes))
    } else {
      self = .long(OutgoingEvent(parts))
    }
  }

  var isShort: Bool { if case .frame = self { true } else { false } }
}

/// The rest of an event that is written in pieces, each when the client has taken the one before.
struct OutgoingEvent {
  /// The texts after the current slice, in reverse order.
  private var parts: [EncodedSlice]
  private var slice: EncodedSlice?
  private var offset = 0
  /// The length of the piece that was written last, in bytes.
  private var pieceBytes = 0

  init(_ parts: [EncodedSlice]) {
    self.parts = parts.reversed()
    slice = self.parts.popLast()
  }

  /// Whether the whole event is written.
  var isWritten: Bool { slice == nil }

  /// The number of bytes that the event holds until the client has taken the last piece: the piece, and the slice that
  /// the event continues in.
  var heldBytes: Int { pieceBytes + (slice?.bytes.count ?? 0) }

  /// Appends the next piece: up to 64 KiB, and the rest of one value's slice at most.
  mutating func writePiece(to bytes: inout [UInt8]) {
    let start = bytes.count
    var hasEncoded = false
    while let current = slice, bytes.count - start < SlicedJSON.sliceBytes {
      let end = min(current.bytes.count, offset + SlicedJSON.sliceBytes - (bytes.count - start))
      bytes.append(contentsOf: current.bytes[offset..<end])
      offset = end
      guard offset == current.bytes.count else { break }
      // Only one slice is encoded for each piece, so that other connections do not wait long.
      if hasEncoded, !current.isLast { break }
      hasEncoded = hasEncoded || !current.isLast
      slice = current.next() ?? parts.popLast()
      offset = 0
    }
    pieceBytes = bytes.count - start
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

/// A part of an event's text: JSON up to about 64 KiB, or a fixed text.
///
/// Streams that send the same value at the same time share its slices. A slice does not keep the next one alive, so a
/// stream holds one slice at a time, however long the value is. A stream that is behind encodes the rest again, from
/// the immutable value.
final class EncodedSlice {
  let bytes: [UInt8]
  /// The writer at the end of this slice; nil if the text ends here.
  private let writer: JSONWriter?
  private let encode: (inout JSONWriter) -> Void
  private weak var sharedNext: EncodedSlice?

  /// Creates the first slice of a value's JSON.
  ///
  /// - Parameter encode: Writes the value. It must write the same JSON whenever it is called.
  convenience init(encoding encode: @escaping (inout JSONWriter) -> Void) {
    self.init(JSONWriter(stoppingAt: SlicedJSON.sliceBytes), encode)
  }

  /// Creates the only slice of a text.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    writer = nil
    encode = { _ in }
  }

  private init(_ writer: JSONWriter, _ encode: @escaping (inout JSONWriter) -> Void) {
    var writer = writer
    encode(&writer)
    bytes = writer.bytes
    writer.bytes = []
    self.writer = writer.hasStopped ? writer : nil
    self.encode = encode
  }

  /// Whether the text ends with this slice.
  var isLast: Bool { writer == nil }

  /// Returns the next slice, which is encoded unless another stream holds it.
  func next() -> EncodedSlice? {
    if let sharedNext { return sharedNext }
    guard var writer else { return nil }
    writer.resume(stoppingAt: SlicedJSON.sliceBytes)
    let next = EncodedSlice(writer, encode)
    sharedNext = next
    return next
  }
}

/// The JSON of one version of a place, or of the reason why it is absent.
final class EncodedPlace {
  /// The first slice. It is kept, because most values have only one.
  let first: EncodedSlice
  /// The slice up to which the length was measured; nil if all were measured.
  private var measured: EncodedSlice?
  private var measuredBytes: Int

  init(_ encode: @escaping (inout JSONWriter) -> Void) {
    first = EncodedSlice(encoding: encode)
    measured = first.isLast ? nil : first
    measuredBytes = first.bytes.count
  }

  /// The length of the JSON; nil if it is not measured.
  var length: Int? { measured == nil ? measuredBytes : nil }

  /// Measures one more slice, unless the length is known or certainly exceeds a limit.
  ///
  /// - Returns: Whether there was nothing left to measure.
  func measureSlice(upTo limit: Int) -> Bool {
    guard let slice = measured, measuredBytes <= limit else { return true }
    let next = slice.next()
    measuredBytes += next?.bytes.count ?? 0
    measured = next?.isLast == false ? next : nil
    return false
  }
}
