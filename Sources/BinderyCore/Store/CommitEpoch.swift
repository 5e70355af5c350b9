import Synchronization

/// The time from one failure to keep drafts to the next: what is decided in it is published in order, up to where it
/// ends.
package final class CommitEpoch: Sendable {
  /// The last revision of this time that was published, and why the next was not; nil while it lasts.
  private let end = Mutex<(revision: Int, failure: JournalFailure)?>(nil)

  func end(at revision: Int, _ failure: JournalFailure) { end.withLock { $0 = (revision, failure) } }

  /// What has become of a decision on a revision of this time; nil while it lasts.
  func outcome(of revision: Int) -> CommitOutcome? {
    end.withLock { end in end.map { revision <= $0.revision ? .published : .refused($0.failure) } }
  }
}

/// What has become of a decision on a version that was not published yet.
package enum CommitOutcome: Sendable {
  case undecided
  /// It stands.
  case published
  /// The version has never been, and so neither has the decision.
  case refused(JournalFailure)
}
