import Journaling
import Menu
import SQLiteJournal
import Serving
import Sockets

extension Command {
  /// Serves until a signal says that it is enough.
  static func serve(_ options: Options) throws(CommandError) -> Int32 {
    // Before any other thread: signals are for this one, and the time zone is the process's.
    let signals = Signals()
    var doorkeeper = try Doorkeeper(options)
    let file = try options.store == "memory" ? nil : open(options, signals)
    let kept: String?
    do throws(StoreError) { kept = try file?.timeZone } catch { throw CommandError(error, options.store) }
    let name = options.timeZone ?? kept ?? options.defaultTimeZone
    let clock = DayClock(try zone(name))
    let initial = Menu(today: clock.now.today, evening: clock.now.evening)
    let keeping: Keeping
    if let file {
      do throws(StoreError) { try file.keep(timeZone: name) } catch { throw CommandError(error, options.store) }
      keeping = try Keeping(file, options, startingWith: initial)
    } else {
      keeping = Keeping(memory: initial)
    }
    defer { keeping.journal?.stop() }
    let service = try service(options, keeping, doorkeeper.policy)
    for warning in doorkeeper.warnings { StandardError.print("bindery: \(warning)") }
    var inEffect = options
    inEffect.timeZone = name
    inEffect.listen = service.addresses
    inEffect.threads = service.eventLoops
    StandardError.print("bindery: configuration: \(inEffect.summary)")
    let outcome = ServiceThread(service)
    StandardError.print("bindery \(version) serves http://\(service.addresses.joined(separator: ", http://"))/state")
    while true {
      switch signals.next(withinMilliseconds: clock.tick(service.store)) {
      case nil: doorkeeper.reloadIfChanged(service)
      case .hangUp?: doorkeeper.reload(service)
      case .interrupt?, .terminate?:
        service.stop()
        return outcome.join() ? 0 : 1
      }
    }
  }

  static func zone(_ name: String) throws(CommandError) -> LocalTime {
    if let zone = LocalTime(selecting: name) { return zone }
    throw CommandError(.configuration, "there is no time zone “\(name)” on this machine (is tzdata installed?)")
  }

  private static func service(
    _ options: Options, _ keeping: Keeping, _ access: AccessPolicy
  ) throws(CommandError) -> Service<Menu> {
    do throws(ServiceError) {
      return try MenuService.make(options, keeping, access)
    } catch {
      switch error {
      case .malformedAddress: throw CommandError(.usage, "\(error)")
      case .unprotected, .invalidAccess: throw CommandError(.configuration, "\(error)")
      case .cannotListen, .noResources: throw CommandError(.unavailable, "\(error)")
      }
    }
  }

  /// Opens the store, and waits for another server to end if it may.
  private static func open(_ options: Options, _ signals: Signals) throws(CommandError) -> StoreFile {
    let end = Clock.monotonicMilliseconds + options.storeWait
    var isWaiting = false
    while true {
      do throws(StoreError) {
        return try StoreFile(options.store)
      } catch {
        guard error == .owned, Clock.monotonicMilliseconds < end else { throw CommandError(error, options.store) }
      }
      if !isWaiting { StandardError.print("bindery: \(options.store): waiting for the server that has it") }
      isWaiting = true
      switch signals.next(withinMilliseconds: 50) {
      case nil, .hangUp?: continue
      case .interrupt?, .terminate?: throw CommandError(.temporaryFailure, "\(options.store): stopped while waiting")
      }
    }
  }
}
