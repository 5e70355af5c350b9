import BinderyCore
import BinderyHTTP
import BinderyJSON

/// Long JSON that is written slice by slice.
///
/// The value is an immutable snapshot, so a slow client blocks no writer, and a response needs no more memory than one
/// slice.
package struct SlicedJSON: SlicedContent {
  /// The size of a slice in bytes. Shorter JSON is written at once. Writing a slice takes a few tenths of a
  /// millisecond, during which the other connections of the loop wait.
  static let sliceBytes = 1 << 16

  /// Contains the first slice until it is written, and then the position at which the JSON continues.
  private var writer: JSONWriter
  private let writeRemainder: @Sendable (inout JSONWriter) -> Void
  /// nil if the JSON is written in its compact form.
  private var printer: PrettyPrinter?
  private var isAtStart = true

  /// Creates the continuation of a reading that has written its first slice.
  ///
  /// - Returns: nil if the first slice is the complete JSON.
  init?(_ reading: ReadOperation, isPretty: Bool) {
    guard let writeRemainder = reading.writeRemainder else { return nil }
    self.writeRemainder = writeRemainder
    writer = reading.writer
    printer = isPretty ? PrettyPrinter() : nil
  }

  package var hasMore: Bool { isAtStart || writer.hasStopped }

  package mutating func write(to bytes: inout [UInt8]) {
    guard var printer else { return writeCompact(to: &bytes) }
    if !isAtStart {
      // Pretty-printing nearly doubles the size.
      writer.resume(stoppingAt: Self.sliceBytes / 2)
      writeRemainder(&writer)
    }
    isAtStart = false
    printer.print(writer.bytes.span, into: &bytes)
    if !hasMore { bytes.append(UInt8(ascii: "\n")) }
    self.printer = printer
    writer.bytes = []
  }

  private mutating func writeCompact(to bytes: inout [UInt8]) {
    if isAtStart {
      isAtStart = false
      bytes += writer.bytes
      writer.bytes = []
      return
    }
    // The writer appends to the output buffer itself, which saves a copy.
    swap(&writer.bytes, &bytes)
    writer.resume(stoppingAt: writer.bytes.count + Self.sliceBytes)
    writeRemainder(&writer)
    swap(&writer.bytes, &bytes)
    if !hasMore { bytes.append(UInt8(ascii: "\n")) }
  }
}

extension ReadOperation {
  /// The JSON for a problem document; nil if it was not read, or if it is longer than a slice.
  ///
  /// A problem is written at once. A leaf is never divided, so its length counts even if nothing remains to be written.
  var shortJSON: [UInt8]? {
    let isShort = writeRemainder == nil && writer.bytes.count <= SlicedJSON.sliceBytes
    return isShort && !writer.bytes.isEmpty ? writer.bytes : nil
  }
}
