import BinderyTestKit
import Foundation
import Glibc

/// The command `bindery serve` as a process of its own, on a free port.
final class Server {
  enum Failure: Error {
    case notBuilt(String)
    /// What it said before it ended.
    case ended(Int32, String)
  }

  /// Host and port.
  let address: String
  /// What it has said until it was ready.
  let greeting: String
  private let process: Process

  /// Starts a server and waits until it is ready.
  ///
  /// - Parameter hear: told all that it has said so far, whenever it says more.
  init(
    store: String, options: [String] = [], environment: [String: String] = [:], hear: (String) -> Void = { _ in }
  ) throws {
    let errors = Pipe()
    process = try Self.launch(
      ["serve", "--listen", "127.0.0.1:0", "--store", store, "--threads", "1"] + options, environment, errors)
    var said = ""
    while !said.contains("serves http://") {
      let data = errors.fileHandleForReading.availableData
      guard !data.isEmpty else {
        process.waitUntilExit()
        throw Failure.ended(process.terminationStatus, said)
      }
      said += String(decoding: data, as: UTF8.self)
      hear(said)
    }
    greeting = said
    address = String(said.split(separator: "http://")[1].prefix { $0 != "/" })
  }

  deinit { kill() }

  var client: SocketClient { get throws { try SocketClient(address) } }

  var processID: Int32 { process.processIdentifier }

  /// Ends it in the middle of whatever it does.
  func kill() {
    guard process.isRunning else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks it to end, and waits; the exit code.
  func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private static func launch(
    _ arguments: [String], _ environment: [String: String], _ errors: Pipe
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: try executable)
    process.arguments = arguments
    process.environment = environment.merging(sanitizerOptions) { own, _ in own }
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Runs a command to its end.
  ///
  /// - Returns: the exit code, and what it has printed.
  static func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws -> (code: Int32, output: String, errors: String) {
    let (process, output, errors, feed) = (Process(), Pipe(), Pipe(), Pipe())
    process.executableURL = URL(filePath: try executable)
    process.arguments = arguments
    process.environment = environment.merging(sanitizerOptions) { own, _ in own }
    (process.standardOutput, process.standardError, process.standardInput) = (output, errors, feed)
    try process.run()
    feed.fileHandleForWriting.write(Data(input.utf8))
    try feed.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text, said)
  }

  /// Under a sanitizer the server is to be run as its tests are: a report that nobody reads would hold its end up.
  private static var sanitizerOptions: [String: String] {
    ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
  }

  /// Beside the tests, where the build puts both.
  private static var executable: String {
    get throws {
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let path = URL(filePath: tests).deletingLastPathComponent().appending(path: "bindery").path
      guard FileManager.default.isExecutableFile(atPath: path) else { throw Failure.notBuilt(path) }
      return path
    }
  }
}
