/// Records the versions of a store without a journal, to make its history.
///
/// Versions are passed as existentials, because the metadata of a generic type would be looked up in each commit.
package protocol VersionRecorder: AnyObject, Sendable {
  /// Records the initial version, or the version that a commit has published.
  ///
  /// Called under the store's lock, so it must not block.
  ///
  /// - Returns: an older version that the recorder gives up. The store releases it without the lock.
  func record(_ version: any AnyObject & Sendable, revision: Int) -> (any AnyObject & Sendable)?

  /// Wakes the recorder's thread if it waits for a commit. Called after each commit, so it must not block.
  func wakeIfNeeded()
}
