/// Read access to the revisions that a journal stores.
package protocol History: Sendable {
  /// Reads revisions in ascending order, without blocking the caller's thread.
  ///
  /// - Parameters:
  ///   - revision: the page begins after this revision; nil begins with the oldest stored revision.
  ///   - limit: the maximum number of revisions. A page also ends before it would exceed ``HistoryPage/byteLimit``.
  ///   - completion: called once, on a thread that may be slow without delaying commits.
  func revisions(
    after revision: Int?, limit: Int, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void)
}

/// One page of stored revisions.
package struct HistoryPage: Sendable {
  /// The maximum number of patch bytes in a page of several revisions. A longer revision has a page of its own.
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

extension HistoryPage {
  /// The revisions of a page that is being read.
  package struct Builder {
    package private(set) var revisions: [Revision] = []
    private let limit: Int
    private var bytes = 0

    /// Creates an empty page.
    ///
    /// - Parameter limit: the maximum number of revisions.
    package init(limit: Int) { self.limit = limit }

    /// Returns whether the page takes a further revision with a number of patch bytes.
    package func hasRoom(for byteCount: Int) -> Bool {
      revisions.count < limit && (revisions.isEmpty || bytes + byteCount <= HistoryPage.byteLimit)
    }

    /// Adds a revision if the page has room for it.
    ///
    /// - Returns: whether the revision was added.
    package mutating func append(_ revision: Revision) -> Bool {
      let byteCount = revision.byteCount
      guard hasRoom(for: byteCount) else { return false }
      revisions.append(revision)
      bytes += byteCount
      return true
    }
  }
}
