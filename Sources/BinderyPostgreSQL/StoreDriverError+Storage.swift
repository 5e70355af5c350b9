import BinderyCore
import BinderyJournal
import BinderyService

extension StoreDriverError {
  /// Creates the error of a database that could not be used.
  init(_ failure: StorageFailure, _ name: String) {
    guard failure != PostgreSQLStorage.otherLayout else {
      self.init(
        .misfit,
        "\(name): a server with a newer model has written to the state: start that version, or, to go back to this "
          + "one, pass the output of “export” of that version to “import” of this one")
      return
    }
    let kind: Kind = if case .damaged = failure { .unreadable } else { .inputOutput }
    self.init(kind, "\(name): \(failure.failure.reason)")
  }

  /// Creates the error of a database that could not be copied.
  init(notCopied name: String, _ failure: StorageFailure) {
    switch failure {
    case .damaged: self.init(.unreadable, "\(name) was not copied: \(failure.failure.reason)")
    case .overtaken:
      self.init(.cannotCreate, "\(name) was not copied, because the state was replaced meanwhile: repeat the command")
    default: self.init(.cannotCreate, "\(name) was not copied: \(failure.failure.reason)")
    }
  }
}
