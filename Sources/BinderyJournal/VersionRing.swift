import BinderySystem
import Synchronization

/// The latest versions of a store, with the times of their commits. A new version replaces the oldest one.
package final class VersionRing: Sendable {
  /// The number of versions: a power of two. The parts that a version does not share with the next one cost memory.
  private static var capacity: Int { 256 }

  /// The number of revisions that can be made of the versions.
  package static var revisions: Int { capacity - 1 }

  private struct Slot: Sendable {
    var version: (any AnyObject & Sendable)?
    /// The time of the commit, in milliseconds since 1970 in UTC.
    var time: Int64 = 0
  }

  private struct State {
    var slots = [Slot](repeating: Slot(), count: VersionRing.capacity)
    /// The revision of the newest version.
    var last = 0
  }

  /// Guards the versions; held only to add, read or remove them.
  private let state = Mutex(State())
  private let clock: @Sendable () -> Int64

  /// Creates an empty ring.
  ///
  /// - Parameter clock: Returns the milliseconds since 1970 in UTC.
  package init(clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds }) { self.clock = clock }

  private static func index(_ revision: Int) -> Int { revision & (capacity - 1) }

  /// Adds the next version.
  ///
  /// - Returns: The version that it replaces.
  func add(_ version: any AnyObject & Sendable, revision: Int) -> (any AnyObject & Sendable)? {
    var slot = Slot(version: version, time: clock())
    state.withLock { state in
      swap(&state.slots[Self.index(revision)], &slot)
      state.last = revision
    }
    return slot.version
  }

  /// Returns the versions from a revision on.
  ///
  /// - Returns: The latest versions, and the revision of the first one, which is a later one if there were too many.
  func versions(from revision: Int) -> (first: Int, versions: [(version: any AnyObject & Sendable, time: Int64)]) {
    state.withLock { state in
      let first = max(revision, state.last - Self.revisions)
      guard first <= state.last else { return (first, []) }
      let slots = (first...state.last).map { state.slots[Self.index($0)] }
      return (first, slots.compactMap { slot in slot.version.map { ($0, slot.time) } })
    }
  }

  /// Removes the versions from one revision to another, because their revisions were made.
  func remove(from first: Int, before end: Int) {
    let removed = state.withLock { state in
      // Earlier ones were replaced.
      let first = max(first, state.last - Self.revisions)
      guard first < end else { return [Slot]() }
      return (first..<end).map { revision in
        let index = Self.index(revision)
        defer { state.slots[index] = Slot() }
        return state.slots[index]
      }
    }
    // Released here, without the lock.
    withExtendedLifetime(removed) {}
  }
}
