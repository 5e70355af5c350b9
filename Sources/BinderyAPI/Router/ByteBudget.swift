import Synchronization

/// A limit on the bytes that requests hold at the same time, shared by all event loops.
///
/// While nothing is held, a request of any size is admitted. Several threads that check at the same time can exceed the
/// limit by one request each.
final class ByteBudget: Sendable {
  private let limit: Int
  private let held = Atomic(0)

  init(limit: Int) { self.limit = limit }

  /// The number of bytes that are held.
  var heldBytes: Int { held.load(ordering: .relaxed) }

  /// Indicates whether a request may hold more bytes.
  func hasRoom(for count: Int) -> Bool {
    let held = heldBytes
    return held == 0 || held + count <= limit
  }

  /// Counts bytes that are held from now on.
  func take(_ count: Int) { held.add(count, ordering: .relaxed) }

  /// Counts bytes that are no longer held.
  func give(_ count: Int) { held.subtract(count, ordering: .relaxed) }

  /// Bytes that are held for the lifetime of an object.
  final class Lease: Sendable {
    private let budget: ByteBudget
    private let count: Int

    fileprivate init(_ budget: ByteBudget, _ count: Int) {
      self.budget = budget
      self.count = count
      budget.take(count)
    }

    deinit { budget.give(count) }
  }

  /// Holds bytes for the lifetime of the returned object; nil if there is no room for them.
  func lease(_ count: Int) -> Lease? { hasRoom(for: count) ? Lease(self, count) : nil }
}
