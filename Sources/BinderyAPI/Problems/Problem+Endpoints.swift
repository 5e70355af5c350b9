import BinderyCore

extension Problem {
  /// Creates the problem for an error that an endpoint of the program throws; nil for an error of the program itself.
  ///
  /// - Parameter isRead: Whether the request is a read, for which a value that does not exist is 404.
  package init?(endpointError error: any Error, isRead: Bool) {
    switch error {
    case let problem as Problem: self = problem
    case let error as CommitError: self.init(error)
    case let absence as Absence: self = isRead ? Problem(absence).forRead : Problem(absence)
    case let invalid as ValidationError: self.init(invalid)
    case let invalid as InvalidState: self.init(invalid)
    case let duplicate as DuplicateID: self.init(.duplicateID, "\(duplicate)".capitalizedSentence)
    case let error as InsertionError:
      self.init(error == .duplicateID ? .duplicateID : .invalidValue, "\(error)".capitalizedSentence)
    default: return nil
    }
  }

  /// Creates the problem for a commit of the program that failed.
  private init(_ error: CommitError) {
    switch error {
    case .invalid(let invalid): self.init(invalid)
    case .invalidState(let invalid): self.init(invalid)
    case .conditionFailed(let current):
      self.init(.preconditionFailed, "\(error)".capitalizedSentence)
      self.currentETag = current
    case .notStored: self.init(.unavailable, "\(error)".capitalizedSentence)
    case .unknownOutcome: self.init(.unknownOutcome, "\(error)".capitalizedSentence)
    }
  }
}

extension String {
  /// The text as a sentence.
  fileprivate var capitalizedSentence: String {
    prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".")
  }
}
