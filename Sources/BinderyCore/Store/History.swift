/// Read access to the revisions that a journal stores.
package protocol History: Sendable {
  /// Reads revisions without blocking the caller's thread.
  ///
  /// - Parameters:
  ///   - query: the revisions to read.
  ///   - completion: called once, on a thread that may be slow without delaying commits.
  func revisions(
    _ query: HistoryQuery, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void)
}

/// A selection of stored revisions.
package struct HistoryQuery: Sendable {
  /// The page begins after this revision; nil begins with the oldest stored revision.
  package let after: Int?
  /// The page has the last revisions before this one; nil for the first ones.
  package let before: Int?
  /// The maximum number of revisions.
  package let limit: Int
  /// Returns whether the page includes a revision; nil to include all.
  package let includes: (@Sendable (Revision) -> Bool)?
  /// Returns whether the client has disconnected, so that the page is not needed.
  package let isAbandoned: @Sendable () -> Bool

  /// Creates a selection.
  package init(
    after: Int? = nil, before: Int? = nil, limit: Int, includes: (@Sendable (Revision) -> Bool)? = nil,
    isAbandoned: @escaping @Sendable () -> Bool = { false }
  ) {
    self.isAbandoned = isAbandoned
    self.after = after
    self.before = before
    self.limit = limit
    self.includes = includes
  }

  /// Whether the newest revisions of the selection are read first.
  package var isBackward: Bool { before != nil }
}

/// One page of stored revisions.
package struct HistoryPage: Sendable {
  /// The maximum number of patch bytes in a page of several revisions. A longer revision has a page of its own.
  package static let byteLimit = 1024 * 1024

  /// The revisions, in ascending order of their numbers.
  package let revisions: [Revision]
  /// The number of the oldest stored revision; one more than the last revision if none is stored.
  package let oldest: Int
  /// The revision after which, or before which if the query is backward, the next page continues; nil if there is none.
  package let continuation: Int?

  /// Creates a page.
  package init(revisions: [Revision], oldest: Int, continuation: Int? = nil) {
    self.revisions = revisions
    self.oldest = oldest
    self.continuation = continuation
  }
}

extension HistoryPage {
  /// The revisions of a page that is being read.
  package struct Builder {
    /// The bytes of revisions that are not included, after which a page ends, so that no page takes long.
    private static let skippedBytesLimit = 16 << 20

    private let query: HistoryQuery
    private var revisions: [Revision] = []
    private var bytes = 0
    private var skippedBytes = 0
    /// The last revision that was examined.
    private var last: Int?
    private var isFull = false

    /// Creates an empty page.
    package init(_ query: HistoryQuery) { self.query = query }

    /// Returns whether the page takes a further revision with a number of patch bytes.
    package mutating func hasRoom(for byteCount: Int) -> Bool {
      isFull =
        revisions.count >= query.limit || !revisions.isEmpty && bytes + byteCount > HistoryPage.byteLimit
        || skippedBytes > Self.skippedBytesLimit
      return !isFull
    }

    /// Adds a revision if it is selected and the page has room for it. Revisions come in the direction of the query.
    ///
    /// - Returns: whether further revisions may follow.
    package mutating func append(_ revision: Revision) -> Bool {
      if let after = query.after, revision.number <= after { return !query.isBackward }
      if let before = query.before, revision.number >= before { return query.isBackward }
      let byteCount = revision.byteCount
      if query.includes?(revision) == false {
        guard hasRoom(for: 0) else { return false }
        skippedBytes += byteCount
      } else {
        guard hasRoom(for: byteCount) else { return false }
        revisions.append(revision)
        bytes += byteCount
      }
      last = revision.number
      return true
    }

    /// Returns the page.
    package func finish(oldest: Int) -> HistoryPage {
      HistoryPage(
        revisions: query.isBackward ? revisions.reversed() : revisions, oldest: oldest,
        continuation: isFull ? last : nil)
    }
  }
}
