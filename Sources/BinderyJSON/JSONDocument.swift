import BinderyText

/// A parsed JSON text: its bytes and a flat tape of the values in them.
///
/// Parsing converts nothing: strings and numbers are ranges of the text until they are read.
@usableFromInline
package final class JSONDocument: @unchecked Sendable {
  // `@unchecked Sendable`: immutable, except in `read(_:)`, whose caller must hold the only reference.
  /// The text, then possibly the rest of an earlier text, whose memory is reused.
  private(set) var bytes: [UInt8] = []
  private(set) var tape = Tape()

  /// The default nesting limit of arrays and objects.
  package static let defaultMaximumDepth = 64

  init() {}

  /// Parses a text in strict accordance with RFC 8259, without copying it.
  ///
  /// Duplicate members are kept. The decoder that interprets the members reports them.
  /// - Parameters:
  ///   - bytes: The JSON text in UTF-8.
  ///   - maximumDepth: The nesting limit of arrays and objects, 1 to 1 000.
  ///   - isTrusted: True to reserve memory for as many values as such a long text usually has. False for a text from a
  ///     client, whose length alone must not make the server allocate memory.
  /// - Throws: `JSONSyntaxError` at the first byte that is not valid JSON.
  /// - Complexity: O(*n*) in the number of bytes.
  package init(
    parsing bytes: [UInt8], maximumDepth: Int = defaultMaximumDepth, isTrusted: Bool = false
  ) throws(JSONSyntaxError) {
    var tape = Tape()
    if isTrusted { tape.reserve(textLength: bytes.count) }
    try JSONParser.read(bytes.span, into: &tape, maximumDepth: maximumDepth)
    self.tape = tape
    self.bytes = bytes
  }

  /// Parses a copy of a text in strict accordance with RFC 8259.
  ///
  /// - Parameters:
  ///   - bytes: The JSON text in UTF-8.
  ///   - maximumDepth: The nesting limit of arrays and objects, 1 to 1 000.
  /// - Throws: `JSONSyntaxError` at the first byte that is not valid JSON.
  /// - Complexity: O(*n*) in the number of bytes.
  package convenience init(parsing bytes: Span<UInt8>, maximumDepth: Int = defaultMaximumDepth) throws(JSONSyntaxError)
  {
    try self.init(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
  }

  /// Replaces the content with another text and reuses the memory of the previous one.
  ///
  /// - Precondition: The caller holds the only reference to this document.
  func read(_ text: Span<UInt8>) throws(JSONSyntaxError) {
    // Moved into local variables while they change: every access to a class property is checked for exclusivity at
    // run time, which would slow down the parser.
    var tape = Tape()
    var bytes: [UInt8] = []
    swap(&tape, &self.tape)
    swap(&bytes, &self.bytes)
    try JSONParser.read(text, into: &tape, maximumDepth: Self.defaultMaximumDepth)
    if bytes.count < text.count { bytes = [UInt8](copying: text) } else { bytes.overwriteBeginning(with: text) }
    swap(&tape, &self.tape)
    swap(&bytes, &self.bytes)
  }

  /// The value at the root of the text.
  package var root: JSONNode { JSONNode(document: self, index: 0) }
}
