/// The reason why a service could not start, or has ended.
public enum ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An address has an invalid syntax.
  case malformedAddress(String)
  /// An address could not be bound.
  case cannotListen(String)
  /// The kernel could not create a thread or an epoll instance.
  case noResources(String)
  /// Other machines can reach the address, but the access policy requires no authentication.
  case unprotected(String)
  /// A token, an origin or a host name is invalid.
  case invalidAccess(String)
  /// The store could not be opened.
  case store(StoreDriverError)
  /// The initial state breaks a constraint of its shape, or the model rejects it.
  case invalidInitialState(String)
  /// The base path has an invalid syntax.
  case malformedBasePath(String)
  /// A file cannot be served at its path.
  case invalidFile(String)
  /// An endpoint cannot have its path.
  case invalidEndpoint(String)
  /// The state of a shared store was replaced, by an import or by the promotion of a standby of the database: create a
  /// new service, which loads the new state. The text is the reason.
  case stateReplaced(String)
  /// The service was started before. A service runs once.
  case alreadyStarted

  /// The reason in words, and what to do next.
  public var description: String {
    switch self {
    case .malformedAddress(let text):
      "“\(text)” is not an address: expected an IP address or localhost with a port, such as 127.0.0.1:8080 or "
        + "[::1]:8080, :8080 for all interfaces, or unix:/path"
    case .cannotListen(let reason): reason
    case .unprotected(let address):
      "other machines can reach \(address): set access to .tokens([…]), or to .open to allow all clients"
    case .invalidAccess(let reason): reason
    case .noResources(let reason): "the kernel could not create a thread or an epoll instance: \(reason)"
    case .store(let error): error.description
    case .invalidInitialState(let reason): reason
    case .malformedBasePath(let text):
      "“\(text)” is not a base path: expected segments of letters, digits and ._~- that begin with a slash, such as "
        + "/menu"
    case .invalidFile(let reason), .invalidEndpoint(let reason): reason
    case .stateReplaced(let reason): "\(reason): the service must start again to load the new state"
    case .alreadyStarted: "the service was started before: create a new one to run it again"
    }
  }
}
