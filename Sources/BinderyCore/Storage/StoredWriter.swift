public import BinderyJSON

/// Writes values in the form in which they are kept: all that is stored, hidden members included, and nothing computed.
@usableFromInline
package struct StoredWriter {
  @usableFromInline package var writer = JSONWriter()
  /// What was written so far reads the same as what is shown.
  @usableFromInline var isAsShown = true
  private let emit: (([UInt8]) -> Void)?

  package init() { emit = nil }

  /// A writer that hands over what it has, a piece at a time, while a large value is being written.
  ///
  /// - Parameter emit: takes a piece of the text; the last one is left in the writer.
  package init(emittingTo emit: @escaping ([UInt8]) -> Void) { self.emit = emit }

  /// How many bytes a piece has at least, but for the last.
  package static let pieceLength = 1 << 18

  /// Called behind each element of what may be long.
  @usableFromInline
  mutating func elementEnded() {
    guard let emit, writer.bytes.count >= Self.pieceLength else { return }
    emit(writer.bytes)
    writer.bytes.removeAll(keepingCapacity: true)
  }
}

extension Shape {
  /// Writes the value as it is kept.
  @usableFromInline
  package func store(_ value: Value, into writer: inout StoredWriter) {
    if let store = operations.store { store(value, &writer) } else { encode(value, into: &writer.writer) }
  }

  /// The value as it is kept.
  package func stored(_ value: Value) -> [UInt8] {
    var writer = StoredWriter()
    store(value, into: &writer)
    return writer.writer.bytes
  }
}
