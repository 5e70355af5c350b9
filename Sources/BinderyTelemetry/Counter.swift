import Synchronization

/// A number that only grows: one thread writes it, any may read it.
///
/// With one writer a plain load and a plain store do for an addition: nobody locks, and no cache line is fought for.
package final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  package init() {}

  package var value: Int { number.load(ordering: .relaxed) }

  package func add(_ count: Int = 1) {
    number.store(number.load(ordering: .relaxed) &+ count, ordering: .relaxed)
  }
}

/// A number that goes up and down: one thread writes it, any may read it.
package final class Gauge: Sendable {
  private let number = Atomic<Int>(0)

  package init() {}

  package var value: Int {
    get { number.load(ordering: .relaxed) }
    set { number.store(newValue, ordering: .relaxed) }
  }
}
