import BinderyJournal
import BinderySQLite
import BinderyService
import BinderySystem
import BinderyTelemetry

extension Command {
  /// Serves until a signal says that it is enough.
  static func serve(_ options: Options) throws(CommandError) -> Int32 {
    // Before any other thread: signals are for this one.
    let signals = Signals()
    let log = ServerLog(options.logFormat, level: options.logLevel)
    defer { log.flush() }
    do throws(CommandError) {
      return try serve(options, signals, log)
    } catch {
      // For people it is told as any command tells it.
      guard options.logFormat == .json else { throw error }
      log.logger.log(.error, error.message)
      return error.code.rawValue
    }
  }

  private static func serve(_ options: Options, _ signals: Signals, _ log: ServerLog) throws(CommandError) -> Int32 {
    let logger = log.logger
    var tokenReloader = try TokenReloader(options)
    let file = try options.store == "memory" ? nil : open(options, signals, logger)
    let kept: String?
    do throws(StoreError) { kept = try file?.timeZone } catch { throw CommandError(error, options.store) }
    let name = options.timeZone ?? kept ?? options.defaultTimeZone
    let clock = DayClock(try zone(name))
    let initial = Menu(today: clock.now.today, evening: clock.now.evening)
    let persistence: Persistence
    if let file {
      do throws(StoreError) { try file.keep(timeZone: name) } catch { throw CommandError(error, options.store) }
      persistence = try Persistence(file, options, startingWith: initial, logger)
    } else {
      persistence = Persistence(memory: initial)
    }
    defer { persistence.journal?.stop() }
    let service = try service(options, persistence, tokenReloader.policy, log)
    for warning in tokenReloader.warnings { logger.log(.warning, warning) }
    var inEffect = options
    inEffect.timeZone = name
    inEffect.listen = service.addresses
    inEffect.threads = service.eventLoops
    logger.log(.info, "configuration: \(inEffect.summary)")
    let outcome = ServiceThread(service, logger)
    logger.log(
      .info, "bindery \(version) serves http://\(service.addresses.joined(separator: ", http://"))/state")
    while true {
      switch signals.next(withinMilliseconds: clock.tick(service.store)) {
      case nil: tokenReloader.reloadIfChanged(service, logger)
      case .hangUp?: tokenReloader.reload(service, logger)
      case .interrupt?, .terminate?:
        logger.log(.info, "stopping")
        service.stop()
        let isFine = outcome.join()
        logger.log(.info, "stopped")
        return isFine ? 0 : 1
      }
    }
  }

  static func zone(_ name: String) throws(CommandError) -> LocalTime {
    if let zone = LocalTime(selecting: name) { return zone }
    throw CommandError(.configuration, "there is no time zone “\(name)” on this machine (is tzdata installed?)")
  }

  private static func service(
    _ options: Options, _ persistence: Persistence, _ access: AccessPolicy, _ log: ServerLog
  ) throws(CommandError) -> Service<Menu> {
    do throws(ServiceError) {
      return try MenuService.make(options, persistence, access, log)
    } catch {
      switch error {
      case .malformedAddress: throw CommandError(.usage, "\(error)")
      case .unprotected, .invalidAccess: throw CommandError(.configuration, "\(error)")
      case .cannotListen, .noResources: throw CommandError(.unavailable, "\(error)")
      }
    }
  }

  /// Opens the store, and waits for another server to end if it may.
  private static func open(
    _ options: Options, _ signals: Signals, _ logger: Logger
  ) throws(CommandError) -> StoreFile {
    let end = Clock.monotonicMilliseconds + options.storeWait
    var isWaiting = false
    while true {
      do throws(StoreError) {
        return try StoreFile(options.store)
      } catch {
        guard error == .owned, Clock.monotonicMilliseconds < end else { throw CommandError(error, options.store) }
      }
      if !isWaiting { logger.log(.info, "\(options.store): waiting for the server that has it") }
      isWaiting = true
      switch signals.next(withinMilliseconds: 50) {
      case nil, .hangUp?: continue
      case .interrupt?, .terminate?: throw CommandError(.temporaryFailure, "\(options.store): stopped while waiting")
      }
    }
  }
}
