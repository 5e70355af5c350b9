/// Timers, the earliest on top: a binary heap in one array.
struct TimerHeap {
  private var timers: [(due: Int64, token: UInt64)] = []

  /// When the earliest timer is due.
  var next: Int64? { timers.first?.due }

  /// - Complexity: O(log n).
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

  /// Takes the earliest timer if it is due.
  ///
  /// - Complexity: O(log n).
  mutating func removeDue(at now: Int64) -> UInt64? {
    guard let first = timers.first, first.due <= now else { return nil }
    timers.swapAt(0, timers.count - 1)
    timers.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count && timers[child].due < timers[least].due
      {
        least = child
      }
      if least == parent { return first.token }
      timers.swapAt(parent, least)
      parent = least
    }
  }
}
