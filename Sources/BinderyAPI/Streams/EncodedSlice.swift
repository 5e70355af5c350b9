import BinderyHTTP
import BinderyJSON

/// A part of an event's text, encoded and framed: JSON up to about 64 KiB, or a fixed text.
///
/// Streams that send the same value share its slices by reference. A slice does not keep the next one alive, so a
/// stream holds one slice at a time, however long the value is.
final class EncodedSlice {
  let chunk: PreparedChunk
  /// The position at which the text continues; nil if it ends here.
  let next: SlicePosition?
  /// The number of streams whose client has not taken this slice.
  fileprivate(set) var holderCount = 0

  /// - Parameter next: The position at which the text continues; nil if this is its only slice.
  init(_ text: [UInt8], next: SlicePosition? = nil) {
    chunk = PreparedChunk(text)
    self.next = next
  }

  var isHeld: Bool { holderCount > 0 }
}

/// A position in the JSON of a value at which a slice begins.
///
/// It does not keep the slice alive. A stream that is behind encodes the slice again, from the immutable value.
final class SlicePosition {
  private let writer: JSONWriter
  private let encode: (inout JSONWriter) -> Void
  private weak var encoded: EncodedSlice?

  /// Creates the position at which a value begins, or at which a writer has stopped.
  ///
  /// - Parameter encode: Writes the value. It must write the same JSON whenever it is called.
  init(
    after writer: JSONWriter = JSONWriter(stoppingAt: SlicedJSON.sliceBytes),
    _ encode: @escaping (inout JSONWriter) -> Void
  ) {
    self.writer = writer
    self.encode = encode
  }

  /// Whether a stream holds the slice, so that another one can send it without more memory.
  var isHeld: Bool { encoded?.isHeld ?? false }

  /// The slice. It is encoded unless something keeps it alive.
  var slice: EncodedSlice {
    if let encoded { return encoded }
    var writer = writer
    encode(&writer)
    let text = writer.bytes
    writer.bytes = []
    var next: SlicePosition?
    if writer.hasStopped {
      writer.resume(stoppingAt: SlicedJSON.sliceBytes)
      next = SlicePosition(after: writer, encode)
    }
    let slice = EncodedSlice(text, next: next)
    encoded = slice
    return slice
  }
}

/// The slices that the clients of an event loop have not taken. A slice that several streams hold counts once.
struct HeldSlices {
  /// The size of all held slices in bytes.
  private(set) var byteCount = 0

  mutating func hold(_ slice: EncodedSlice) {
    slice.holderCount += 1
    if slice.holderCount == 1 { byteCount += slice.chunk.content.count }
  }

  mutating func release(_ slice: EncodedSlice) {
    slice.holderCount -= 1
    if slice.holderCount == 0 { byteCount -= slice.chunk.content.count }
  }
}

/// The JSON of one version of a place, or of the reason why it is absent. It is encoded when it is first needed.
final class EncodedPlace {
  let start: SlicePosition
  /// The first slice. It is kept, because most values have only one.
  private(set) lazy var first = start.slice
  /// The position up to which the length was measured; nil if all was measured.
  private var unmeasured: SlicePosition?
  private var measuredBytes = 0

  init(_ encode: @escaping (inout JSONWriter) -> Void) {
    start = SlicePosition(encode)
    unmeasured = start
  }

  /// The length of the JSON; nil if it is not measured.
  var length: Int? { unmeasured == nil ? measuredBytes : nil }

  /// Measures one more slice, unless the length is known or certainly exceeds a limit.
  ///
  /// - Returns: The length of the slice; nil if there was nothing left to measure.
  func measureSlice(upTo limit: Int) -> Int? {
    guard let position = unmeasured, measuredBytes <= limit else { return nil }
    let slice = measuredBytes == 0 ? first : position.slice
    measuredBytes += slice.chunk.content.count
    unmeasured = slice.next
    return slice.chunk.content.count
  }
}
