package import BinderyAPI
public import BinderyCore
package import BinderyDigest
import BinderyHTTP
import BinderyOpenAPI
import BinderyServer
import BinderySystem
package import BinderyTelemetry

/// A model served over HTTP: what the library is for, in one value.
///
///     let service = try Service(Counter(), listeningOn: ["127.0.0.1:8080"])
///     try service.run()
public final class Service<Root: Model>: Sendable {
  /// The state that is served; Swift code reads and commits here, beside the clients.
  public let store: Store<Root>
  /// How many threads answer.
  public let eventLoops: Int
  private let server: Server
  private let accessControl: AccessControl
  private let key: DigestKey

  /// Binds the addresses; connections wait from now on and are served by ``run()``.
  ///
  /// - Parameters:
  ///   - root: the state to begin with.
  ///   - addresses: `127.0.0.1:8080`, `[::1]:8080`, `:8080` or `unix:/path`; port 0 lets the kernel choose.
  ///   - eventLoops: how many threads answer; one per core by default.
  ///   - title: what the OpenAPI document calls the service.
  ///   - access: who may use it. By default everybody on this machine, and a service that others can reach does not
  ///     start.
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

  package init(
    _ store: Store<Root>, key: DigestKey, listeningOn addresses: [String], eventLoops: Int,
    documents: [String: StaticDocument], streamLimits: StreamLimits = StreamLimits(), history: (any History)? = nil,
    access: AccessPolicy = .local, trouble: @escaping @Sendable () -> String? = { nil },
    metrics more: [@Sendable (inout Exposition) -> Void] = [], accessLog: Logger? = nil
  ) throws(ServiceError) {
    var parsed: [SocketAddress] = []
    for text in addresses {
      guard let address = SocketAddress(text) else { throw .malformedAddress(text) }
      parsed.append(address)
    }
    guard !parsed.isEmpty else { throw .malformedAddress("") }
    self.store = store
    self.key = key
    // Each tree remembers its digest: no request is the first, which would wait for that of all elements.
    _ = Root.shape.digest(store.snapshot.root, key)
    self.eventLoops = max(1, eventLoops)
    let accessControl = try access.accessControl(at: parsed, key)
    self.accessControl = accessControl
    let metrics = ServiceMetrics(store, more)
    let api = StateAPI(
      StateResource(store, key: key), documents: documents, history: history, streamLimits: streamLimits,
      accessControl: accessControl, metrics: metrics.api, renderMetrics: { metrics.exposition }, accessLog: accessLog,
      readiness: { trouble().map { .notReady($0) } ?? .ready })
    do throws(ListenError) {
      server = try Server(
        configuration: ServerConfiguration(addresses: parsed, loopCount: self.eventLoops), metrics: metrics.server,
        makeResponder: { context in ObservedResponder(api, context: context) })
    } catch {
      throw .cannotListen("\(error)")
    }
  }

  /// Where the service listens, with the ports that the kernel has chosen.
  public var addresses: [String] { server.addresses.map(\.description) }

  /// From now on these tokens are good, and no others: what the bearers of others have open is ended.
  ///
  /// - Throws: ``ServiceError/invalidAccess(_:)``, and the tokens stay what they were.
  public func replaceTokens(_ write: [String], reading read: [String] = []) throws(ServiceError) {
    replaceTokens(write: try AccessPolicy.tokens(write), read: try AccessPolicy.tokens(read))
  }

  package func replaceTokens(write: [AccessToken], read: [AccessToken]) {
    accessControl.replace(AccessTokens(write: write, read: read, secret: key.secret))
  }

  /// Serves until ``stop()``; returns when everything in flight has ended, at most 8 seconds after it.
  ///
  /// - Throws: ``ServiceError`` where the kernel has no thread or poll to give.
  public func run() throws(ServiceError) {
    do throws(Errno) { try server.run() } catch { throw .noResources("\(error)") }
  }

  /// Begins a graceful stop; may be called from any thread, and again.
  public func stop() { server.stop() }
}

/// Why a service could not begin.
public enum ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
  case malformedAddress(String)
  case cannotListen(String)
  case noResources(String)
  /// Others can reach the address, and nobody is asked for a token.
  case unprotected(String)
  /// A token, an origin or a host that is none.
  case invalidAccess(String)

  public var description: String {
    switch self {
    case .malformedAddress(let text): "“\(text)” is no address: 127.0.0.1:8080, [::1]:8080, :8080 or unix:/path is one"
    case .cannotListen(let reason): reason
    case .unprotected(let address):
      "others can reach \(address): tokens are needed, or the word that nobody shall be asked for one"
    case .invalidAccess(let reason): reason
    case .noResources(let reason): "the kernel refuses what the service needs: \(reason)"
    }
  }
}

/// The machine's processors.
public enum Processors {
  /// How many this process may use.
  public static var count: Int { BinderySystem.Processors.count }
}
