/// Order maintenance: labels are integers with gaps, so that an insertion usually changes no other label. Labels are
/// greater than 0 and less than `UInt64.max`.
extension Identified {
  /// The label of the first element, in the middle of the range to leave room on both sides.
  @inlinable static var middle: UInt64 { 1 << 63 }

  /// The gap between appended elements.
  @inlinable static var stride: UInt64 { 1 << 32 }

  /// Returns a new label for an element at `index`, which is in `0...count`.
  @inlinable
  mutating func makeLabel(at index: Int) -> UInt64 {
    if order.count == 0 { return Self.middle }
    while true {
      let lower = order.entry(at: index - 1)?.label ?? 0
      let upper = order.entry(at: index)?.label ?? .max
      let step = Swift.min((upper - lower) / 2, Self.stride)
      if step > 0 { return index == 0 ? upper - step : lower + step }
      respace(around: index == 0 ? upper : lower)
    }
  }

  /// Makes room around a label by distributing the labels of a block evenly.
  ///
  /// The block is the smallest aligned range of 2^k labels that contains fewer than 2^(k/3) elements. This density
  /// keeps gaps in the block for many further insertions.
  ///
  /// - Complexity: O(log² n) amortized over insertions.
  @inlinable
  mutating func respace(around label: UInt64) {
    for bits in UInt64(9)...64 {
      let mask = UInt64.max >> (64 - bits)
      let low = label & ~mask
      let first = order.rank(of: low)
      let last = low | mask == .max ? order.count : order.rank(of: (low | mask) + 1)
      guard last - first < 1 << (bits / 3) || bits == 64 else { continue }
      let step = mask / UInt64(last - first + 1)
      let indexed = (first..<last).compactMap { order.entry(at: $0) }
        .map { HashedLabel(hash: HashedKey($0.value.id).hash, label: $0.label) }
      order.relabel(first..<last, from: low, by: step)
      for entry in indexed { index.remove(entry) }
      for (i, entry) in indexed.enumerated() {
        index.insert(HashedLabel(hash: entry.hash, label: low + step * UInt64(i + 1)))
      }
      return
    }
  }
}
