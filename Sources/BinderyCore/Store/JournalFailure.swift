/// The reason why a journal could not store commits.
@usableFromInline
package enum JournalFailure: Error, Hashable, Sendable {
  /// The storage is full. Nothing was stored.
  case full(String)
  /// Any other failure that may be temporary. Nothing was stored.
  case unavailable(String)
  /// The state of this server cannot be updated from the storage, for example because the storage has a newer model.
  /// The server must be restarted or replaced. Nothing was stored.
  case outdated(String)
  /// Another server has committed first. Nothing was stored, and the commit is decided again on the newer state.
  case overtaken
  /// The commits after a revision, the last one that is certain, may have been stored or not. The revision is nil if
  /// other servers may have committed after it.
  case unknownOutcome(String, after: Int?)

  /// Whether the state of this server cannot be updated from the storage.
  package var isOutdated: Bool { if case .outdated = self { true } else { false } }

  /// The reason for users and logs.
  @usableFromInline
  package var reason: String {
    switch self {
    case .full(let reason), .unavailable(let reason), .outdated(let reason), .unknownOutcome(let reason, _): reason
    case .overtaken: "Other servers committed first, again and again. Repeat the request."
    }
  }

  /// The failure of a commit that was drafted after the failed ones, and was never written.
  package var ofLaterCommits: JournalFailure {
    if case .unknownOutcome(let reason, _) = self { .unavailable(reason) } else { self }
  }
}
