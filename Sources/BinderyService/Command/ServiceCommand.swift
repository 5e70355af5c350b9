public import BinderyCore
import BinderySystem
import FoundationEssentials

/// A program that serves a model: `serve`, `check`, `health`, `backup`, `restore`, `export`, `import`, `openapi`,
/// `types` and `version`, with options, environment variables, logs, tokens and signals.
///
///     @main
///     struct Counter: ServiceCommand {
///       static let initial = CounterState()
///     }
public protocol ServiceCommand: SendableMetatype {
  /// The type of the state.
  associatedtype State: StateModel

  /// The state of a new store. Define this or ``makeInitial(_:)``.
  ///
  /// The commands `serve` and `openapi` end with its description if it throws an error.
  static var initial: State { get throws }
  /// Returns the state of a new store. Called only for a new store, and for the OpenAPI document.
  ///
  /// - Throws: Any error. The program prints its description, and its exit code is 78.
  static func makeInitial(_ launch: Launch) throws -> State

  /// The name of the program, in messages, as the prefix of environment variables and as the name of the default store.
  /// The default is the name of the executable.
  static var name: String { get }
  /// The title in the OpenAPI document. The default is the name.
  static var title: String { get }
  /// A description of the program in a few words, for the help.
  static var summary: String { get }
  /// The version of the program and its OpenAPI document. The default is 0.
  static var version: String { get }
  /// The program's own options.
  static var options: [CommandOption] { get }
  /// Whether `--model FILE` and `--from FILE` serve the model of a file instead of ``State``. The default is false.
  static var servesModelFiles: Bool { get }
  /// The stores that `--store` can name; the first one is the default.
  static var stores: [any StoreDriver] { get }

  /// Changes the settings of the service before it starts: files, limits, hooks for logs and metrics.
  ///
  /// - Throws: Any error. The program prints its description, and its exit code is 78.
  static func configure(_ service: inout ServiceConfiguration<State>) throws
  /// Changes the settings of the service, like ``configure(_:)``, and gets the options of the program.
  ///
  /// - Throws: Any error. The program prints its description, and its exit code is 78.
  static func configure(_ service: inout ServiceConfiguration<State>, _ launch: Launch) throws

  /// Runs while the service serves requests: reads, commits, and watches places.
  ///
  /// The task is cancelled when the service stops. If it returns before, serving continues.
  ///
  /// - Throws: Any error. The service then stops, and the exit code of the program is 70.
  static func background(_ service: Service<State>) async throws
  /// Runs while the service serves requests, like ``background(_:)``, and gets the options of the program.
  ///
  /// - Throws: Any error. The service then stops, and the exit code of the program is 70.
  static func background(_ service: Service<State>, _ launch: Launch) async throws
}

extension ServiceCommand {
  /// The default: an error that names what to define.
  public static var initial: State { get throws { throw MissingInitialState(program: "\(Self.self)") } }
  /// The default: ``initial``.
  public static func makeInitial(_ launch: Launch) throws -> State { try initial }
  /// The default: the name of the executable.
  public static var name: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "\(Self.self)"
  }
  /// The default: the name.
  public static var title: String { name }
  /// The default: a general description.
  public static var summary: String { "an HTTP JSON service over editable state" }
  /// The default: 0.
  public static var version: String { "0" }
  /// The default: none.
  public static var options: [CommandOption] { [] }
  /// The default: no options `--model` and `--from`.
  public static var servesModelFiles: Bool { false }
  /// The default: SQLite files, and a store in memory.
  public static var stores: [any StoreDriver] { [.sqlite, .memory] }
  /// The default: no changes.
  public static func configure(_ service: inout ServiceConfiguration<State>) throws {}
  /// The default: ``configure(_:)``, without the options.
  public static func configure(_ service: inout ServiceConfiguration<State>, _ launch: Launch) throws {
    try configure(&service)
  }
  /// The default: returns at once.
  public static func background(_ service: Service<State>) async throws {}
  /// The default: ``background(_:)``, without the options.
  public static func background(_ service: Service<State>, _ launch: Launch) async throws {
    try await background(service)
  }

  /// Runs the program with the arguments and the environment of this process, and exits.
  public static func main() async {
    do throws(Errno) { try StandardStreams.openMissing() } catch { Process.exit(CommandError.Code.osError.rawValue) }
    SignalWatcher.ignoreWriteSignals()
    Process.returnLargeBlocks()
    let arguments = Array(CommandLine.arguments.dropFirst())
    Process.exit(await run(arguments, environment: ProcessInfo.processInfo.environment))
  }

  /// Runs the program.
  ///
  /// - Parameter arguments: The arguments after the name of the executable.
  /// - Returns: The exit code: 0 for success, 1 if the service failed or is not ready, 70 if ``background(_:_:)``
  ///   threw, else a code of sysexits.h.
  public static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
    if let mistake = program.optionMistake {
      StandardError.printError("\(name): \(mistake)")
      return CommandError.Code.configuration.rawValue
    }
    guard let options = Options.modelFile(arguments, environment, program) else {
      return await Command(main: CommandProgram(Self.self)).run(arguments, environment)
    }
    do throws(CommandError) {
      return await Command(main: CommandProgram(try ModelSource(options), program)).run(arguments, environment)
    } catch {
      StandardError.printError("\(name): \(error.message)")
      return error.code.rawValue
    }
  }

  /// The constants of the program.
  package static var program: Program {
    Program(
      name: name, summary: summary, version: version, options: options,
      stores: stores.map(\.implementation.operations), servesModelFiles: servesModelFiles)
  }
}

/// The error of a program without an initial state.
struct MissingInitialState: Error, CustomStringConvertible {
  let program: String

  var description: String {
    "\(program) defines neither “initial” nor “makeInitial(_:)”: define one of them as the state of a new store"
  }
}

extension CommandProgram where State: StateModel {
  /// Creates the value of a program in Swift.
  init<Main: ServiceCommand>(_ main: Main.Type) where Main.State == State {
    self.init(
      program: main.program, title: main.title, model: ModelDefinition(), makeInitial: { try Main.makeInitial($0) },
      configure: { try Main.configure(&$0, $1) }, background: { try await Main.background($0, $1) })
  }
}
