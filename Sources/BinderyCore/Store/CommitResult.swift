/// The result of a commit by Swift code.
public struct CommitResult<Value: Sendable>: Sendable {
  /// The value that the body of the commit returned.
  public let value: Value
  /// The revision that the result is valid for: a new one, or the current one if nothing changed.
  public let revision: Int
  /// Whether the state changed, which makes a new revision.
  public let isChanged: Bool
  /// Whether the state kept what the body wrote.
  public let outcome: WriteOutcome

  @usableFromInline
  init(value: Value, revision: Int, isChanged: Bool, outcome: WriteOutcome) {
    self.value = value
    self.revision = revision
    self.isChanged = isChanged
    self.outcome = outcome
  }
}

/// The reason why a commit by Swift code failed. The state is then unchanged, except after ``unknownOutcome(_:)``.
///
/// An error thrown by the body of a commit is rethrown unchanged instead.
public enum CommitError: Error, Hashable, Sendable {
  /// A value breaks a constraint of its shape.
  case invalid(ValidationError)
  /// The model's `settle(from:)` rejects the result.
  case invalidState(InvalidState)
  /// The place has another entity tag than the one that was required.
  ///
  /// `current` is its present entity tag; nil if the place does not exist.
  case conditionFailed(current: String?)
  /// The journal could not store the result. The text is the journal's reason.
  case notStored(String)
  /// The journal failed while it stored the result, and cannot tell whether it is stored. Read the state when commits
  /// succeed again. The text is the journal's reason.
  case unknownOutcome(String)

  @usableFromInline
  init(_ failure: JournalFailure) {
    switch failure {
    case .full(let reason), .unavailable(let reason), .outdated(let reason): self = .notStored(reason)
    case .overtaken: self = .notStored(failure.reason)
    case .unknownOutcome(let reason, _): self = .unknownOutcome(reason)
    }
  }
}

extension CommitError: CustomStringConvertible {
  /// The reason in words, and what to do next.
  public var description: String {
    switch self {
    case .invalid(let error): "invalid value: \(error)"
    case .invalidState(let error): "the model rejects the result: \(error)"
    case .conditionFailed(let current?):
      "the value was changed in the meantime: its entity tag is \(current); read it again and repeat the edit"
    case .conditionFailed(nil): "the value does not exist any more, so its entity tag cannot match"
    case .notStored(let reason): "the commit could not be stored: \(reason)"
    case .unknownOutcome(let reason): "it is not known whether the commit is stored: \(reason)"
    }
  }
}
