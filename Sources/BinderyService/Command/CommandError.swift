/// The reason why a command failed, and its exit code.
struct CommandError: Error {
  /// The exit codes of sysexits.h.
  enum Code: Int32 {
    case usage = 64
    case dataError = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case osError = 71
    case cannotCreate = 73
    case ioError = 74
    case temporaryFailure = 75
    case configuration = 78
  }

  let code: Code
  let message: String
  /// Whether a store does not fit the model.
  let isMisfit: Bool

  init(_ code: Code, _ message: String, isMisfit: Bool = false) {
    self.code = code
    self.message = message
    self.isMisfit = isMisfit
  }

  /// Creates the error of a store.
  init(_ error: StoreDriverError) {
    message = error.description
    isMisfit = error.kind == .misfit
    code =
      switch error.kind {
      case .inUse: .temporaryFailure
      case .missing: .noInput
      case .cannotCreate: .cannotCreate
      case .unreadable: .dataError
      case .inputOutput: .ioError
      case .unsupported: .usage
      case .location, .misfit: .configuration
      }
  }

  /// Creates the error of a service that cannot start.
  init(_ error: ServiceError) {
    switch error {
    case .malformedAddress: self.init(.usage, "\(error)")
    case .unprotected, .invalidAccess, .invalidFile, .invalidEndpoint, .malformedBasePath:
      self.init(.configuration, "\(error)")
    case .cannotListen, .noResources: self.init(.unavailable, "\(error)")
    case .invalidInitialState, .alreadyStarted: self.init(.software, "\(error)")
    case .stateReplaced: self.init(.temporaryFailure, "\(error)")
    case .store(let error): self.init(error)
    }
  }

  /// Creates the error of a closure of the program.
  init(_ error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as StoreDriverError: self.init(error)
    case let error as ServiceError: self.init(error)
    case let error as InvalidInitialState: self.init(.software, error.description)
    default: self.init(.configuration, "\(error)")
    }
  }
}

/// An error in the command line or in an environment variable.
package struct UsageError: Error, Hashable, Sendable {
  /// The description of the error, on one line.
  package let message: String
  /// Whether the error is in an environment variable.
  package let isFromEnvironment: Bool

  init(_ message: String, isFromEnvironment: Bool = false) {
    self.message = message
    self.isFromEnvironment = isFromEnvironment
  }
}
