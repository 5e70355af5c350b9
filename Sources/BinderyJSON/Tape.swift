/// The values of a parsed text in source order.
///
/// Not copyable, so that reading an entry in a document retains nothing.
struct Tape: ~Copyable, Sendable {
  /// The entries, then possibly some of an earlier text, or empty ones.
  var entries: [TapeEntry] = []
  /// The number of values in the text, names included.
  var count = 0

  subscript(index: Int) -> TapeEntry { entries[index] }

  /// Adds empty entries.
  ///
  /// Their number grows with the values that are parsed, so that the length of a request body alone cannot make the
  /// server allocate much memory.
  mutating func grow(textLength: Int) {
    let added = entries.isEmpty ? min(textLength / 6, 1_024) + 8 : min(entries.count, 65_536)
    entries += repeatElement(TapeEntry(start: 0, end: 0, next: 0, count: 0, kind: .null), count: added)
  }

  /// Reserves memory for as many entries as a text of so many bytes usually has.
  mutating func reserve(textLength: Int) { entries.reserveCapacity(textLength / 6 + 8) }
}

/// One value of a parsed text, or the name of one member.
///
/// Entries are in source order. The entries of an object's names and values alternate after the object's own entry.
struct TapeEntry: Sendable {
  /// The kinds of entry. Strings with escapes must be decoded before use.
  enum Kind: UInt8 {
    case null, `false`, `true`, number, string, escapedString, array, object
  }

  /// The range of the value in the text, in bytes, including a string's quotes or a container's brackets.
  var start: UInt32
  var end: UInt32
  /// The index of the first entry after this value and everything in it. During parsing, an open container holds the
  /// index of its parent here.
  var next: UInt32
  /// The number of elements of an array or members of an object.
  var count: UInt32
  var kind: Kind

  var range: Range<Int> { Int(start)..<Int(end) }
}
