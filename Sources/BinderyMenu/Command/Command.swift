import BinderySystem
import FoundationEssentials

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
      print(Help.text)
      return 0
    }
    do throws(CommandError) {
      switch arguments.first {
      case "serve"?:
        let options = try options(rest, environment, mayCheck: true)
        if options.checksOnly { try check(options) } else { return try serve(options) }
      case "health"?: return try health(options(rest, environment))
      case "export"?: try export(options(rest, environment))
      case "import"?: try `import`(options(rest, environment, operands: 0...1))
      case "backup"?: try backup(options(rest, environment, operands: 1...1))
      case "openapi"?: print(MenuService.openAPI, terminator: "")
      case "version"?, "--version"?: print("bindery \(version)")
      case "--help"?, "-h"?, "help"?: print(Help.text)
      case nil: throw CommandError(.usage, "what shall I do?\n\n\(Help.text)")
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
    _ arguments: ArraySlice<String>, _ environment: [String: String], operands: ClosedRange<Int> = 0...0,
    mayCheck: Bool = false
  ) throws(CommandError) -> Options {
    let options: Options
    do throws(UsageError) {
      options = try Options(arguments: arguments, environment: environment)
    } catch { throw CommandError(error.isOfEnvironment ? .configuration : .usage, error.message) }
    guard mayCheck || !options.checksOnly else { throw CommandError(.usage, "--check is an option of serve") }
    guard operands.contains(options.operands.count) else {
      throw CommandError(
        .usage,
        options.operands.last.map { "I do not know what to do with “\($0)”" } ?? "the name of a file is missing")
    }
    return options
  }

  private static func health(_ options: Options) throws(CommandError) -> Int32 {
    guard let address = options.listen.first.flatMap(SocketAddress.init) else {
      throw CommandError(.usage, "--listen is no address")
    }
    switch HealthCheck.ask(address) {
    case .success(let status) where status == 200: return 0
    case .success(let status): StandardError.print("bindery: \(address) answered \(status)")
    case .failure(let error): StandardError.print("bindery: \(address) does not answer: \(error)")
    }
    return 1
  }
}
