/// The labels: numbers with gaps, so that an insertion needs no other element to be told. They are above 0 and below
/// `UInt64.max`.
extension Identified {
  /// The label of the first element, with room on either side.
  @inlinable static var middle: UInt64 { 1 << 63 }

  /// The gap that appending leaves.
  @inlinable static var stride: UInt64 { 1 << 32 }

  /// A new label for an element at `index` of `0...count`.
  @inlinable
  mutating func makeLabel(at index: Int) -> UInt64 {
    if order.count == 0 { return Self.middle }
    while true {
      let lower = order.entry(at: index - 1)?.label ?? 0
      let upper = order.entry(at: index)?.label ?? .max
      let step = Swift.min((upper - lower) / 2, Self.stride)
      if step > 0 { return index == 0 ? upper - step : lower + step }
      spread(around: index == 0 ? upper : lower)
    }
  }

  /// Makes room around a label: spreads the elements of the smallest block of 2^k labels around it that holds less
  /// than 2^(k/3) of them, so that a block that was spread stays roomy for long.
  ///
  /// - Complexity: O(log² n) amortized over insertions.
  @inlinable
  mutating func spread(around label: UInt64) {
    for bits in UInt64(9)...64 {
      let mask = UInt64.max >> (64 - bits)
      let low = label & ~mask
      let first = order.rank(of: low)
      let last = low | mask == .max ? order.count : order.rank(of: (low | mask) + 1)
      guard last - first < 1 << (bits / 3) || bits == 64 else { continue }
      let step = mask / UInt64(last - first + 1)
      let slots = (first..<last).compactMap { order.entry(at: $0) }.compactMap { find($0.value.id)?.slot }
      order.relabel(first..<last, from: low, by: step)
      for (i, slot) in slots.enumerated() { index.update(slot, to: low + step * UInt64(i + 1)) }
      return
    }
  }
}
