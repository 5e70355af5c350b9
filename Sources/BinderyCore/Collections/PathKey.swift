/// The id of an element. Comparison, hash and text are based on the canonical bytes of the key.
public protocol PathKey: Sendable {
  /// Returns whether two keys have the same canonical bytes.
  static func areSame(_ a: Self, _ b: Self) -> Bool

  /// Indicates whether a text can be both a key and an array index, as `12` is for `Int` and `String`.
  static var couldBeIndex: Bool { get }

  /// Feeds the canonical bytes to a hasher. Keys with the same canonical bytes must have equal hashes.
  func hashBytes(into hasher: inout Hasher)

  /// The canonical text, used as a URL segment and as a member name in a JSON object.
  var keyText: String { get }

  /// Returns the key for a text in any accepted notation; nil if the text is ill-formed.
  ///
  /// Not an initializer, which would make `Int.init` ambiguous, as in `texts.compactMap(Int.init)`.
  static func key(from text: String) -> Self?

  /// Creates a key from any accepted notation in UTF-8; nil if the text is ill-formed.
  init?(keyText: Span<UInt8>)

  /// Appends the canonical text as UTF-8.
  func write(keyTextInto bytes: inout [UInt8])
}

extension PathKey {
  public var keyText: String {
    var bytes: [UInt8] = []
    write(keyTextInto: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  public static func key(from text: String) -> Self? { Self(keyText: text.utf8Span.span) }
}
