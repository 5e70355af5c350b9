import BinderyAPI
import BinderyCore
import BinderySync
import BinderySystem
import BinderyTelemetry
import Synchronization

/// An event that the command `serve` handles.
private enum ServerEvent: Sendable {
  case signal(Signal)
  /// Time to look for changed token files.
  case tick
  /// The background work has ended; with an error unless it returned.
  case backgroundEnded((any Error)?)
  case serverEnded(ServiceError?)
}

/// The events of one run of the server, and the signals to the process.
private struct ServerEvents {
  private typealias Element = (run: Int?, event: ServerEvent)

  private let stream: AsyncStream<Element>
  private let input: AsyncStream<Element>.Continuation
  /// The number of the run. Work of an earlier run may end later than its server.
  private var run = 0

  init() { (stream, input) = AsyncStream.makeStream(of: Element.self) }

  mutating func beginRun() { run += 1 }

  func send(_ signal: Signal) { input.yield((nil, .signal(signal))) }
  func send(_ event: ServerEvent) { input.yield((run, event)) }

  /// Returns the next event of this run.
  func next() async -> ServerEvent? {
    for await (run, event) in stream where run == nil || run == self.run { return event }
    return nil
  }
}

extension Command {
  /// Runs the server until SIGTERM or SIGINT.
  ///
  /// - Returns: The exit code.
  func serve(_ options: Options, _ environment: [String: String]) async throws(CommandError) -> Int32 {
    let log = ServerLog(options.logFormat, level: options.logLevel)
    defer { log.flush() }
    let events = ServerEvents()
    let isStopping = StopFlag()
    // A task of its own, which still receives events when the caller's task is cancelled.
    let task = Task { () -> Result<Int32, CommandError> in
      do throws(CommandError) {
        return .success(try await serve(options, environment, log, events, isStopping))
      } catch { return .failure(error) }
    }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      isStopping.set()
      events.send(Signal.terminate)
    }
    do throws(CommandError) { return try result.get() } catch {
      // In text format, `run(_:_:)` prints the error, as for all other commands.
      guard options.logFormat == .json else { throw error }
      log.logger.log(.error, message(of: error))
      return error.code.rawValue
    }
  }

  /// Runs the server, and starts it again when other servers have replaced the state.
  ///
  /// - Returns: The exit code.
  private func serve(
    _ options: Options, _ environment: [String: String], _ log: ServerLog, _ events: ServerEvents,
    _ isStopping: StopFlag
  ) async throws(CommandError) -> Int32 {
    var events = events
    let watcher: SignalWatcher
    do throws(Errno) {
      watcher = try SignalWatcher(Set(Signal.allCases)) { [events] signal in
        if signal != .hangUp { isStopping.set() }
        events.send(signal)
      }
    } catch { throw CommandError(.osError, "cannot watch signals: \(error)") }
    defer { watcher.cancel() }
    try options.checkSync()
    try main.source?.write()
    var options = options
    var isRestart = false
    var lastFailure: String?
    while true {
      let code: Int32
      events.beginRun()
      do throws(CommandError) {
        code = try await serveOnce(options, environment, log, events, isStopping)
      } catch {
        // A signal during the wait for another server, or for the database, is an ordinary shutdown.
        if isStopping.isSet(), isRestart || error.code == .temporaryFailure {
          log.logger.log(.info, error.message)
          return 0
        }
        // The database may be away when a replaced state is to be loaded.
        guard isRestart, error.code == .ioError else { throw error }
        if error.message != lastFailure { log.logger.log(.error, "\(error.message) Trying again each second.") }
        lastFailure = error.message
        try? await Task.sleep(for: .seconds(1))
        if isStopping.isSet() { return 0 }
        continue
      }
      lastFailure = nil
      // With a data file, a supervisor starts the program again.
      guard code == CommandError.Code.temporaryFailure.rawValue, !isStopping.isSet(), main.source?.data == nil else {
        return code
      }
      options.reseeds = false
      isRestart = true
    }
  }

  /// Opens the store and runs the server until it stops.
  ///
  /// - Returns: The exit code, which is that of a temporary failure if other servers have replaced the state.
  private func serveOnce(
    _ options: Options, _ environment: [String: String], _ log: ServerLog, _ events: ServerEvents,
    _ isStopping: StopFlag
  ) async throws(CommandError) -> Int32 {
    var tokens = try TokenReloader(options)
    let (open, configuration, launch) = try open(options, environment, log, isStopping)
    main.source?.data?.release()
    let service: Service<State>
    do throws(ServiceError) {
      service = try Service(open, listeningOn: options.listen, access: tokens.policy, configuration: configuration)
    } catch {
      open.close()
      throw CommandError(error)
    }
    let logger = configuration.effectiveLogger
    for warning in tokens.warnings { logger.log(.warning, warning) }
    for line in main.source?.report(isWritten: true) ?? [] { logger.log(line.level, line.message) }
    var effective = options
    effective.values = launch.values
    effective.listen = service.addresses
    effective.threads = service.eventLoops
    logger.log(.info, "configuration: \(effective.summary)")
    let sync: DataFileSync<State>?
    do throws(CommandError) { sync = try startSync(service.store, options, logger) } catch {
      await service.close()
      throw error
    }
    let tasks = start(service, launch, events)
    let message = startMessage(service, hasPage: configuration.hasPage)
    logger.log(.info, message)
    let manager = ServiceManager(environment, logger)
    manager?.reportReady(message)
    let code = await supervise(service, events, tasks, &tokens, logger, manager)
    await stop(sync)
    await service.close()
    logger.log(.info, "stopped")
    return code
  }

  /// Returns the message about the addresses of the page, which is the console if the service has none of its own.
  private func startMessage(_ service: Service<State>, hasPage: Bool) -> String {
    let base = service.basePath.text
    let urls = service.addresses.map {
      $0.hasPrefix("unix:") ? $0 : "http://\($0)\(base)/\(hasPage ? "" : "console")"
    }
    return "\(name) \(main.program.version) serves \(urls.joined(separator: ", ")); the state is at \(base)/state"
  }

  /// Opens the store. If another server has it open, waits up to `--store-wait` for that server to stop.
  private func open(
    _ options: Options, _ environment: [String: String], _ log: ServerLog, _ isStopping: StopFlag
  ) throws(CommandError) -> (OpenStore<State>, ServiceConfiguration<State>, Launch) {
    // Before the store is opened, which would create it in the folder.
    if let folder = options.www {
      do { _ = try WebFolder(folder, withoutServing: options.privateFiles) } catch { throw CommandError(error) }
    }
    var result: (ServiceConfiguration<State>, Launch)?
    var seed: Seed?
    let names = options.program.options.filter(\.isStored).map(\.storedName) + [Seed.option]
    let opening = StoreOpening<State>(model: model, options: names) { stored in
      let launch = try Launch(options, environment: environment, stored: stored.options, clock: stored.clock)
      var service = try configuration(options, launch)
      service.metrics = [{ log.collect(into: &$0) }, { BuildInfo.collect(version: main.program.version, into: &$0) }]
      service.logger = service.log.map { Logger(handler: $0, level: options.logLevel) } ?? log.logger
      result = (service, launch)
      seed = try main.source?.data.map { try Seed($0, options, stored: stored.options) }
      return StoreOpening.Plan(
        of: model, options: launch.stored.merging(seed?.stored ?? [:]) { $1 }, retention: service.retention,
        logger: service.effectiveLogger, replacesState: options.reseeds, initial: { try main.makeInitial(launch) })
    }
    do {
      let open = try options.driver.open(
        opening, waiting: .milliseconds(options.storeWaitMilliseconds),
        onWait: {
          log.logger.log(.info, "\(options.store) is in use by another server: waiting for it to stop")
        }, shouldStop: isStopping.isSet)
      guard let (service, launch) = result else { preconditionFailure("a driver calls the plan") }
      if let message = seed?.warning, !options.syncs {
        // With `--sync`, the file may have been written from the state.
        let fromFile = try? main.makeInitial(launch)
        let isSame = fromFile.map { model.shape.areSame($0, open.store.snapshot.root) } ?? false
        if !isSame { service.effectiveLogger.log(.warning, message) }
      }
      return (open, service, launch)
    } catch let error as StoreDriverError where error.kind == .inUse && isStopping.isSet() {
      throw CommandError(.temporaryFailure, "\(options.store): stopped while waiting for another server")
    } catch let error as StoreDriverError where error.kind == .inUse {
      throw CommandError(
        .temporaryFailure,
        options.storeWaitMilliseconds == 0
          ? "\(error), or use --store-wait 30 to wait up to 30 seconds for it to stop"
          : "\(options.store): another server still uses the store after \(options.storeWaitTime) (--store-wait): "
            + "stop it, or wait longer")
    } catch { throw CommandError(error) }
  }

  private struct Tasks {
    let background: Task<Void, Never>
    let ticks: Task<Void, Never>
    let events: ServerEvents

    /// Cancels all work, and sends a last tick after a second.
    func cancel() {
      background.cancel()
      ticks.cancel()
      Task { [events] in
        try? await Task.sleep(for: .seconds(1))
        events.send(.tick)
      }
    }
  }

  /// Starts the service, the background work and a clock, which report to the supervisor.
  private func start(
    _ service: Service<State>, _ launch: Launch, _ events: ServerEvents
  ) -> Tasks {
    Task {
      do throws(ServiceError) {
        try await service.serve()
        events.send(.serverEnded(nil))
      } catch { events.send(.serverEnded(error)) }
    }
    let background = Task {
      do {
        try await main.background(service, launch)
        events.send(.backgroundEnded(nil))
      } catch { events.send(.backgroundEnded(error)) }
    }
    let ticks = Task {
      while (try? await Task.sleep(for: .seconds(30))) != nil { events.send(.tick) }
    }
    return Tasks(background: background, ticks: ticks, events: events)
  }

  /// Reacts to events until the server and the background work have ended.
  ///
  /// - Returns: The exit code.
  private func supervise(
    _ service: Service<State>, _ events: ServerEvents, _ tasks: Tasks, _ tokens: inout TokenReloader, _ logger: Logger,
    _ manager: ServiceManager?
  ) async -> Int32 {
    func stop() {
      manager?.reportStopping()
      service.stop()
    }
    var code: Int32 = 0
    var (isServing, isWorking, isStopping) = (true, true, false)
    while isServing || isWorking, let event = await events.next() {
      switch event {
      case .tick:
        // The last tick ends the wait for background work that ignores its cancellation.
        if !isServing {
          logger.log(.warning, "the background work did not end when it was cancelled")
          return code
        }
        tokens.reloadIfChanged(service, logger)
      case .signal(.hangUp): tokens.reload(service, logger)
      case .signal(.interrupt), .signal(.terminate):
        if !isStopping { logger.log(.info, "shutting down") }
        isStopping = true
        stop()
        tasks.background.cancel()
      case .backgroundEnded(let error):
        isWorking = false
        guard let error, !isStopping else { break }
        logger.log(.error, "the background work failed: \(error)")
        (code, isStopping) = (CommandError.Code.software.rawValue, true)
        stop()
      case .serverEnded(let error):
        isServing = false
        isStopping = true
        if case .stateReplaced? = error, let error {
          logger.log(.warning, "\(error)")
          code = CommandError(error).code.rawValue
        } else if let error {
          logger.log(.error, "\(error)")
          code = 1
        }
        tasks.cancel()
      }
    }
    return code
  }
}

/// A flag that a signal sets.
private final class StopFlag: Sendable {
  private let value = Atomic<Bool>(false)

  func set() { value.store(true, ordering: .releasing) }
  func isSet() -> Bool { value.load(ordering: .acquiring) }
}
