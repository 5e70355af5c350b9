import BinderyJournal
import BinderySQLite

/// Why a command ends without having done its work, and the exit code that says so (sysexits.h).
struct CommandError: Error {
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

  init(_ error: StoreError, _ path: String) {
    message = "\(path): \(error)"
    code =
      switch error {
      case .owned: .temporaryFailure
      case .missing: .noInput
      case .foreign, .newer, .damaged: .dataError
      case .unusable: .ioError
      }
  }

  init(_ error: RecoveryError, _ path: String) {
    message = "\(path) \(error)"
    code =
      switch error {
      case .damaged, .unreadable: .dataError
      case .cannotRead, .cannotWrite: .ioError
      }
  }
}
