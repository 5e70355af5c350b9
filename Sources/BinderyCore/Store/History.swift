/// Read access to the revisions that a journal stores.
package protocol History: Sendable {
  /// Reads revisions in ascending order, without blocking the caller's thread.
  ///
  /// - Parameters:
  ///   - revision: the page begins after this revision; nil begins with the oldest stored revision.
  ///   - limit: the maximum number of revisions. A page also ends early once it has reached
  ///     ``HistoryPage/byteLimit``.
  ///   - completion: called once, on a thread that may be slow without delaying commits.
  func revisions(
    after revision: Int?, limit: Int, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void)
}

/// One page of stored revisions.
package struct HistoryPage: Sendable {
  /// The number of patch bytes from which on a page takes no further revision.
  ///
  /// The limit bounds the memory of one page. The revision that reaches the limit is still part of the page.
  package static let byteLimit = 1024 * 1024

  /// The revisions, in ascending order of their numbers.
  package let revisions: [Revision]
  /// The number of the oldest stored revision; one more than the last revision if none is stored.
  package let oldest: Int

  /// Creates a page.
  package init(revisions: [Revision], oldest: Int) {
    self.revisions = revisions
    self.oldest = oldest
  }
}
