/// A first-in, first-out queue of exchanges that are ready to produce output.
struct ReadyList {
  private var exchanges: [ExchangeID] = []
  /// The number of elements at the front that were already taken.
  private var takenCount = 0

  var isEmpty: Bool { takenCount == exchanges.count }

  mutating func append(_ exchange: ExchangeID) { exchanges.append(exchange) }

  mutating func append(_ more: [ExchangeID]) { exchanges.append(contentsOf: more) }

  /// Moves up to `maximumCount` exchanges from the front of the queue to the end of a list.
  ///
  /// - Complexity: Amortized O(number of exchanges moved).
  mutating func take(_ maximumCount: Int, into list: inout [ExchangeID]) {
    let end = takenCount + min(maximumCount, exchanges.count - takenCount)
    list.append(contentsOf: exchanges[takenCount..<end])
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
