import Synchronization

/// A limit on the bytes or places that requests hold at the same time, shared by all event loops.
///
/// While nothing is held, a request of any size is admitted. Several threads that check at the same time can exceed the
/// limit by one request each.
final class Budget: Sendable {
  private let limit: Int
  private let held = Atomic(0)

  init(limit: Int) { self.limit = limit }

  /// The number of bytes or places that are held.
  var amount: Int { held.load(ordering: .relaxed) }

  /// Whether a request may hold more.
  func hasRoom(for count: Int) -> Bool {
    let amount = amount
    return amount == 0 || amount + count <= limit
  }

  /// Counts what is held from now on.
  func take(_ count: Int) { held.add(count, ordering: .relaxed) }

  /// Counts what is no longer held.
  func give(_ count: Int) { held.subtract(count, ordering: .relaxed) }

  /// Bytes or places that are held for the lifetime of an object.
  final class Lease: Sendable {
    private let budget: Budget
    private let count: Int

    /// Holds an amount that was admitted before, even if there is no room for it any more.
    init(_ budget: Budget, _ count: Int) {
      self.budget = budget
      self.count = count
      budget.take(count)
    }

    deinit { budget.give(count) }
  }

  /// Holds bytes or places for the lifetime of the returned object; nil if there is no room for them.
  func lease(_ count: Int) -> Lease? { hasRoom(for: count) ? Lease(self, count) : nil }
}
