import BinderyJournal
import BinderySQLite

/// The reason why a command failed, and its exit code.
struct CommandError: Error {
  /// The exit codes of sysexits.h.
  enum Code: Int32 {
    case usage = 64
    case dataError = 65
    case noInput = 66
    case unavailable = 69
    case osError = 71
    case cannotCreate = 73
    case ioError = 74
    case temporaryFailure = 75
    case configuration = 78
  }

  let code: Code
  let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Creates the error of a store that could not be opened or copied.
  init(_ error: StoreError, _ path: String) {
    message = "\(path): \(error)"
    code =
      switch error {
      case .inUse: .temporaryFailure
      case .missing: .noInput
      case .notAStore, .otherFormat, .damaged: .dataError
      case .unusable: .ioError
      case .hardLinks, .networkFileSystem, .notAFile: .configuration
      }
  }

  /// Creates the error of a store whose state could not be recovered.
  init(_ error: RecoveryError, _ path: String) {
    message = "\(path) \(error)"
    code =
      switch error {
      case .damaged, .unreadable: .dataError
      case .cannotRead, .cannotWrite: .ioError
      }
  }
}
