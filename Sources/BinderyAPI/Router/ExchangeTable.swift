import BinderyHTTP

/// What a loop keeps for its open exchanges: a slot has at most one at a time, so a look-up is an index and a
/// comparison, and a walk goes in the order of the slots, as their connections stand in memory. Confined to one loop.
final class ExchangeTable<Value> {
  private var slots = Slots<Value>()
  /// Beside the slots, so that to ask is not to look into them.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  subscript(exchange: ExchangeID) -> Value? {
    get { slots.value(exchange) }
    set {
      if let newValue {
        if slots.insert(newValue, exchange) { count += 1 }
      } else {
        remove(exchange)
      }
    }
  }

  /// Takes out what is kept for an exchange.
  @discardableResult
  func remove(_ exchange: ExchangeID) -> Value? {
    let value = slots.remove(exchange)
    if value != nil { count -= 1 }
    return value
  }

  /// What is kept for every `stride`th slot from one on, in order.
  func entries(from first: Int = 0, by stride: Int = 1) -> some Sequence<(exchange: ExchangeID, value: Value)> {
    slots.entries(from: first, by: stride)
  }
}

/// The table itself: a value, so that each use of it is one access to the object that holds it.
private struct Slots<Value> {
  /// Whose value each slot has; beside the values, so that those need not be touched to see it.
  private var generations: [UInt32?] = []
  private var values: [Value?] = []

  private func holds(_ exchange: ExchangeID) -> Bool {
    let slot = Int(exchange.slot)
    return slot < generations.count && generations[slot] == exchange.generation
  }

  func value(_ exchange: ExchangeID) -> Value? { holds(exchange) ? values[Int(exchange.slot)] : nil }

  /// - Returns: whether the slot was free.
  mutating func insert(_ value: Value, _ exchange: ExchangeID) -> Bool {
    let slot = Int(exchange.slot)
    if slot >= generations.count {
      let missing = slot + 1 - generations.count
      generations.append(contentsOf: repeatElement(nil, count: missing))
      values.append(contentsOf: repeatElement(nil, count: missing))
    }
    let isFree = generations[slot] == nil
    generations[slot] = exchange.generation
    values[slot] = value
    return isFree
  }

  mutating func remove(_ exchange: ExchangeID) -> Value? {
    guard holds(exchange) else { return nil }
    let slot = Int(exchange.slot)
    generations[slot] = nil
    return values[slot].take()
  }

  func entries(from first: Int, by stride: Int) -> some Sequence<(exchange: ExchangeID, value: Value)> {
    Swift.stride(from: first, to: generations.count, by: stride).lazy.compactMap { [generations, values] slot in
      guard let generation = generations[slot], let value = values[slot] else { return nil }
      return (ExchangeID(slot: UInt32(slot), generation: generation), value)
    }
  }
}
