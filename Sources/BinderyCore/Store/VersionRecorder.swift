/// Records the versions of a store without a journal, to make its history.
///
/// Versions are passed as existentials, because the metadata of a generic type would be looked up in each commit.
package protocol VersionRecorder: AnyObject, Sendable {
  /// Records the initial version, or the version that a commit has published.
  ///
  /// Called while the store's queue is locked, so it must not block.
  ///
  /// - Returns: an older version that the recorder keeps no longer. The store releases it after unlocking the queue.
  func record(_ version: any AnyObject & Sendable, revision: Int) -> (any AnyObject & Sendable)?

  /// Wakes the recorder's thread if it waits for a commit. Called after each commit, so it must not block.
  func wakeIfNeeded()
}
