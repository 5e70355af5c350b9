/// The label of an element, and the hash of its id.
@usableFromInline
struct HashedLabel: Sendable {
  @usableFromInline let hash: UInt64
  @usableFromInline let label: UInt64

  @usableFromInline
  init(hash: UInt64, label: UInt64) {
    self.hash = hash
    self.label = label
  }
}

/// Sorts labels by the hashes of their ids, and those with equal hashes in their order.
///
/// The hashes are seeded and evenly distributed, so that their first bits almost determine the positions.
///
/// - Complexity: O(*n*) if the hashes differ.
@usableFromInline
func sortedByHash(_ labels: [HashedLabel]) -> [HashedLabel] {
  guard labels.count > 1 else { return labels }
  let bits = UInt64.bitWidth - labels.count.leadingZeroBitCount
  let shift = UInt64(UInt64.bitWidth - bits)
  var positions = [Int](repeating: 0, count: 1 << bits)
  for label in labels { positions[Int(label.hash >> shift)] += 1 }
  var sum = 0
  for bucket in positions.indices {
    let count = positions[bucket]
    positions[bucket] = sum
    sum += count
  }
  var sorted = labels
  for label in labels {
    let bucket = Int(label.hash >> shift)
    sorted[positions[bucket]] = label
    positions[bucket] += 1
  }
  // The labels with equal first bits are next to each other. There are few of them, so sort them by insertion.
  for index in sorted.indices.dropFirst() {
    let label = sorted[index]
    var position = index
    while position > 0, sorted[position - 1].hash > label.hash {
      sorted[position] = sorted[position - 1]
      position -= 1
    }
    if position < index { sorted[position] = label }
  }
  return sorted
}
