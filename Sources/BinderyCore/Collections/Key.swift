/// What identifies an element: sameness and text by canonical bytes.
public protocol Key: Sendable {
  /// Whether two keys have the same canonical bytes.
  static func areSame(_ a: Self, _ b: Self) -> Bool

  /// Whether some text could be both a key and an array index, as `12` is for `Int` and `String`.
  static var couldBeIndex: Bool { get }

  /// Feeds the canonical bytes to a hasher: keys that are the same hash the same.
  func hashBytes(into hasher: inout Hasher)

  /// The canonical text: the segment of a URL, the member's name in a JSON object.
  var keyText: String { get }

  /// Reads any accepted spelling; nil where the text is ill-formed.
  init?(keyText: String)

  /// Reads any accepted spelling from UTF-8; nil where it is ill-formed.
  init?(keyText: Span<UInt8>)

  /// Appends the canonical text as UTF-8.
  func write(keyTextInto bytes: inout [UInt8])
}

extension Key {
  public var keyText: String {
    var bytes: [UInt8] = []
    write(keyTextInto: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  public init?(keyText: String) {
    self.init(keyText: keyText.utf8Span.span)
  }
}
