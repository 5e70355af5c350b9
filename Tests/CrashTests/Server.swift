import BinderyTestKit

/// A process that runs the command `serve` of a program on a free port.
final class Server {
  /// The host and port that the server listens on.
  let address: String
  /// The output on stderr until the server was ready.
  let startupOutput: String
  private let process: ChildProcess
  private let errors: ServerErrors

  /// Starts a server and waits until it is ready.
  ///
  /// - Parameter store: The location of the store; nil for the default.
  /// - Parameter program: The name of the executable.
  /// - Parameter onOutput: Called with the whole output so far whenever there is more.
  /// - Parameter shell: A shell command that runs the server, whose command line is appended.
  init(
    store: String? = nil, program: String = "bindery", options: [String] = [], environment: [String: String] = [:],
    shell: String? = nil,
    onOutput: (String) -> Void = { _ in }
  ) throws {
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--threads", "1"] + (store.map { ["--store", $0] } ?? [])
    let command = try Self.command(program, arguments + options, shell)
    process = try ChildProcess(
      command.path, command.arguments,
      environment: environment.merging(ChildProcess.sanitizerOptions) { given, _ in given },
      errors: .pipe)
    startupOutput = try process.readErrors {
      onOutput($0)
      return $0.contains(/serves http:.*\n/)
    }
    errors = try ServerErrors(process, after: startupOutput)
    address = String(startupOutput.split(separator: "http://")[1].prefix { $0 != "/" })
  }

  // The thread that reads the output keeps the process.
  deinit { process.kill() }

  /// A client with a new connection to the server.
  var client: SocketClient { get throws { try SocketClient(address) } }

  var processID: Int32 { process.id }

  /// The output on stderr; complete after the end of the process.
  var output: String { process.isRunning ? errors.text : errors.completeText }

  /// Kills the process with SIGKILL and waits for its end.
  func kill() { process.kill() }

  /// Terminates the process with SIGTERM and waits for its end.
  ///
  /// - Returns: The exit code.
  func stop() -> Int32 { process.stop() }

  /// Returns the command that runs an executable.
  ///
  /// - Parameter shell: A shell command that runs the executable, whose command line is appended.
  private static func command(
    _ program: String, _ arguments: [String], _ shell: String?
  ) throws -> (path: String, arguments: [String]) {
    let executable = try ChildProcess.builtProgram(program)
    guard let shell else { return (executable, arguments) }
    return ("/bin/sh", ["-c", "\(shell) \"$0\" \"$@\"", executable] + arguments)
  }

  /// Runs a command and waits for its end.
  static func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:], shell: String? = nil
  ) throws -> ChildProcess.Result {
    let command = try command("bindery", arguments, shell)
    return try ChildProcess.run(
      command.path, command.arguments,
      environment: environment.merging(ChildProcess.sanitizerOptions) { given, _ in given }, input: input)
  }
}
