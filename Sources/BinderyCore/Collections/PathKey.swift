/// A type that is the id of elements or the key of a dictionary. Its text is a segment of a URL.
///
/// `String`, `Int`, `UUID` and ``CalendarDay`` conform. An id type of your own needs its text, and a shape that
/// makes it a scalar in JSON:
///
///     struct SensorID: PathKey, Editable, Hashable {
///       let number: Int
///       init(number: Int) { self.number = number }
///       var keyText: String { "s\(number)" }
///       static func key(from text: String) -> SensorID? {
///         guard text.hasPrefix("s"), let number = Int(text.dropFirst()) else { return nil }
///         return SensorID(number: number)
///       }
///       static let shape = EditableShape<SensorID>.scalar(
///         "SensorID", as: String.self, examples: ["s1"], expected: "the letter s and a number", encode: \.keyText,
///         decode: SensorID.key(from:))
///     }
///
/// Two keys are the same if their texts have the same bytes. Equal keys must therefore have the same text, and
/// ``key(from:)`` must return an equal key for it; a dictionary rejects any other key.
public protocol PathKey: Sendable {
  /// The canonical text: the segment of a URL, and the member name in the JSON of a dictionary.
  var keyText: String { get }

  /// Returns the key for its canonical text or for another accepted notation; nil if the text is not a key.
  ///
  /// Not an initializer, which would make `Int.init` ambiguous in `texts.compactMap(Int.init)`.
  static func key(from text: String) -> Self?

  // The other requirements make the common types fast. Their defaults follow from the text.

  /// Returns whether two keys have the same canonical bytes.
  static func _areSame(_ a: Self, _ b: Self) -> Bool

  /// Whether a text can be both a key and an array index, as `12` is for `Int` and `String`.
  static var _couldBeIndex: Bool { get }

  /// Whether the text of every key can be a segment of a URL.
  static var _textIsAlwaysUsable: Bool { get }

  /// Feeds the canonical bytes to a hasher. Keys with the same canonical bytes must have equal hashes.
  func _hashBytes(into hasher: inout Hasher)

  /// Creates a key from any accepted notation in UTF-8; nil if the text is ill-formed.
  init?(_keyText: Span<UInt8>)

  /// Appends the canonical text as UTF-8.
  func _write(keyTextInto bytes: inout [UInt8])
}

/// The keys of a type with raw values, such as an enum: those of the raw values.
extension PathKey where Self: RawRepresentable, RawValue: PathKey {
  /// The text of the raw value.
  public var keyText: String { rawValue.keyText }

  /// Returns the value whose raw value has a text; nil if there is none.
  public static func key(from text: String) -> Self? { RawValue.key(from: text).flatMap(Self.init) }
}

/// The defaults, which follow from the text.
extension PathKey {
  /// Compares the texts.
  @inlinable
  public static func _areSame(_ a: Self, _ b: Self) -> Bool { String._areSame(a.keyText, b.keyText) }

  /// Always true, because the text may consist of digits.
  @inlinable public static var _couldBeIndex: Bool { true }

  /// Always false, because the text may be empty, long or `..`.
  @inlinable public static var _textIsAlwaysUsable: Bool { false }

  /// Feeds the text to a hasher.
  @inlinable
  public func _hashBytes(into hasher: inout Hasher) { keyText._hashBytes(into: &hasher) }

  /// Decodes the text.
  @inlinable
  public init?(_keyText: Span<UInt8>) {
    guard let text = String(_keyText: _keyText), let key = Self.key(from: text) else { return nil }
    self = key
  }

  /// Appends the text.
  @inlinable
  public func _write(keyTextInto bytes: inout [UInt8]) { bytes.append(contentsOf: keyText.utf8) }
}

extension Dictionary where Key: PathKey {
  /// Returns the index of the entry whose key has the same bytes.
  ///
  /// The lookup of `Dictionary` alone compares strings by canonical equivalence, so it treats NFC and NFD spellings as
  /// equal.
  @inlinable
  func index(ofSame key: Key) -> Index? {
    guard let index = index(forKey: key), Key._areSame(self[index].key, key) else { return nil }
    return index
  }
}
