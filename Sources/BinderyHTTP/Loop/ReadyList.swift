/// Exchanges in the order in which they became ready; taken from the front.
struct ReadyList {
  private var exchanges: [ExchangeID] = []
  private var taken = 0

  var isEmpty: Bool { taken == exchanges.count }

  mutating func append(_ exchange: ExchangeID) { exchanges.append(exchange) }

  mutating func append(_ more: [ExchangeID]) { exchanges.append(contentsOf: more) }

  /// Moves up to `most` of them behind those that are there.
  ///
  /// - Complexity: O(number of those taken), amortized.
  mutating func take(_ most: Int, into list: inout [ExchangeID]) {
    let end = taken + min(most, exchanges.count - taken)
    list.append(contentsOf: exchanges[taken..<end])
    taken = end
    if isEmpty {
      exchanges.removeAll(keepingCapacity: true)
      taken = 0
    } else if taken > exchanges.count / 2 {
      exchanges.removeFirst(taken)
      taken = 0
    }
  }
}
