import Synchronization

/// How often values have fallen into which bucket: one thread observes, any may read.
package final class Histogram: Sendable {
  package let buckets: Buckets
  /// One for each limit, and one for what is beyond the last.
  private let counts = [16 of Atomic<Int>] { _ in Atomic(0) }
  private let sum = Atomic<Int>(0)

  package init(_ buckets: Buckets) { self.buckets = buckets }

  /// Counts a value, in the unit of the limits.
  ///
  /// - Complexity: O(index of the bucket): small values are the usual ones.
  package func observe(_ value: Int) {
    let limits = buckets.limits
    var index = 0
    while index < limits.count, value > limits[index] { index += 1 }
    counts[index].store(counts[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    sum.store(sum.load(ordering: .relaxed) &+ value, ordering: .relaxed)
  }

  /// What was counted so far. What is observed meanwhile may stand in the sum and not yet in a bucket, or the reverse.
  package var reading: Reading {
    var reading = Reading(buckets)
    for index in reading.counts.indices { reading.counts[index] = counts[index].load(ordering: .relaxed) }
    reading.sum = sum.load(ordering: .relaxed)
    return reading
  }
}

extension Histogram {
  /// Where one bucket ends and the next begins, in whole numbers of a small unit.
  package struct Buckets: Sendable, Equatable {
    /// Ascending; each belongs to the bucket that it ends.
    package let limits: [Int]
    /// How many decimal digits the small unit is below the one that is shown: 9 for nanoseconds shown as seconds.
    package let digits: Int

    /// - Parameter limits: at most ``mostLimits``, ascending.
    package init(_ limits: [Int], digits: Int) {
      precondition(limits.count <= Self.mostLimits && zip(limits, limits.dropFirst()).allSatisfy { $0 < $1 })
      self.limits = limits
      self.digits = digits
    }

    /// How many limits a histogram has room for.
    package static let mostLimits = 15

    /// Times in nanoseconds, from a twentieth of a millisecond to ten seconds.
    package static let times = Buckets(
      [
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 2_500_000,
        10_000_000,
      ].map { $0 * 1_000 }, digits: 9)

    /// Numbers of things.
    package static let sizes = Buckets([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096], digits: 0)
  }

  /// What one histogram has counted, or several together.
  package struct Reading: Sendable, Equatable {
    package let buckets: Buckets
    /// How many values each bucket has, not those below it.
    package fileprivate(set) var counts: [Int]
    /// Of all values, in the small unit.
    package fileprivate(set) var sum = 0

    /// Nothing.
    package init(_ buckets: Buckets) {
      self.buckets = buckets
      counts = Array(repeating: 0, count: buckets.limits.count + 1)
    }

    /// How many values there are.
    package var count: Int { counts.reduce(0, +) }

    /// Adds what another one with the same buckets has counted.
    package static func += (sum: inout Reading, other: Reading) {
      precondition(sum.buckets == other.buckets)
      for index in sum.counts.indices { sum.counts[index] += other.counts[index] }
      sum.sum += other.sum
    }
  }
}
