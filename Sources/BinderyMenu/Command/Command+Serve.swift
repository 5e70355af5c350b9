import BinderyJournal
import BinderySQLite
import BinderyService
import BinderySystem
import BinderyTelemetry

extension Command {
  /// Runs the server until SIGTERM or SIGINT.
  ///
  /// - Returns: The exit code.
  static func serve(_ options: Options) throws(CommandError) -> Int32 {
    // Block the signals before other threads start: threads inherit the mask, and only this thread receives signals.
    let signals = Signals()
    let log = ServerLog(options.logFormat, level: options.logLevel)
    defer { log.flush() }
    do throws(CommandError) {
      return try serve(options, signals, log)
    } catch {
      // In text format, `run(_:environment:)` prints the error like that of any other command.
      guard options.logFormat == .json else { throw error }
      log.logger.log(.error, error.message)
      return error.code.rawValue
    }
  }

  private static func serve(_ options: Options, _ signals: Signals, _ log: ServerLog) throws(CommandError) -> Int32 {
    let logger = log.logger
    var tokenReloader = try TokenReloader(options)
    let file = try options.store == "memory" ? nil : open(options, signals, logger)
    let storedTimeZone: String?
    do throws(StoreError) { storedTimeZone = try file?.timeZone } catch { throw CommandError(error, options.store) }
    let zoneName = options.timeZone ?? storedTimeZone ?? options.defaultTimeZone
    let clock = DayClock(try timeZone(zoneName))
    let initial = Menu(today: clock.now.today, evening: clock.now.evening)
    let persistence: Persistence
    if let file {
      do throws(StoreError) { try file.store(timeZone: zoneName) } catch { throw CommandError(error, options.store) }
      persistence = try Persistence(file, options, startingWith: initial, logger)
    } else {
      persistence = Persistence(memory: initial)
    }
    defer { persistence.journal?.stop() }
    let service = try service(options, persistence, tokenReloader.policy, log)
    for warning in tokenReloader.warnings { logger.log(.warning, warning) }
    var effective = options
    effective.timeZone = zoneName
    effective.listen = service.addresses
    effective.threads = service.eventLoops
    logger.log(.info, "configuration: \(effective.summary)")
    let serviceThread = ServiceThread(service, logger)
    logger.log(
      .info, "bindery \(version) serves http://\(service.addresses.joined(separator: ", http://"))/state")
    while true {
      switch signals.next(withinMilliseconds: clock.tick(service.store)) {
      case nil: tokenReloader.reloadIfChanged(service, logger)
      case .hangUp?: tokenReloader.reload(service, logger)
      case .interrupt?, .terminate?:
        logger.log(.info, "shutting down")
        service.stop()
        let succeeded = serviceThread.join()
        logger.log(.info, "stopped")
        return succeeded ? 0 : 1
      }
    }
  }

  /// Returns the time zone with an IANA name.
  static func timeZone(_ name: String) throws(CommandError) -> LocalTime {
    if let zone = LocalTime(selecting: name) { return zone }
    throw CommandError(
      .configuration, "“\(name)” is not a time zone: expected an IANA name such as Europe/Rome (is tzdata installed?)")
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

  /// Opens the store. If another server has it open, waits up to `--store-wait` for that server to stop.
  private static func open(
    _ options: Options, _ signals: Signals, _ logger: Logger
  ) throws(CommandError) -> StoreFile {
    let deadline = Clock.monotonicMilliseconds + options.storeWaitMilliseconds
    var isWaiting = false
    while true {
      do throws(StoreError) {
        return try StoreFile(options.store)
      } catch {
        guard error == .inUse, Clock.monotonicMilliseconds < deadline else { throw CommandError(error, options.store) }
      }
      if !isWaiting { logger.log(.info, "\(options.store) is in use by another server: waiting for it to stop") }
      isWaiting = true
      switch signals.next(withinMilliseconds: 50) {
      case nil, .hangUp?: continue
      case .interrupt?, .terminate?:
        throw CommandError(.temporaryFailure, "\(options.store): stopped while waiting for another server")
      }
    }
  }
}
