/// Where commits are kept. A journal has a thread of its own, which takes what has gathered (``Store/takeBatch()``),
/// writes it as one transaction, and says how that went (``Store/finish(_:_:)``).
package protocol Journal: AnyObject, Sendable {
  /// Something may wait to be taken; called on a writer's thread, which must not be held up, and not for each draft.
  func nudge()
}

/// Drafts in the order of their revisions, to be kept together or not at all.
package struct Batch<Root: Sendable>: Sendable {
  /// What the first of them was made from.
  package let base: Snapshot<Root>
  package let drafts: [Snapshot<Root>]
}

/// Why commits could not be kept.
@usableFromInline
package enum JournalFailure: Error, Hashable, Sendable {
  /// There is no room.
  case full(String)
  /// Anything else that may pass.
  case unavailable(String)

  package var reason: String {
    switch self {
    case .full(let reason), .unavailable(let reason): reason
    }
  }
}
