/// A timer wheel for the deadlines of many connections. Its resolution is one tick.
///
/// A slot has at most one valid bucket, which may be earlier than its deadline. When the bucket's tick comes, the
/// caller compares the deadline with the clock and inserts the slot again if needed. Extending a deadline, which
/// happens for each request, therefore costs nothing.
package struct DeadlineWheel: Sendable {
  package static let tickMilliseconds: Int64 = 64
  private static let bucketCount: Int64 = 1024

  private var buckets = [[UInt32]](repeating: [], count: Int(bucketCount))
  /// The next tick: all earlier ones were returned.
  private var tick: Int64
  /// The tick of the first bucket that is not empty.
  private var firstTick = Int64.max
  private var count = 0

  package init(now: Int64) { tick = now / Self.tickMilliseconds }

  /// Inserts a slot at its deadline, or at the last tick of the wheel if the deadline is later.
  ///
  /// - Returns: The tick at which `takeDue` returns the slot.
  package mutating func insert(_ slot: UInt32, due: Int64, now: Int64) -> Int64 {
    // An empty wheel has no ticks to catch up with, so it can skip to the present.
    if count == 0 { tick = max(tick, now / Self.tickMilliseconds) }
    let wanted = (due + Self.tickMilliseconds - 1) / Self.tickMilliseconds
    let chosen = min(max(wanted, tick), tick + Self.bucketCount - 1)
    buckets[Int(chosen % Self.bucketCount)].append(slot)
    firstTick = min(firstTick, chosen)
    count += 1
    return chosen
  }

  /// Returns the tick of a deadline.
  package static func tick(of due: Int64) -> Int64 {
    due == .max ? .max : (due + tickMilliseconds - 1) / tickMilliseconds
  }

  /// The time at which the next bucket is due; nil if all are empty.
  package var nextDue: Int64? { firstTick == .max ? nil : firstTick * Self.tickMilliseconds }

  /// Removes the slots of one due tick.
  ///
  /// - Parameter slots: Its contents are replaced; its storage is reused for the bucket.
  /// - Returns: The tick, or nil if none is due.
  /// - Complexity: O(number of slots + number of elapsed ticks).
  package mutating func takeDue(now: Int64, into slots: inout [UInt32]) -> Int64? {
    let current = now / Self.tickMilliseconds
    guard firstTick <= current else { return nil }
    let due = firstTick
    tick = due + 1
    slots.removeAll(keepingCapacity: true)
    swap(&slots, &buckets[Int(due % Self.bucketCount)])
    count -= slots.count
    firstTick = .max
    if count > 0 {
      var next = tick
      while buckets[Int(next % Self.bucketCount)].isEmpty { next += 1 }
      firstTick = next
    }
    return due
  }
}
