public import BinderyJSON

/// A writer for the storage format: all stored members, hidden ones included, and no computed ones.
@usableFromInline
package struct StoredWriter {
  @usableFromInline package var writer = JSONWriter()
  /// Indicates whether the text so far equals the JSON that clients see.
  @usableFromInline var matchesShown = true
  /// Whether hidden members are left out.
  @usableFromInline let omitsHidden: Bool
  private let emit: (([UInt8]) -> Void)?

  /// Creates a writer that buffers the whole text.
  ///
  /// - Parameter omitsHidden: true to leave hidden members out.
  @usableFromInline
  package init(omittingHidden omitsHidden: Bool = false) {
    self.omitsHidden = omitsHidden
    emit = nil
  }

  /// Creates a writer that emits the text of a large value piece by piece.
  ///
  /// - Parameter emit: called with each piece but the last, which remains in ``writer``.
  package init(emittingTo emit: @escaping ([UInt8]) -> Void) {
    omitsHidden = false
    self.emit = emit
  }

  /// The minimum length of every piece but the last, in bytes.
  package static let pieceLength = 1 << 18

  /// Emits the buffered text if it is long enough. Called after each element of a type that may be long.
  @usableFromInline
  mutating func flushIfNeeded() {
    guard let emit, writer.bytes.count >= Self.pieceLength else { return }
    emit(writer.bytes)
    writer.bytes.removeAll(keepingCapacity: true)
  }
}
