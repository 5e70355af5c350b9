/// A reusable parser that keeps the buffers of the previous document if no node of it is referenced any more.
@usableFromInline
package struct JSONReader: Sendable {
  private var document: JSONDocument?

  /// Creates a reader without buffers.
  @usableFromInline
  package init() {}

  /// Parses a copy of a text in strict accordance with RFC 8259.
  ///
  /// Nodes stay valid: while a node of the previous text is alive, the next text gets new buffers.
  /// - Throws: `JSONSyntaxError` at the first byte that is not valid JSON.
  /// - Complexity: O(*n*) in the number of bytes.
  package mutating func read(_ text: Span<UInt8>) throws(JSONSyntaxError) -> JSONNode {
    if text.count > Self.maximumReusedBytes { return try JSONDocument(parsing: text).root }
    guard isKnownUniquelyReferenced(&document), let document else {
      let document = try JSONDocument(parsing: text)
      self.document = document
      return document.root
    }
    try document.read(text)
    return document.root
  }

  /// The length above which a text gets its own buffers, so that an idle reader does not hold much memory.
  private static let maximumReusedBytes = 4_096
}
