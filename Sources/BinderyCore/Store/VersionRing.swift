/// Makes the history of a store without a journal from its latest versions, which the store keeps in a ring.
package protocol VersionRecorder: AnyObject, Sendable {
  /// The current time, in milliseconds since 1970 in UTC. Called once per commit.
  var now: Int64 { get }

  /// Wakes the recorder's thread because there is a new version. Not called again until
  /// ``Store/announcesNextVersion(after:)``.
  ///
  /// Called on a writer's thread, so it must not block.
  func wake()
}

/// The latest versions of a store. A new version replaces the oldest one.
struct VersionRing {
  /// The number of versions: a power of two. Those that are not shared with the published version cost memory.
  static var capacity: Int { 256 }

  private struct Slot {
    /// Stored as an existential, because the metadata of a generic type would be looked up in each commit.
    var version: (any AnyObject & Sendable)?
    /// The time of the commit, in milliseconds since 1970 in UTC.
    var time: Int64 = 0
  }

  private var slots = [Slot](repeating: Slot(), count: capacity)
  private var isAnnounced = false

  /// Adds the next version.
  ///
  /// - Returns: The version that it replaces, which the caller must release without holding a lock.
  mutating func add(_ version: any AnyObject & Sendable, revision: Int, at time: Int64) -> (any AnyObject & Sendable)? {
    let index = revision & (Self.capacity - 1)
    let replaced = slots[index].version
    slots[index].version = version
    slots[index].time = time
    return replaced
  }

  /// Returns whether the recorder must be woken for a new version.
  mutating func announce() -> Bool {
    defer { isAnnounced = true }
    return !isAnnounced
  }

  /// Lets the next version be announced.
  mutating func resetAnnouncement() { isAnnounced = false }

  /// Returns a version and its time; nil if it is not in the ring.
  subscript(revision: Int) -> (version: any AnyObject & Sendable, time: Int64)? {
    let slot = slots[revision & (Self.capacity - 1)]
    return slot.version.map { ($0, slot.time) }
  }

  /// Removes a version and returns it.
  mutating func remove(_ revision: Int) -> (any AnyObject & Sendable)? {
    let index = revision & (Self.capacity - 1)
    defer { slots[index].version = nil }
    return slots[index].version
  }
}

extension Store {
  /// The number of versions of which a ``VersionRecorder`` can make revisions at a time.
  package static var recordableVersions: Int { VersionRing.capacity - 1 }

  /// Returns the published versions from a revision on, with the times of their commits in milliseconds since 1970.
  ///
  /// - Returns: The latest versions. The first one has a later revision if there were too many since then.
  package func versions(from revision: Int) -> [(version: Snapshot<Root>, time: Int64)] {
    let found = withQueue { queue in
      let last = queue.published.revision
      let first = max(revision, last - Self.recordableVersions)
      return first > last ? [] : (first...last).compactMap { queue.versions?[$0] }
    }
    return found.compactMap { version, time in (version as? Snapshot<Root>).map { ($0, time) } }
  }

  /// Gives up the versions from one revision to another, of which revisions were made.
  package func forgetVersions(from first: Int, before end: Int) {
    let forgotten = withQueue { queue in
      // Versions that were replaced in the ring are gone already.
      let first = max(first, queue.published.revision - Self.recordableVersions)
      return first < end ? (first..<end).map { queue.versions?.remove($0) } : []
    }
    // Released here, without the lock.
    withExtendedLifetime(forgotten) {}
  }

  /// Lets the store wake its recorder at the next commit.
  ///
  /// - Returns: False if there is a version after the revision already.
  package func announcesNextVersion(after revision: Int) -> Bool {
    withQueue { queue in
      guard queue.published.revision == revision else { return false }
      queue.versions?.resetAnnouncement()
      return true
    }
  }
}
