import BinderySystem
import FoundationEssentials

/// The command line tool `bindery`.
package enum Command {
  /// The version of the tool and of the menu's OpenAPI document.
  package static let version = "0.1.0"

  /// Runs the command with the arguments and environment of this process, and exits.
  package static func main() -> Never {
    do throws(Errno) { try StandardStreams.openMissing() } catch { Process.exit(CommandError.Code.osError.rawValue) }
    Signals.blockWriteSignals()
    Process.exit(run(Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
  }

  /// Runs a command.
  ///
  /// - Returns: The exit code: 0 for success, 1 if the service failed or is not ready, or ``CommandError/Code``.
  package static func run(_ arguments: [String], environment: [String: String]) -> Int32 {
    let remaining = arguments.dropFirst()
    if remaining.contains("--help") || remaining.contains("-h") {
      print(Help.text)
      return 0
    }
    do throws(CommandError) {
      switch arguments.first {
      case "serve"?:
        let options = try options(remaining, environment, allowsCheck: true)
        if options.checksOnly { try check(options) } else { return try serve(options) }
      case "health"?: return try health(options(remaining, environment))
      case "export"?: try export(options(remaining, environment))
      case "import"?: try `import`(options(remaining, environment, operands: 0...1))
      case "backup"?: try backup(options(remaining, environment, operands: 1...1))
      case "openapi"?: try write(MenuService.openAPI)
      case "version"?, "--version"?: print("bindery \(version)")
      case "--help"?, "-h"?, "help"?: print(Help.text)
      case nil: throw CommandError(.usage, "missing command\n\n\(Help.text)")
      case let other?:
        throw CommandError(.usage, "unknown command “\(other)”: run bindery --help for a list of commands")
      }
      return 0
    } catch {
      StandardError.print("bindery: \(error.message)")
      return error.code.rawValue
    }
  }

  /// Parses the options of a command.
  ///
  /// - Parameters:
  ///   - operands: The number of arguments that are not options.
  ///   - allowsCheck: Whether the command supports `--check`.
  private static func options(
    _ arguments: ArraySlice<String>, _ environment: [String: String], operands: ClosedRange<Int> = 0...0,
    allowsCheck: Bool = false
  ) throws(CommandError) -> Options {
    let options: Options
    do throws(UsageError) {
      options = try Options(arguments: arguments, environment: environment)
    } catch { throw CommandError(error.isFromEnvironment ? .configuration : .usage, error.message) }
    guard allowsCheck || !options.checksOnly else {
      throw CommandError(.usage, "only the command serve accepts --check")
    }
    guard operands.contains(options.operands.count) else {
      throw CommandError(
        .usage,
        options.operands.last.map { "unexpected argument “\($0)”" } ?? "missing argument: expected a file name")
    }
    return options
  }

  /// Queries the readiness of the server at `--listen`.
  private static func health(_ options: Options) throws(CommandError) -> Int32 {
    guard let address = options.listen.first.flatMap(SocketAddress.init) else {
      throw CommandError(.usage, "--listen needs an address, such as 127.0.0.1:8080")
    }
    switch HealthCheck.readiness(of: address) {
    case .success(let status) where status == 200: return 0
    case .success(let status):
      StandardError.print("bindery: the server at \(address) is not ready: GET /readyz returned status \(status)")
    case .failure(let error): StandardError.print("bindery: the server at \(address) does not respond: \(error)")
    }
    return 1
  }
}
