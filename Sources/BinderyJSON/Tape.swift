/// The values of a parsed text in source order.
struct Tape: Sendable {
  /// The entries, then possibly some of an earlier text, whose memory is reused.
  private var entries: [TapeEntry] = []
  /// The number of values in the text, names included.
  private(set) var count = 0

  /// Reserves memory for so many entries.
  mutating func reserve(_ capacity: Int) { entries.reserveCapacity(capacity) }

  /// Removes all entries but keeps the allocated memory.
  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func append(_ entry: TapeEntry) {
    if count < entries.count { entries[count] = entry } else { entries.append(entry) }
    count &+= 1
  }

  subscript(index: Int) -> TapeEntry {
    get { entries[index] }
    set { entries[index] = newValue }
  }
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
