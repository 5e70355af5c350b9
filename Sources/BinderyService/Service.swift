package import BinderyAPI
public import BinderyCore
package import BinderyDigest
import BinderyHTTP
import BinderyOpenAPI
import BinderyServer
import BinderySystem
package import BinderyTelemetry

/// An HTTP service for the state of a model. The state is kept in memory only and is lost when the process ends.
///
///     let service = try Service(Counter(), listeningOn: ["127.0.0.1:8080"])
///     try service.run()
public final class Service<Root: Model>: Sendable {
  /// The store of the state. Swift code reads and commits here, concurrently with HTTP clients.
  public let store: Store<Root>
  /// The number of event loops. Each has its own thread.
  public let eventLoops: Int
  private let server: Server
  private let accessControl: AccessControl
  /// The key of the digests in entity tags.
  private let key: DigestKey

  /// Creates a service and binds its addresses.
  ///
  /// From now on the kernel queues incoming connections. ``run()`` accepts and serves them.
  ///
  /// - Parameters:
  ///   - root: The initial state.
  ///   - addresses: The addresses to listen on: `127.0.0.1:8080`, `[::1]:8080`, `:8080` for all interfaces, or
  ///     `unix:/path`. With port 0 the kernel chooses a free port; see ``addresses``.
  ///   - eventLoops: The number of event loop threads. The default is one per core.
  ///   - title: The title of the service in its OpenAPI document.
  ///   - access: The access policy. The default allows all clients on this machine and refuses to listen on addresses
  ///     that other machines can reach.
  /// - Throws: ``ServiceError``.
  public convenience init(
    _ root: Root, listeningOn addresses: [String], eventLoops: Int = Processors.count, title: String = "\(Root.self)",
    access: AccessPolicy = .local
  ) throws(ServiceError) {
    let openAPI = StaticDocument("application/yaml; charset=utf-8") {
      Array(OpenAPIDocument(of: root, title: title, version: "1").yaml.utf8)
    }
    try self.init(
      Store(root), key: .random(), listeningOn: addresses, eventLoops: eventLoops,
      documents: ["/openapi.yaml": openAPI], access: access)
  }

  /// Creates a service for an existing store and binds its addresses.
  ///
  /// - Parameters:
  ///   - documents: Additional static documents by path.
  ///   - journalFailure: Returns why the journal cannot store writes, or nil if it can. Called for `/readyz`. Nil if
  ///     the service has no journal.
  ///   - additionalMetrics: Functions that write metrics of the caller to `/metrics`.
  ///   - accessLog: The logger for one line per request, or nil for no access log.
  /// - Throws: ``ServiceError``.
  package init(
    _ store: Store<Root>, key: DigestKey, listeningOn addresses: [String], eventLoops: Int,
    documents: [String: StaticDocument], streamLimits: StreamLimits = StreamLimits(), history: (any History)? = nil,
    access: AccessPolicy = .local, journalFailure: (@Sendable () -> String?)? = nil,
    metrics additionalMetrics: [@Sendable (inout Exposition) -> Void] = [], accessLog: Logger? = nil
  ) throws(ServiceError) {
    var parsed: [SocketAddress] = []
    for text in addresses {
      guard let address = SocketAddress(text) else { throw .malformedAddress(text) }
      parsed.append(address)
    }
    guard !parsed.isEmpty else { throw .malformedAddress("") }
    self.store = store
    self.key = key
    // Trees cache their digests. Compute them now, so that the first request does not wait for the whole state.
    _ = Root.shape.digest(store.snapshot.root, key)
    self.eventLoops = max(1, eventLoops)
    let accessControl = try access.accessControl(at: parsed, key)
    self.accessControl = accessControl
    let metrics = ServiceMetrics(store, additionalMetrics)
    let api = StateAPI(
      StateResource(store, key: key), documents: documents, history: history, streamLimits: streamLimits,
      accessControl: accessControl, metrics: metrics.api, renderMetrics: { metrics.exposition }, accessLog: accessLog,
      journalStatus: {
        guard let journalFailure else { return .none }
        return journalFailure().map { .failing($0) } ?? .ok
      })
    do throws(ListenError) {
      server = try Server(
        configuration: ServerConfiguration(addresses: parsed, loopCount: self.eventLoops), metrics: metrics.server,
        makeResponder: { context in ObservedResponder(api, context: context) })
    } catch {
      throw .cannotListen("\(error)")
    }
  }

  /// The addresses that the service listens on, with the ports that the kernel chose.
  public var addresses: [String] { server.addresses.map(\.description) }

  /// Replaces all tokens.
  ///
  /// Event streams and sessions that were opened with a removed token, and streams that were opened when the service
  /// required no token, are closed.
  ///
  /// - Throws: ``ServiceError/invalidAccess(_:)`` for a malformed token. The previous tokens then stay valid.
  public func replaceTokens(_ write: [String], reading read: [String] = []) throws(ServiceError) {
    replaceTokens(write: try AccessPolicy.tokens(write), read: try AccessPolicy.tokens(read))
  }

  /// Replaces all tokens.
  package func replaceTokens(write: [AccessToken], read: [AccessToken]) {
    accessControl.replace(AccessTokens(write: write, read: read, secret: key.secret))
  }

  /// Serves requests until ``stop()`` is called.
  ///
  /// Returns after all requests in flight have ended, at most 8 seconds after ``stop()``.
  ///
  /// - Throws: ``ServiceError/noResources(_:)`` if the kernel cannot create a thread or an epoll instance.
  public func run() throws(ServiceError) {
    do throws(Errno) { try server.run() } catch { throw .noResources("\(error)") }
  }

  /// Starts a graceful shutdown. Can be called from any thread, and more than once.
  public func stop() { server.stop() }
}

/// The reason why a service could not start.
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

  public var description: String {
    switch self {
    case .malformedAddress(let text):
      "“\(text)” is not an address: expected 127.0.0.1:8080, [::1]:8080, :8080 for all interfaces, or unix:/path"
    case .cannotListen(let reason): reason
    case .unprotected(let address):
      "other machines can reach \(address): set access tokens, or disable authentication explicitly"
    case .invalidAccess(let reason): reason
    case .noResources(let reason): "the kernel could not create a thread or an epoll instance: \(reason)"
    }
  }
}

/// The processors of this machine.
public enum Processors {
  /// The number of processors that this process may use.
  public static var count: Int { BinderySystem.Processors.count }
}
