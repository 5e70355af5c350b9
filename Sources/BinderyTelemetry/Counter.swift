import Synchronization

/// A metric that only increases.
///
/// One thread writes it; any thread may read it. With a single writer, an increment is a relaxed load and a relaxed
/// store instead of an atomic read-modify-write: there is no lock, and no cache line moves between cores.
package final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  /// Creates a counter at zero.
  package init() {}

  /// The current count.
  package var value: Int { number.load(ordering: .relaxed) }

  /// Increases the counter. Only the writer thread may call this.
  package func add(_ count: Int = 1) {
    number.store(number.load(ordering: .relaxed) &+ count, ordering: .relaxed)
  }
}

/// A metric that can increase and decrease. One thread writes it; any thread may read it.
package final class Gauge: Sendable {
  private let number = Atomic<Int>(0)

  /// Creates a gauge at zero.
  package init() {}

  /// The current value. Only the writer thread may set it.
  package var value: Int {
    get { number.load(ordering: .relaxed) }
    set { number.store(newValue, ordering: .relaxed) }
  }
}
