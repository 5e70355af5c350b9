import BinderyHTTP

/// Who listens to a place: a stream, or a request that waits for it to change.
typealias ListenerID = ExchangeID

/// The listeners of one place in the order of their slots, so that a fan-out goes through memory in one direction.
///
/// Who comes last has the highest slot as a rule, and stands at the end without a move.
struct Listeners: Sequence {
  private var listeners: [ListenerID] = []

  var isEmpty: Bool { listeners.isEmpty }

  func makeIterator() -> IndexingIterator<[ListenerID]> { listeners.makeIterator() }

  /// - Complexity: O(number of those with a higher slot).
  mutating func insert(_ listener: ListenerID) {
    let index = index(of: listener)
    if index == listeners.count || listeners[index] != listener { listeners.insert(listener, at: index) }
  }

  /// Whether it was there.
  ///
  /// - Complexity: O(number of those with a higher slot).
  mutating func remove(_ listener: ListenerID) -> Bool {
    let index = index(of: listener)
    guard index < listeners.count, listeners[index] == listener else { return false }
    listeners.remove(at: index)
    return true
  }

  /// Where it stands, or would.
  private func index(of listener: ListenerID) -> Int {
    var low = 0
    var high = listeners.count
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(listeners[middle], listener) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func precedes(_ one: ListenerID, _ other: ListenerID) -> Bool {
    (one.slot, one.generation) < (other.slot, other.generation)
  }
}
