import Digests
import FoundationEssentials
import Journaling
import Menu
import Resources
import SQLiteJournal
import Serving
import Shapes
import Sockets
import State

/// The command `bindery`.
package enum Command {
  package static let version = "0.1.0"

  /// Runs the command that this process was started with.
  package static func main() -> Never {
    Process.end(run(Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
  }

  /// Runs the command and returns its exit code: 0, or one that says what was wrong (``CommandError/Code``).
  package static func run(_ arguments: [String], environment: [String: String]) -> Int32 {
    let rest = arguments.dropFirst()
    if rest.contains("--help") || rest.contains("-h") {
      print(help)
      return 0
    }
    do throws(CommandError) {
      switch arguments.first {
      case "serve"?: return try serve(options(rest, environment))
      case "health"?: return try health(options(rest, environment))
      case "export"?: try export(options(rest, environment))
      case "import"?: try `import`(options(rest, environment, operands: 0...1))
      case "backup"?: try backup(options(rest, environment, operands: 1...1))
      case "openapi"?: print(MenuService.openAPI, terminator: "")
      case "version"?, "--version"?: print("bindery \(version)")
      case "--help"?, "-h"?, "help"?: print(help)
      case nil: throw CommandError(.usage, "what shall I do?\n\n\(help)")
      case let other?:
        throw CommandError(.usage, "there is no command “\(other)”; bindery --help lists them")
      }
      return 0
    } catch {
      StandardError.print("bindery: \(error.message)")
      return error.code.rawValue
    }
  }

  private static func options(
    _ arguments: ArraySlice<String>, _ environment: [String: String], operands: ClosedRange<Int> = 0...0
  ) throws(CommandError) -> Options {
    let options: Options
    do throws(UsageError) {
      options = try Options(arguments: arguments, environment: environment)
    } catch { throw CommandError(.usage, error.message) }
    guard operands.contains(options.operands.count) else {
      throw CommandError(
        .usage,
        options.operands.last.map { "I do not know what to do with “\($0)”" } ?? "the name of a file is missing")
    }
    return options
  }

  private static func serve(_ options: Options) throws(CommandError) -> Int32 {
    // Before any other thread: signals are for this one, and the time zone is the process's.
    let signals = Signals()
    let file = try options.store == "memory" ? nil : open(options, signals)
    let name = options.timeZone ?? file?.timeZone ?? options.defaultTimeZone
    guard let zone = LocalTime(selecting: name) else {
      throw CommandError(
        .configuration, "there is no time zone “\(name)” on this machine (is tzdata installed?)")
    }
    let clock = DayClock(zone)
    let initial = Menu(today: clock.now.today, evening: clock.now.evening)
    let keeping: Keeping
    if let file {
      do throws(StoreError) { try file.keep(timeZone: name) } catch { throw CommandError(error, options.store) }
      keeping = try Keeping(file, options, startingWith: initial)
    } else {
      keeping = Keeping(memory: initial)
    }
    defer { keeping.journal?.stop() }
    let service: Service<Menu>
    do throws(ServiceError) {
      service = try MenuService.make(options, keeping)
    } catch .malformedAddress(let text) {
      throw CommandError(.usage, "\(ServiceError.malformedAddress(text))")
    } catch {
      throw CommandError(.unavailable, "\(error)")
    }
    let outcome = ServiceThread(service)
    StandardError.print("bindery \(version) serves http://\(service.addresses.joined(separator: ", http://"))/state")
    while true {
      switch signals.next(withinMilliseconds: clock.tick(service.store)) {
      case nil, .hangUp?: continue
      case .interrupt?, .terminate?:
        service.stop()
        return outcome.join() ? 0 : 1
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

  private static func health(_ options: Options) throws(CommandError) -> Int32 {
    guard let address = options.listen.first.flatMap(Address.init) else {
      throw CommandError(.usage, "--listen is no address")
    }
    switch HealthCheck.ask(address) {
    case .success(let status) where status == 200: return 0
    case .success(let status): StandardError.print("bindery: \(address) answered \(status)")
    case .failure(let error): StandardError.print("bindery: \(address) does not answer: \(error)")
    }
    return 1
  }

  private static var help: String {
    let flags = Options.flags.map { flag in
      let name = "\(flag.name) \(flag.value)"
      return "  \(name)\(String(repeating: " ", count: max(1, 24 - name.count)))\(flag.help) [\(flag.variable)]"
    }
    return """
      bindery: editable state over HTTP; every place a URL, every URL a binding

      usage: bindery serve [options]     serve the menu until SIGTERM
             bindery health [options]    ask the server at --listen whether it is ready
             bindery export              print the state of --store as JSON
             bindery import [FILE]       make the JSON of a file, or of the input, the state of --store
             bindery backup FILE         copy --store, which a server may have, to a new file
             bindery openapi             print the OpenAPI document
             bindery version

      options, each also as a variable of the environment:
      \(flags.joined(separator: "\n"))
      """
  }
}
