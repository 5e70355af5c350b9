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
