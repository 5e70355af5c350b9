package import BinderyDigest

/// The metadata of a commit in the history: its author and idempotency key. Commits of one author share an instance.
@usableFromInline
package final class CommitMetadata: Sendable {
  /// The author: the name of a token, or the name that Swift code passed.
  package let author: String
  /// The result for repetitions of the request; nil if it has no idempotency key.
  package let keyedResult: KeyedResult?

  /// Creates metadata.
  package init(author: String, keyedResult: KeyedResult? = nil) {
    self.author = author
    self.keyedResult = keyedResult
  }

  /// The metadata of commits by Swift code that names no author.
  @usableFromInline
  package static let inProcess = CommitMetadata(author: "in-process")

  /// Returns the metadata of commits by Swift code.
  @usableFromInline
  static func inProcess(by author: String?) -> CommitMetadata { author.map { CommitMetadata(author: $0) } ?? inProcess }
}

extension CommitMetadata: Equatable {
  @usableFromInline
  package static func == (a: CommitMetadata, b: CommitMetadata) -> Bool {
    a === b || a.author == b.author && a.keyedResult == b.keyedResult
  }
}

/// The result of a commit that was requested with an idempotency key.
package struct KeyedResult: Sendable, Equatable {
  package let key: String
  /// Identifies the request. Another request must not use the key.
  package let fingerprint: Digest
  /// The revision that the commit led to.
  package let revision: Int
  /// The time of the request, in seconds since 1970.
  package let time: Int64
  /// The response, in a form that the store does not interpret.
  package let response: [UInt8]

  /// Creates a result.
  package init(key: String, fingerprint: Digest, revision: Int, time: Int64, response: [UInt8]) {
    self.key = key
    self.fingerprint = fingerprint
    self.revision = revision
    self.time = time
    self.response = response
  }

  /// The time for which results are kept, in seconds.
  package static let lifetime: Int64 = 24 * 60 * 60
  /// The number of results that are kept.
  package static let maximumCount = 100_000
}
