import BinderyHTTP

/// Who listens to a place: a stream, or a request that waits for it to change.
typealias SubscriberID = ExchangeID

/// The listeners of one place in the order of their slots, so that a fan-out goes through memory in one direction.
///
/// Who comes last has the highest slot as a rule, and stands at the end without a move.
struct SubscriberList: Sequence {
  private var subscribers: [SubscriberID] = []

  var isEmpty: Bool { subscribers.isEmpty }

  func makeIterator() -> IndexingIterator<[SubscriberID]> { subscribers.makeIterator() }

  /// - Complexity: O(number of those with a higher slot).
  mutating func insert(_ subscriber: SubscriberID) {
    let index = index(of: subscriber)
    if index == subscribers.count || subscribers[index] != subscriber { subscribers.insert(subscriber, at: index) }
  }

  /// Whether it was there.
  ///
  /// - Complexity: O(number of those with a higher slot).
  mutating func remove(_ subscriber: SubscriberID) -> Bool {
    let index = index(of: subscriber)
    guard index < subscribers.count, subscribers[index] == subscriber else { return false }
    subscribers.remove(at: index)
    return true
  }

  /// Where it stands, or would.
  private func index(of subscriber: SubscriberID) -> Int {
    var low = 0
    var high = subscribers.count
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(subscribers[middle], subscriber) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func precedes(_ one: SubscriberID, _ other: SubscriberID) -> Bool {
    (one.slot, one.generation) < (other.slot, other.generation)
  }
}
