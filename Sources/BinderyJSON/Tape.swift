/// The values of a parsed text in source order.
///
/// The entry of the root value is stored inline, so that the tape of a lone scalar, the body of most small writes,
/// needs no heap allocation.
struct Tape: Sendable {
  private var root = TapeEntry(start: 0, end: 0, next: 0, count: 0, kind: .null)
  private var descendants: [TapeEntry] = []
  private(set) var count = 0

  /// Reserves memory for entries below the root.
  mutating func reserve(_ capacity: Int) { descendants.reserveCapacity(capacity) }

  /// Removes all entries but keeps the allocated memory.
  mutating func removeAll() {
    if !descendants.isEmpty { descendants.removeAll(keepingCapacity: true) }
    count = 0
  }

  mutating func append(_ entry: TapeEntry) {
    if count == 0 { root = entry } else { descendants.append(entry) }
    count &+= 1
  }

  subscript(index: Int) -> TapeEntry {
    get { index == 0 ? root : descendants[index &- 1] }
    set {
      if index == 0 { root = newValue } else { descendants[index &- 1] = newValue }
    }
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
