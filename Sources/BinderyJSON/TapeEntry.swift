/// One value of a parsed text, or one member's name, in the order of the text.
///
/// An object's names and values alternate after it; `next` leaps over everything that a value holds.
struct TapeEntry: Sendable {
  enum Kind: UInt8 {
    case null, `false`, `true`, number, string, escapedString, array, object
  }

  /// The bytes of the text that spell the value, with a string's quotes.
  var start: UInt32
  var end: UInt32
  /// The index of the first entry that is not part of this value; of an open container, its parent's index.
  var next: UInt32
  /// The number of elements or members.
  var count: UInt32
  var kind: Kind

  var range: Range<Int> { Int(start)..<Int(end) }
}
