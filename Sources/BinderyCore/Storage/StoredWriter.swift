public import BinderyJSON

/// A writer for the storage format: all stored members, hidden ones included, and no computed ones.
@usableFromInline
package struct StoredWriter {
  @usableFromInline package var writer = JSONWriter()
  /// Whether the text so far equals the JSON that clients see.
  @usableFromInline var matchesShown = true
  /// Whether hidden members are left out.
  @usableFromInline let omitsHidden: Bool
  private let emit: (([UInt8]) -> Void)?
  /// The number of bytes after which no more elements are written.
  private let limit: Int

  /// Creates a writer that buffers the whole text.
  ///
  /// - Parameters:
  ///   - omitsHidden: true to leave hidden members out.
  ///   - limit: the number of bytes after which elements are left out. A text of this length or more is unusable.
  @usableFromInline
  package init(omittingHidden omitsHidden: Bool = false, stoppingAt limit: Int = .max) {
    self.omitsHidden = omitsHidden
    self.limit = limit
    emit = nil
  }

  /// Creates a writer that emits the text of a large value piece by piece.
  ///
  /// - Parameter emit: called with each piece but the last, which remains in ``writer``.
  package init(emittingTo emit: @escaping ([UInt8]) -> Void) {
    omitsHidden = false
    limit = .max
    self.emit = emit
  }

  /// The minimum length of every piece but the last, in bytes.
  package static let pieceLength = 1 << 18

  /// Writes an array whose elements a closure writes.
  @inlinable
  mutating func array<Element>(_ elements: some Sequence<Element>, _ write: (Element, inout StoredWriter) -> Void) {
    writer.beginArray()
    for element in elements {
      write(element, &self)
      if !endElement() { break }
    }
    writer.endArray()
  }

  /// Ends an element of a type that may be long, and emits the buffered text if it is long enough.
  ///
  /// - Returns: Whether to write the next element.
  @usableFromInline
  mutating func endElement() -> Bool {
    guard let emit else { return writer.bytes.count < limit }
    guard writer.bytes.count >= Self.pieceLength else { return true }
    emit(writer.bytes)
    writer.bytes.removeAll(keepingCapacity: true)
    return true
  }
}
