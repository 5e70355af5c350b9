/// Parses one text after the other, in the room of the one before where that is let go by then.
public struct JSONReader: Sendable {
  private var document: JSONDocument?

  /// A reader that has read nothing.
  public init() {}

  /// Parses a copy of a text by the letter of RFC 8259.
  ///
  /// A node that is kept keeps its text; then the next one takes room of its own.
  /// - Throws: `JSONSyntaxError` at the first byte that is not JSON.
  /// - Complexity: O(*n*) in the number of bytes.
  public mutating func read(_ text: Span<UInt8>) throws(JSONSyntaxError) -> JSONNode {
    if text.count > Self.keptBytes { return try JSONDocument(parsing: text).root }
    guard isKnownUniquelyReferenced(&document), let document else {
      let document = try JSONDocument(parsing: text)
      self.document = document
      return document.root
    }
    try document.read(text)
    return document.root
  }

  /// What is longer takes room of its own, so that it is not held for nobody.
  private static let keptBytes = 4_096
}
