/// A priority queue of timers, earliest first: a binary heap in one array.
struct TimerHeap {
  private var timers: [(due: Int64, token: UInt64)] = []

  /// The time at which the earliest timer is due.
  var next: Int64? { timers.first?.due }

  /// Inserts a timer.
  ///
  /// - Complexity: O(log *n*).
  mutating func insert(at due: Int64, token: UInt64) {
    timers.append((due, token))
    var child = timers.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard timers[child].due < timers[parent].due else { return }
      timers.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the earliest timer and returns its token; returns nil if it is not due.
  ///
  /// - Complexity: O(log *n*).
  mutating func removeDue(at now: Int64) -> UInt64? {
    guard let first = timers.first, first.due <= now else { return nil }
    timers.swapAt(0, timers.count - 1)
    timers.removeLast()
    var parent = 0
    while true {
      var earliest = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < timers.count && timers[child].due < timers[earliest].due {
        earliest = child
      }
      if earliest == parent { return first.token }
      timers.swapAt(parent, earliest)
      parent = earliest
    }
  }
}
