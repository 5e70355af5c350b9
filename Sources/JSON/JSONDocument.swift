/// One parsed JSON text: its bytes, and a flat tape of what they spell.
///
/// Nothing is converted before it is asked for: strings and numbers stay ranges of the text.
public final class JSONDocument: Sendable {
  let bytes: [UInt8]
  let tape: Tape

  /// Parses a text by the letter of RFC 8259, without copying it.
  ///
  /// Duplicate members are kept: whoever gives the members their meaning reports them.
  /// - Parameter maximumDepth: How many arrays and objects may be nested, 1 to 1 000.
  /// - Throws: `JSONSyntaxError` at the first byte that is not JSON.
  /// - Complexity: O(*n*) in the number of bytes.
  public init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONSyntaxError) {
    tape = try JSONParser.tape(of: bytes.span, maximumDepth: maximumDepth)
    self.bytes = bytes
  }

  /// Parses a copy of a text by the letter of RFC 8259.
  ///
  /// - Parameter maximumDepth: How many arrays and objects may be nested, 1 to 1 000.
  /// - Throws: `JSONSyntaxError` at the first byte that is not JSON.
  /// - Complexity: O(*n*) in the number of bytes.
  public convenience init(parsing bytes: Span<UInt8>, maximumDepth: Int = 64) throws(JSONSyntaxError) {
    try self.init(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
  }

  /// The value that the text spells.
  public var root: JSONNode { JSONNode(document: self, index: 0) }
}
