import Synchronization

/// A metric that counts observed values in buckets. One thread observes values; any thread may read them.
package final class Histogram: Sendable {
  /// The bucket boundaries.
  package let buckets: Buckets
  /// One count for each upper bound, and one for the values above the last bound.
  private let counts = [16 of Atomic<Int>] { _ in Atomic(0) }
  private let sum = Atomic<Int>(0)

  /// Creates an empty histogram.
  package init(_ buckets: Buckets) { self.buckets = buckets }

  /// Counts a value, given in the unit of the bucket boundaries. Only the writer thread may call this.
  ///
  /// - Complexity: O(index of the bucket). The search is linear because most values are in the first buckets.
  package func observe(_ value: Int) {
    let upperBounds = buckets.upperBounds
    var index = 0
    while index < upperBounds.count, value > upperBounds[index] { index += 1 }
    counts[index].store(counts[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    sum.store(sum.load(ordering: .relaxed) &+ value, ordering: .relaxed)
  }

  /// A copy of the counts.
  ///
  /// It is not atomic: a value that is observed at the same time may be in the sum and not yet in its bucket, or in
  /// its bucket and not yet in the sum.
  package var reading: Reading {
    var reading = Reading(buckets)
    for index in reading.counts.indices { reading.counts[index] = counts[index].load(ordering: .relaxed) }
    reading.sum = sum.load(ordering: .relaxed)
    return reading
  }
}

extension Histogram {
  /// The bucket boundaries of a histogram, as integers in a small unit such as nanoseconds.
  package struct Buckets: Sendable, Equatable {
    /// The inclusive upper bounds, in ascending order. The last bucket has no upper bound and is not listed.
    package let upperBounds: [Int]
    /// The number of decimal places between the stored unit and the exposed unit: 9 for nanoseconds exposed as seconds.
    package let digits: Int

    /// Creates bucket boundaries.
    ///
    /// - Parameters:
    ///   - upperBounds: At most ``maximumBounds`` inclusive upper bounds, in ascending order.
    ///   - digits: The number of decimal places between the stored unit and the exposed unit.
    package init(_ upperBounds: [Int], digits: Int) {
      precondition(
        upperBounds.count <= Self.maximumBounds
          && zip(upperBounds, upperBounds.dropFirst()).allSatisfy { $0 < $1 })
      self.upperBounds = upperBounds
      self.digits = digits
    }

    /// The maximum number of upper bounds of a histogram.
    package static let maximumBounds = 15

    /// Durations in nanoseconds, from 50 µs to 10 s, exposed as seconds.
    package static let times = Buckets(
      [
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 2_500_000,
        10_000_000,
      ].map { $0 * 1_000 }, digits: 9)

    /// Sizes of batches, from 1 to 4,096 items.
    package static let sizes = Buckets([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096], digits: 0)
  }

  /// The counts of one histogram at one time, or the sum of several.
  package struct Reading: Sendable, Equatable {
    package let buckets: Buckets
    /// The number of values in each bucket. These counts are not cumulative.
    package fileprivate(set) var counts: [Int]
    /// The sum of all values, in the unit of the bucket boundaries.
    package fileprivate(set) var sum = 0

    /// Creates a reading without values.
    package init(_ buckets: Buckets) {
      self.buckets = buckets
      counts = Array(repeating: 0, count: buckets.upperBounds.count + 1)
    }

    /// The number of values in all buckets.
    package var count: Int { counts.reduce(0, +) }

    /// Adds the counts of another reading that has the same buckets.
    package static func += (sum: inout Reading, other: Reading) {
      precondition(sum.buckets == other.buckets)
      for index in sum.counts.indices { sum.counts[index] += other.counts[index] }
      sum.sum += other.sum
    }
  }
}
