/// One parsed JSON text: its bytes, and a flat tape of what they spell.
///
/// Nothing is converted before it is asked for: strings and numbers stay ranges of the text.
public final class JSONDocument: @unchecked Sendable {
  // Immutable, but while nobody else has a reference: see `read(_:)`.
  private(set) var bytes: [UInt8] = []
  private(set) var tape = Tape()

  /// How many arrays and objects may be nested where nothing else is said.
  public static let usualDepth = 64

  init() {}

  /// Parses a text by the letter of RFC 8259, without copying it.
  ///
  /// Duplicate members are kept: whoever gives the members their meaning reports them.
  /// - Parameter maximumDepth: How many arrays and objects may be nested, 1 to 1 000.
  /// - Throws: `JSONSyntaxError` at the first byte that is not JSON.
  /// - Complexity: O(*n*) in the number of bytes.
  public init(parsing bytes: [UInt8], maximumDepth: Int = usualDepth) throws(JSONSyntaxError) {
    var tape = Tape()
    try JSONParser.read(bytes.span, into: &tape, maximumDepth: maximumDepth)
    self.tape = tape
    self.bytes = bytes
  }

  /// Parses a copy of a text by the letter of RFC 8259.
  ///
  /// - Parameter maximumDepth: How many arrays and objects may be nested, 1 to 1 000.
  /// - Throws: `JSONSyntaxError` at the first byte that is not JSON.
  /// - Complexity: O(*n*) in the number of bytes.
  public convenience init(parsing bytes: Span<UInt8>, maximumDepth: Int = usualDepth) throws(JSONSyntaxError) {
    try self.init(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
  }

  /// Takes in another text; nobody else may have a reference.
  func read(_ text: Span<UInt8>) throws(JSONSyntaxError) {
    // Taken out meanwhile: were the properties changed in place, each look at them would be checked for exclusive
    // access.
    var tape = Tape()
    var bytes: [UInt8] = []
    swap(&tape, &self.tape)
    swap(&bytes, &self.bytes)
    tape.removeAll()
    try JSONParser.read(text, into: &tape, maximumDepth: Self.usualDepth)
    if !bytes.isEmpty { bytes.removeAll(keepingCapacity: true) }
    bytes.append(copying: text)
    swap(&tape, &self.tape)
    swap(&bytes, &self.bytes)
  }

  /// The value that the text spells.
  public var root: JSONNode { JSONNode(document: self, index: 0) }
}
