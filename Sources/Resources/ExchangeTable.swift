import HTTP

/// What a loop keeps for its open exchanges: a slot has at most one at a time, so a look-up is an index and a
/// comparison, and a walk goes in the order of the slots, as their connections stand in memory. Confined to one loop.
final class ExchangeTable<Value> {
  private var slots: [(generation: UInt32, value: Value)?] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  subscript(exchange: ExchangeID) -> Value? {
    get {
      let slot = Int(exchange.slot)
      guard slot < slots.count, let entry = slots[slot], entry.generation == exchange.generation else { return nil }
      return entry.value
    }
    set {
      if let newValue { insert(newValue, exchange) } else { remove(exchange) }
    }
  }

  private func insert(_ value: Value, _ exchange: ExchangeID) {
    let slot = Int(exchange.slot)
    if slot >= slots.count { slots.append(contentsOf: repeatElement(nil, count: slot + 1 - slots.count)) }
    if slots[slot] == nil { count += 1 }
    slots[slot] = (exchange.generation, value)
  }

  /// Takes out what is kept for an exchange.
  @discardableResult
  func remove(_ exchange: ExchangeID) -> Value? {
    let slot = Int(exchange.slot)
    guard slot < slots.count, slots[slot]?.generation == exchange.generation else { return nil }
    count -= 1
    return slots[slot].take()?.value
  }

  /// What is kept for every `stride`th slot from one on, in order.
  func entries(from first: Int = 0, by stride: Int = 1) -> some Sequence<(exchange: ExchangeID, value: Value)> {
    Swift.stride(from: first, to: slots.count, by: stride).lazy.compactMap { [slots] slot in
      slots[slot].map { (ExchangeID(slot: UInt32(slot), generation: $0.generation), $0.value) }
    }
  }
}
