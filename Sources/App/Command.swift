import Digests
import FoundationEssentials
import Menu
import Resources
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

  /// Runs the command and returns its exit code: 0, 64 for a wrong command line, 78 for a setting that cannot be used,
  /// 69 where the address is taken, 1 for anything else (sysexits.h).
  package static func run(_ arguments: [String], environment: [String: String]) -> Int32 {
    switch arguments.first {
    case "serve"?: return serve(arguments.dropFirst(), environment)
    case "health"?: return health(arguments.dropFirst(), environment)
    case "openapi"?:
      print(MenuService.openAPI, terminator: "")
      return 0
    case "version"?, "--version"?:
      print("bindery \(version)")
      return 0
    case "--help"?, "-h"?, "help"?:
      print(help)
      return 0
    case nil: return fail(64, "what shall I do?\n\n\(help)")
    case let other?: return fail(64, "there is no command “\(other)”; bindery --help lists them")
    }
  }

  private static func fail(_ code: Int32, _ message: String) -> Int32 {
    StandardError.print("bindery: \(message)")
    return code
  }

  private static func serve(_ arguments: ArraySlice<String>, _ environment: [String: String]) -> Int32 {
    // Before any other thread: signals are for this one, and the time zone is the process's.
    let signals = Signals()
    let options: Options
    do throws(UsageError) {
      options = try Options(arguments: arguments, environment: environment)
    } catch {
      return fail(64, error.message)
    }
    guard let zone = LocalTime(selecting: options.timeZone) else {
      return fail(78, "there is no time zone “\(options.timeZone)” on this machine (is tzdata installed?)")
    }
    let clock = DayClock(zone)
    let service: Service<Menu>
    do throws(ServiceError) {
      service = try MenuService.make(options, clock)
    } catch .malformedAddress(let text) {
      return fail(64, "\(ServiceError.malformedAddress(text))")
    } catch {
      return fail(69, "\(error)")
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

  private static func health(_ arguments: ArraySlice<String>, _ environment: [String: String]) -> Int32 {
    let options: Options
    do throws(UsageError) {
      options = try Options(arguments: arguments, environment: environment)
    } catch {
      return fail(64, error.message)
    }
    guard let address = options.listen.first.flatMap(Address.init) else { return fail(64, "--listen is no address") }
    switch HealthCheck.ask(address) {
    case .success(let status) where status == 200: return 0
    case .success(let status): return fail(1, "\(address) answered \(status)")
    case .failure(let error): return fail(1, "\(address) does not answer: \(error)")
    }
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
             bindery openapi             print the OpenAPI document
             bindery version

      options, each also as a variable of the environment:
      \(flags.joined(separator: "\n"))
      """
  }
}
