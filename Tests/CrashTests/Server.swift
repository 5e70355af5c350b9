import BinderyTestKit
import Foundation
import Glibc

/// A process that runs the command `serve` of a program on a free port.
final class Server {
  enum Failure: Error {
    /// There is no executable at the path.
    case notBuilt(String)
    /// The process exited before it was ready.
    case exited(code: Int32, output: String)
  }

  /// The host and port that the server listens on.
  let address: String
  /// The output on stderr until the server was ready.
  let startupOutput: String
  private let process: Process
  private let errors: ServerErrors

  /// Starts a server and waits until it is ready.
  ///
  /// - Parameter store: The location of the store; nil for the default.
  /// - Parameter program: The name of the executable.
  /// - Parameter onOutput: Called with the whole output so far whenever there is more.
  /// - Parameter shell: A shell command that runs the server, whose command line is appended.
  /// - Throws: ``Failure``
  init(
    store: String? = nil, program: String = "bindery", options: [String] = [], environment: [String: String] = [:],
    shell: String? = nil,
    onOutput: (String) -> Void = { _ in }
  ) throws {
    let errors = Pipe()
    process = try Self.process(
      program,
      ["serve", "--listen", "127.0.0.1:0", "--threads", "1"] + (store.map { ["--store", $0] } ?? []) + options,
      environment, shell)
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    var output = ""
    while output.firstMatch(of: /serves http:.*\n/) == nil {
      let data = errors.fileHandleForReading.availableData
      guard !data.isEmpty else {
        process.waitUntilExit()
        throw Failure.exited(code: process.terminationStatus, output: output)
      }
      output += String(decoding: data, as: UTF8.self)
      onOutput(output)
    }
    startupOutput = output
    self.errors = try ServerErrors(errors.fileHandleForReading, after: output)
    address = String(output.split(separator: "http://")[1].prefix { $0 != "/" })
  }

  deinit { kill() }

  /// A client with a new connection to the server.
  var client: SocketClient { get throws { try SocketClient(address) } }

  var processID: Int32 { process.processIdentifier }

  /// The output on stderr; complete after the end of the process.
  var output: String { process.isRunning ? errors.text : errors.completeText }

  /// Kills the process with SIGKILL and waits for its end.
  func kill() {
    guard process.isRunning else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Terminates the process with SIGTERM and waits for its end.
  ///
  /// - Returns: The exit code.
  func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Returns a process that runs the executable.
  ///
  /// - Parameter shell: A shell command that runs the executable, whose command line is appended.
  private static func process(
    _ program: String, _ arguments: [String], _ environment: [String: String], _ shell: String?
  ) throws -> Process {
    let process = Process()
    let executable = try executable(program)
    process.executableURL = URL(filePath: shell == nil ? executable : "/bin/sh")
    process.arguments = (shell.map { ["-c", "\($0) \"$0\" \"$@\"", executable] } ?? []) + arguments
    process.environment = environment.merging(sanitizerOptions) { given, _ in given }
    return process
  }

  /// Runs a command and waits for its end.
  ///
  /// - Returns: The exit code and the output on stdout and stderr.
  static func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:], shell: String? = nil
  ) throws -> (code: Int32, output: String, errors: String) {
    let process = try process("bindery", arguments, environment, shell)
    let (outputPipe, errorPipe, inputPipe) = (Pipe(), Pipe(), Pipe())
    (process.standardOutput, process.standardError, process.standardInput) = (outputPipe, errorPipe, inputPipe)
    try process.run()
    // The process may end before it has read all of it.
    try? inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try inputPipe.fileHandleForWriting.close()
    let output = String(decoding: outputPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let errors = String(decoding: errorPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output, errors)
  }

  /// The sanitizer options of this process, which the server must share, so that the same reports are suppressed.
  private static var sanitizerOptions: [String: String] {
    ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
  }

  /// Returns the path of an executable, which the build puts into the folder of the test executable.
  private static func executable(_ program: String) throws -> String {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(filePath: tests).deletingLastPathComponent().appending(path: program).path
    guard FileManager.default.isExecutableFile(atPath: path) else { throw Failure.notBuilt(path) }
    return path
  }
}
