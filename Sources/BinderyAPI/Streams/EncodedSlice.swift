import BinderyJSON

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
