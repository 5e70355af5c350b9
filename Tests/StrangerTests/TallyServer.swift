import Foundation
import Glibc
import Synchronization

/// A process that runs the program of ``TallyCommandTests`` on a free port.
final class TallyServer {
  enum Failure: Error {
    case exited(String)
  }

  let address: String
  private let process: Process
  private let errors = Pipe()
  /// The log so far; the rest is added when the process has ended.
  private(set) var log = ""

  /// Starts a server and waits until it serves.
  init(store: String, _ options: [String] = [], environment: [String: String] = [:]) throws {
    process = Self.process(["serve", "--listen", "127.0.0.1:0", "--store", store] + options, environment)
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    while !log.contains("/state\n") {
      let data = errors.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Failure.exited(log) }
      log += String(decoding: data, as: UTF8.self)
    }
    address = String(log.split(separator: "http://")[1].prefix { $0 != "/" })
  }

  deinit { kill() }

  /// Kills the process with SIGKILL.
  func kill() {
    guard process.isRunning else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Terminates the process with SIGTERM and returns its exit code.
  func stop() -> Int32 {
    process.terminate()
    return wait()
  }

  /// Waits for the end of the process and returns its exit code.
  func wait() -> Int32 {
    log += String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus
  }

  func get(_ path: String) throws -> (status: Int, body: String) { try send("GET", path, nil) }

  func put(_ path: String, _ body: String) throws -> (status: Int, body: String) { try send("PUT", path, body) }

  func post(_ path: String) throws -> (status: Int, body: String) { try send("POST", path, nil) }

  private func send(_ method: String, _ path: String, _ body: String?) throws -> (status: Int, body: String) {
    let arguments = [
      "-sS", "-X", method, "-H", "Content-Type: application/json", "-w", "%{http_code}", "http://\(address)\(path)",
    ]
    let (_, output, _) = try Self.run(
      arguments + (body.map { ["-d", $0] } ?? []), executable: URL(filePath: "/usr/bin/curl"))
    let text = output.dropLast(3)
    return (Int(output.suffix(3)) ?? 0, String(text.last == "\n" ? text.dropLast() : text))
  }

  /// Runs a command and waits for its end.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], executable: URL? = nil
  ) throws -> (code: Int32, output: String, errors: String) {
    let process = process(arguments, environment, executable)
    let (input, output, errors) = (Data(input.utf8), Pipe(), Pipe())
    let inputPipe = Pipe()
    (process.standardInput, process.standardOutput, process.standardError) = (inputPipe, output, errors)
    try process.run()
    // The process may end before it has read all of it.
    try? inputPipe.fileHandleForWriting.write(contentsOf: input)
    try inputPipe.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text, errorText)
  }

  private static func process(
    _ arguments: [String], _ environment: [String: String], _ executable: URL? = nil
  ) -> Process {
    let process = Process()
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    // The build puts the program into the folder of the test executable.
    process.executableURL =
      executable ?? URL(filePath: tests ?? "").deletingLastPathComponent().appending(path: "StrangerCommand")
    process.arguments = arguments
    let sanitizers = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
    process.environment = sanitizers.merging(environment) { $1 }
    return process
  }
}
