/// A first-in, first-out queue of exchanges that are ready to produce output.
package struct ReadyList {
  private var exchanges: [ExchangeID] = []
  /// The number of elements at the front that were already taken.
  private var takenCount = 0

  /// Creates an empty queue.
  package init() {}

  /// Whether the queue is empty.
  package var isEmpty: Bool { takenCount == exchanges.count }

  /// Adds an exchange at the end.
  package mutating func append(_ exchange: ExchangeID) { exchanges.append(exchange) }

  /// Adds exchanges at the end, in order.
  package mutating func append(_ more: [ExchangeID]) { exchanges.append(contentsOf: more) }

  /// Moves up to `maximumCount` exchanges from the front of the queue to the end of a list.
  ///
  /// - Complexity: Amortized O(number of exchanges moved).
  package mutating func take(_ maximumCount: Int, into list: inout [ExchangeID]) {
    let end = takenCount + min(maximumCount, exchanges.count - takenCount)
    list.append(contentsOf: exchanges[takenCount..<end])
    removeTaken(upTo: end)
  }

  /// Removes the exchange at the front and returns it; nil if the queue is empty.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func popFirst() -> ExchangeID? {
    if isEmpty { return nil }
    let first = exchanges[takenCount]
    removeTaken(upTo: takenCount + 1)
    return first
  }

  private mutating func removeTaken(upTo end: Int) {
    takenCount = end
    if isEmpty {
      exchanges.removeAll(keepingCapacity: true)
      takenCount = 0
    } else if takenCount > exchanges.count / 2 {
      exchanges.removeFirst(takenCount)
      takenCount = 0
    }
  }
}
