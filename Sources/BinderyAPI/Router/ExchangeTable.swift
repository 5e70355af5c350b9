import BinderyHTTP

/// A dictionary with one value per open exchange of an event loop. Confined to that loop.
///
/// A connection slot has at most one exchange at a time, so a lookup is an array access and a comparison of the
/// generation. Iteration goes in the order of the slots, which is also the order of the connections in memory.
final class ExchangeTable<Value> {
  private var slots = Slots<Value>()
  /// The number of entries. It is stored separately, so that reading it does not access the slots.
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

  /// Removes and returns the value of an exchange.
  @discardableResult
  func remove(_ exchange: ExchangeID) -> Value? {
    let value = slots.remove(exchange)
    if value != nil { count -= 1 }
    return value
  }

  /// Returns the entries of every `stride`th slot, beginning with slot `first`, in order.
  func entries(from first: Int = 0, by stride: Int = 1) -> some Sequence<(exchange: ExchangeID, value: Value)> {
    slots.entries(from: first, by: stride)
  }
}

/// The storage of an exchange table. A struct, so that each use is one access to the property that holds it.
private struct Slots<Value> {
  /// The generation of the exchange in each slot. Separate from the values, so that a miss does not touch them.
  private var generations: [UInt32?] = []
  private var values: [Value?] = []

  private func contains(_ exchange: ExchangeID) -> Bool {
    let slot = Int(exchange.slot)
    return slot < generations.count && generations[slot] == exchange.generation
  }

  func value(_ exchange: ExchangeID) -> Value? { contains(exchange) ? values[Int(exchange.slot)] : nil }

  /// - Returns: Whether the slot was free.
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
    guard contains(exchange) else { return nil }
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
