package import BinderyAPI
public import BinderyCore
package import BinderyDigest
import BinderyHTTP
import BinderyModelFile
import BinderyOpenAPI
import BinderyServer
package import BinderySystem
package import BinderyTelemetry
public import FoundationEssentials
import Synchronization

/// An HTTP service for the state of a model.
///
///     let service = try Service(
///       initial: CounterState(), store: .sqlite("counter.db"), listeningOn: ["127.0.0.1:8080"])
///     try await service.run()
public final class Service<Root: Sendable>: Sendable {
  /// The store of the state. Swift code reads and commits here, concurrently with HTTP clients.
  public let store: Store<Root>
  /// The number of event loops. Each has its own thread.
  package let eventLoops: Int
  /// The base path.
  let basePath: BasePath
  let metricHandler: (@Sendable ([MetricSample]) -> Void)?
  let metricInterval: Duration
  /// Returns the metrics; their samples are recorded.
  let collectMetrics: @Sendable () -> Exposition
  /// Stores all commits and closes the store. Can be called more than once.
  let closeStore: @Sendable () -> Void
  /// Reports that other servers have replaced the state; nil if there are none.
  private let replacement = Mutex<StateReplacement?>(nil)
  private let server: Server
  private let clock: @Sendable () -> Int64
  private let accessControl: AccessControl
  /// The key of the digests in entity tags.
  private let key: DigestKey
  let wasStarted = Atomic<Bool>(false)

  /// Opens the store, creates a service and binds its addresses.
  ///
  /// From now on the kernel queues incoming connections. ``run(handlesSignals:)`` accepts and serves them.
  ///
  /// - Parameters:
  ///   - initial: The state of a new store. Not evaluated if the store has a state.
  ///   - store: The store. The default keeps the state in memory.
  ///   - addresses: The addresses to listen on: `127.0.0.1:8080`, `[::1]:8080`, `:8080` for all interfaces, or
  ///     `unix:/path`. With port 0 the kernel chooses a free port; see ``addresses``.
  ///   - access: The access policy. The default allows all clients on this machine and refuses to listen on addresses
  ///     that other machines can reach.
  ///   - configuration: All other settings.
  /// - Throws: ``ServiceError``.
  public convenience init(
    initial: @autoclosure () -> Root, store driver: any StoreDriver = .memory, listeningOn addresses: [String],
    access: AccessPolicy = .local, configuration: ServiceConfiguration<Root> = ServiceConfiguration()
  ) throws(ServiceError) where Root: StateModel {
    // Mistakes in the declaration of the model are reported first.
    let model = ModelDefinition<Root>()
    let operations = driver.implementation.operations
    var configuration = configuration
    configuration.privateFiles += operations.files
    _ = try configuration.webFolder
    let (retention, logger) = (configuration.retention, configuration.effectiveLogger)
    let wait = configuration.storeWait.bounded
    let open = try withoutActuallyEscaping(initial) { initial throws(ServiceError) in
      let opening = StoreOpening<Root>(model: model, options: []) { _ in
        StoreOpening.Plan(of: model, options: [:], retention: retention, logger: logger, initial: initial)
      }
      return try operations.open(opening, waiting: wait)
    }
    do throws(ServiceError) {
      try self.init(open, listeningOn: addresses, access: access, configuration: configuration)
    } catch {
      open.close()
      throw error
    }
  }

  /// Creates a service for an open store and binds its addresses.
  convenience init(
    _ open: OpenStore<Root>, listeningOn addresses: [String], access: AccessPolicy,
    configuration: ServiceConfiguration<Root>
  ) throws(ServiceError) {
    guard let basePath = BasePath(configuration.basePath) else { throw .malformedBasePath(configuration.basePath) }
    var documents = try WebFile.documents(configuration.files)
    documents.merge(ClientDocuments.byPath) { _, own in own }
    documents.merge(ConsoleDocuments.byPath) { _, own in own }
    let (title, version) = (configuration.title, configuration.version)
    let example = configuration.example ?? open.store.snapshot.root
    let model = open.store.model
    documents["/model.json"] = StaticDocument("application/schema+json") { ModelFile.text(of: model.described) }
    documents["/openapi.yaml"] = StaticDocument("application/yaml; charset=utf-8") {
      Array(OpenAPIDocument(of: example, model, title: title, version: version, basePath: basePath.text).yaml.utf8)
    }
    documents["/docs"] = StaticDocument { OpenAPIDocument(of: example, model, title: title, version: version).page }
    if documents["/"] == nil { documents["/"] = StaticDocument(redirectingTo: "console") }
    var source: WebFolderSource?
    if let folder = try configuration.webFolder {
      for warning in folder.hiddenFiles(by: configuration.files) {
        configuration.effectiveLogger.log(.warning, warning)
      }
      source = try WebFolderSource(folder)
    }
    try self.init(
      open.store, key: open.store.key, listeningOn: addresses,
      eventLoops: configuration.effectiveEventLoops, documents: documents, files: source,
      endpoints: try Endpoint.resources(of: configuration.endpoints, open.store, configuration.effectiveLogger),
      middleware: configuration.middleware.map { resource(of: $0, configuration.effectiveLogger) }, basePath: basePath,
      history: open.history, access: access, journalFailure: open.journalFailure,
      metrics: [open.collectMetrics] + configuration.metrics,
      accessLog: configuration.logsRequests ? configuration.effectiveLogger : nil,
      onExhaustion: { [logger = configuration.effectiveLogger] in logger.log(.warning, $0.acceptWarning) },
      metricHandler: configuration.metricHandler, metricInterval: configuration.metricInterval,
      sessionEnds: open.sessionEnds, clock: open.clock, closeStore: open.close)
    replacement.withLock { $0 = open.replacement }
    open.replacement?.observe { [weak self] in self?.stop() }
  }

  /// Creates a service for an existing store and binds its addresses.
  ///
  /// - Parameters:
  ///   - documents: Additional static documents by path.
  ///   - files: The files of a folder.
  ///   - endpoints: The endpoints of the program.
  ///   - middleware: The middleware of the program.
  ///   - basePath: The base path of the service.
  ///   - journalFailure: Returns why the journal cannot store writes, or nil if it can. Called for `/readyz`. Nil if
  ///     the service has no journal.
  ///   - additionalMetrics: Functions that write metrics of the caller to `/metrics`.
  ///   - accessLog: The logger for one line per request, or nil for no access log.
  ///   - onExhaustion: Called at most once a minute if no connection can be accepted.
  ///   - sessionEnds: The ends of sessions that the store keeps; nil if they are not stored.
  ///   - clock: The clock of the store, in milliseconds since 1970.
  ///   - closeStore: Stores all commits and closes the store.
  /// - Throws: ``ServiceError``.
  package init(
    _ store: Store<Root>, key: DigestKey, listeningOn addresses: [String], eventLoops: Int,
    documents: [String: StaticDocument], files: (any FileSource)? = nil, endpoints: [ProgramEndpoint] = [],
    middleware: [ProgramMiddleware] = [], basePath: BasePath = .root,
    streamLimits: StreamLimits = StreamLimits(), history: (any History)? = nil,
    access: AccessPolicy = .local, journalFailure: (@Sendable () -> JournalFailure?)? = nil,
    metrics additionalMetrics: [@Sendable (inout Exposition) -> Void] = [], accessLog: Logger? = nil,
    onExhaustion: @escaping @Sendable (Errno) -> Void = { _ in },
    metricHandler: (@Sendable ([MetricSample]) -> Void)? = nil, metricInterval: Duration = .seconds(10),
    sessionEnds: SessionEnds? = nil, clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds },
    closeStore: @escaping @Sendable () -> Void = {}
  ) throws(ServiceError) {
    var parsed: [SocketAddress] = []
    for text in addresses {
      guard let address = SocketAddress(text) else { throw .malformedAddress(text) }
      parsed.append(address)
    }
    guard !parsed.isEmpty else { throw .malformedAddress("") }
    self.store = store
    self.key = key
    self.basePath = basePath
    // Trees cache their digests. Compute them now, so that the first request does not wait for the whole state.
    _ = store.model.shape.digest(store.snapshot.root, key)
    // Loading a large state needs several times the memory of the state.
    Process.releaseUnusedMemory()
    self.eventLoops = max(1, eventLoops)
    let accessControl = try access.accessControl(at: parsed, below: basePath, key, sessionEnds, clock: clock)
    self.clock = clock
    self.accessControl = accessControl
    let metrics = ServiceMetrics(store, additionalMetrics)
    self.metricHandler = metricHandler
    self.metricInterval = max(.milliseconds(1), metricInterval.bounded)
    self.closeStore = closeStore
    collectMetrics = { metrics.collect(Exposition(recordsSamples: true)) }
    let api = StateAPI(
      StateResource(store, key: key, basePath: basePath, processorTime: { Clock.threadNanoseconds }),
      documents: documents, files: files, endpoints: endpoints, middleware: middleware, history: history,
      streamLimits: streamLimits, accessControl: accessControl, metrics: metrics.api,
      renderMetrics: { metrics.collect(Exposition()).bytes }, accessLog: accessLog,
      journalStatus: {
        guard let journalFailure else { return .none }
        return journalFailure().map { .failing($0) } ?? .ok
      })
    do throws(ListenError) {
      server = try Server(
        configuration: ServerConfiguration(addresses: parsed, loopCount: self.eventLoops), metrics: metrics.server,
        onExhaustion: onExhaustion, makeResponder: { context in APIResponder(api, context: context) })
    } catch {
      throw .cannotListen("\(error)")
    }
  }

  /// The current time. Servers that share a store in PostgreSQL use the clock of the database, so that they agree
  /// whatever the clocks of their machines show.
  public var now: Date { Date(timeIntervalSince1970: Double(clock()) / 1_000) }

  /// The addresses that the service listens on, with the ports that the kernel chose.
  public var addresses: [String] { server.addresses.map(\.description) }

  /// Replaces all tokens.
  ///
  /// Event streams and sessions that were opened with a removed token, and streams that were opened when the service
  /// required no token, are closed.
  ///
  /// - Throws: ``ServiceError/invalidAccess(_:)`` for a malformed token, and for a token in both lists. The previous
  ///   tokens then stay valid.
  public func replaceTokens(_ write: [String], reading read: [String] = []) throws(ServiceError) {
    let (write, read) = try AccessPolicy.disjointTokens(write, read)
    replaceTokens(write: write, read: read)
  }

  /// Replaces all tokens.
  package func replaceTokens(write: [AccessToken], read: [AccessToken]) {
    accessControl.replace(AccessTokens(write: write, read: read, secret: key.secret))
  }

  /// Serves requests on this thread until ``stop()`` is called, and leaves the store open.
  ///
  /// Returns after all requests in flight have ended, at most 8 seconds after ``stop()``.
  ///
  /// - Throws: ``ServiceError/noResources(_:)`` if the kernel cannot create a thread or an epoll instance.
  package func runBlocking() throws(ServiceError) {
    do throws(Errno) { try server.run() } catch { throw .noResources("\(error)") }
    if let reason = replacement.withLock({ $0?.reason }) { throw .stateReplaced(reason) }
  }

  /// Starts a graceful shutdown. Can be called from any thread, and more than once.
  public func stop() { server.stop() }

  deinit { closeStore() }
}

extension Errno {
  /// The warning that no connection can be accepted.
  fileprivate var acceptWarning: String {
    guard self == .tooManyOpenFiles else { return "new connections wait: \(self)" }
    return "no file descriptors are left (limit \(ProcessMetrics.descriptorLimit)), so new connections wait: raise "
      + "LimitNOFILE in the systemd unit, nofile of the container, or ulimit -n"
  }
}

extension StoreOperations {
  /// Opens the store. If another server has it open, waits for that server to stop.
  ///
  /// - Parameters:
  ///   - limit: The time to wait.
  ///   - onWait: Called once before the wait.
  ///   - shouldStop: Called while waiting; returns true to give up.
  func open<Root: Sendable>(
    _ opening: StoreOpening<Root>, waiting limit: Duration, onWait: () -> Void, shouldStop: () -> Bool
  ) throws -> OpenStore<Root> {
    let deadline = ContinuousClock.now + limit
    var isWaiting = false
    while true {
      do {
        return try open(opening)
      } catch let error as StoreDriverError where error.kind == .inUse {
        guard ContinuousClock.now < deadline, !shouldStop() else { throw error }
      }
      if !isWaiting { onWait() }
      isWaiting = true
      Thread.sleep(milliseconds: 50)
    }
  }

  fileprivate func open<Root: Sendable>(
    _ opening: StoreOpening<Root>, waiting limit: Duration
  ) throws(ServiceError) -> OpenStore<Root> {
    do {
      return try open(opening, waiting: limit, onWait: {}, shouldStop: { false })
    } catch let error as StoreDriverError {
      throw .store(error)
    } catch let error as InvalidInitialState {
      throw .invalidInitialState(error.description)
    } catch { throw .store(StoreDriverError(.inputOutput, "\(error)")) }
  }
}
