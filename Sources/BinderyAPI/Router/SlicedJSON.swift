import BinderyCore
import BinderyHTTP
import BinderyJSON

/// JSON that is written a slice at a time, from a value that nobody changes: so it holds nobody up, and costs no more
/// memory than a slice.
struct SlicedJSON: Sendable {
  /// What is shorter is written at once, and so is as much of what is longer, in some tenths of a millisecond.
  static let sliceBytes = 1 << 16

  /// Has the first slice until that is handed on, and then the place at which the text goes on.
  private var writer: JSONWriter
  private let rest: @Sendable (inout JSONWriter) -> Void
  /// nil where nobody wants it pretty.
  private var printer: PrettyPrinter?
  private var isAtStart = true

  /// What follows the slice that a reading has written; nil where that was all there is.
  init?(_ reading: ReadOperation, isPretty: Bool) {
    guard let rest = reading.rest else { return nil }
    self.rest = rest
    writer = reading.writer
    printer = isPretty ? PrettyPrinter() : nil
  }

  /// Whether there is more to write.
  var goesOn: Bool { isAtStart || writer.hasStopped }

  /// Appends the next slice.
  mutating func write(to bytes: inout [UInt8]) {
    guard var printer else { return writeCompact(to: &bytes) }
    if !isAtStart {
      // Blanks are nearly as many bytes again.
      writer.resume(stoppingAt: Self.sliceBytes / 2)
      rest(&writer)
    }
    isAtStart = false
    printer.print(writer.bytes.span, into: &bytes)
    if !writer.hasStopped { bytes.append(UInt8(ascii: "\n")) }
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
    swap(&writer.bytes, &bytes)
    writer.resume(stoppingAt: writer.bytes.count + Self.sliceBytes)
    rest(&writer)
    swap(&writer.bytes, &bytes)
  }
}
