/// What a turn does for several connections in a row: an entry for each, in place.
struct Round<Entry> {
  /// More would save hardly anything, and the first would wait for the last.
  private var entries: InlineArray<16, Entry>
  private(set) var count = 0

  /// A round of nobody.
  ///
  /// - Parameter filler: stands where no entry does.
  init(filler: Entry) { entries = InlineArray(repeating: filler) }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == entries.count }
  var indices: Range<Int> { 0..<count }
  subscript(index: Int) -> Entry { entries[index] }

  mutating func append(_ entry: Entry) {
    entries[count] = entry
    count += 1
  }

  mutating func removeAll() { count = 0 }
}
