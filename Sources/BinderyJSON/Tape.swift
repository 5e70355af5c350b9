/// What a text spells, value after value. The first entry is the whole text's and stands apart, so that the tape of a
/// lone scalar, which most small writes send, takes no memory of its own.
struct Tape: Sendable {
  private var root = TapeEntry(start: 0, end: 0, next: 0, count: 0, kind: .null)
  private var below: [TapeEntry] = []
  private(set) var count = 0

  /// Makes room, once there is a container, for so many entries below it.
  mutating func reserve(_ capacity: Int) { below.reserveCapacity(capacity) }

  /// Forgets what a text spells, keeping the room for another.
  mutating func removeAll() {
    if !below.isEmpty { below.removeAll(keepingCapacity: true) }
    count = 0
  }

  mutating func append(_ entry: TapeEntry) {
    if count == 0 { root = entry } else { below.append(entry) }
    count &+= 1
  }

  subscript(index: Int) -> TapeEntry {
    get { index == 0 ? root : below[index &- 1] }
    set {
      if index == 0 { root = newValue } else { below[index &- 1] = newValue }
    }
  }
}
