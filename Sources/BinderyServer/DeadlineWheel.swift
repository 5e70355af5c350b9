/// Deadlines of many connections, told in ticks: coarse, but without a cost per change.
///
/// A connection stands in at most one bucket that counts, which may be earlier than its deadline: it is asked for the
/// real one when the bucket's tick comes, and put in again. So putting a deadline off at each request costs nothing.
package struct DeadlineWheel: Sendable {
  package static let tickMilliseconds: Int64 = 64
  private static let bucketCount: Int64 = 1024

  private var buckets = [[UInt32]](repeating: [], count: Int(bucketCount))
  /// All earlier ticks were told.
  private var tick: Int64
  /// No bucket before this tick holds anything.
  private var firstTick = Int64.max
  private var count = 0

  package init(now: Int64) { tick = now / Self.tickMilliseconds }

  /// Puts a slot in for a deadline, or for the farthest tick there is.
  ///
  /// - Returns: the tick at which the slot is told.
  package mutating func insert(_ slot: UInt32, due: Int64, now: Int64) -> Int64 {
    // What is empty needs not be told, however long ago it was.
    if count == 0 { tick = max(tick, now / Self.tickMilliseconds) }
    let wanted = (due + Self.tickMilliseconds - 1) / Self.tickMilliseconds
    let chosen = min(max(wanted, tick), tick + Self.bucketCount - 1)
    buckets[Int(chosen % Self.bucketCount)].append(slot)
    firstTick = min(firstTick, chosen)
    count += 1
    return chosen
  }

  /// The tick of a deadline.
  package static func tick(of due: Int64) -> Int64 {
    due == .max ? .max : (due + tickMilliseconds - 1) / tickMilliseconds
  }

  /// When the next bucket is due; nil when all are empty.
  package var nextDue: Int64? { firstTick == .max ? nil : firstTick * Self.tickMilliseconds }

  /// Takes the slots of one tick that is due.
  ///
  /// - Parameter slots: replaced; gives its room to the bucket.
  /// - Returns: the tick, or nil when none is due.
  /// - Complexity: O(slots), and O(ticks that went by).
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
