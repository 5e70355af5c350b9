import BinderyHTTP

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
    /// A change in an event of several places.
    case change(SnapshotEvent.Change, SnapshotEvent.Form, isFirst: Bool)

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

  /// Whether the next slice is held by no other stream.
  var needsMemory: Bool {
    for part in parts.reversed() {
      switch part {
      case .text: continue
      case .slice(let slice): return !slice.isHeld
      case .value(let position): return !position.isHeld
      case .change: return true
      }
    }
    return false
  }

  /// Writes the next piece.
  ///
  /// - Returns: The slice, which the connection refers to until the client has taken it; nil if the piece is short.
  mutating func writePiece(to output: inout ResponseWriter) -> EncodedSlice? {
    let piece = takePiece()
    if !piece.text.isEmpty { output.chunk { $0.append(contentsOf: piece.text) } }
    if let slice = piece.slice { output.chunk(sharing: slice.chunk) }
    return piece.slice
  }

  /// Removes the next piece: texts and short values up to the size of a slice, or one slice of a longer value. At most
  /// one slice is encoded, so that other connections do not wait long.
  ///
  /// - Returns: A short text, which is copied for each stream, and a slice after it.
  mutating func takePiece() -> (text: [UInt8], slice: EncodedSlice?) {
    var text: [UInt8] = []
    while text.count < SlicedJSON.sliceBytes, let part = parts.popLast() {
      let slice: EncodedSlice
      switch part {
      case .text(let more):
        text += more
        continue
      case .change(let change, let form, let isFirst):
        parts.append(contentsOf: change.parts(form, isFirst: isFirst).reversed())
        continue
      case .slice(let fixed): slice = fixed
      case .value(let position): slice = position.slice
      }
      if slice.next == nil, slice.chunk.content.count <= StreamEvent.shortBytes {
        text += slice.chunk.content
        continue
      }
      guard text.count <= StreamEvent.shortBytes else {
        // The text before the slice is a piece of its own.
        parts.append(part)
        break
      }
      if let next = slice.next { parts.append(.value(next)) }
      return (text, slice)
    }
    return text.count <= StreamEvent.shortBytes ? (text, nil) : ([], EncodedSlice(text))
  }
}
