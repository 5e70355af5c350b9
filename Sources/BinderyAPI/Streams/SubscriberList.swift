import BinderyHTTP

/// A subscriber to a place: an event stream or a long poll.
typealias SubscriberID = ExchangeID

/// The subscribers of one place, sorted by slot, so that a fan-out accesses memory in ascending order.
///
/// A new subscriber usually has the highest slot and is appended without moving others.
struct SubscriberList: Sequence {
  private var subscribers: [SubscriberID] = []

  var isEmpty: Bool { subscribers.isEmpty }

  func makeIterator() -> IndexingIterator<[SubscriberID]> { subscribers.makeIterator() }

  /// Adds a subscriber, unless it is in the list.
  ///
  /// - Complexity: O(number of subscribers with a higher slot).
  mutating func insert(_ subscriber: SubscriberID) {
    let index = index(of: subscriber)
    if index == subscribers.count || subscribers[index] != subscriber { subscribers.insert(subscriber, at: index) }
  }

  /// Removes a subscriber.
  ///
  /// - Returns: Whether the subscriber was in the list.
  /// - Complexity: O(number of subscribers with a higher slot).
  mutating func remove(_ subscriber: SubscriberID) -> Bool {
    let index = index(of: subscriber)
    guard index < subscribers.count, subscribers[index] == subscriber else { return false }
    subscribers.remove(at: index)
    return true
  }

  /// Returns the index of a subscriber, or the index at which it would be inserted.
  private func index(of subscriber: SubscriberID) -> Int {
    var low = 0
    var high = subscribers.count
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(subscribers[middle], subscriber) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func precedes(_ lhs: SubscriberID, _ rhs: SubscriberID) -> Bool {
    (lhs.slot, lhs.generation) < (rhs.slot, rhs.generation)
  }
}
