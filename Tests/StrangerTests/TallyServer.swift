import BinderyTestKit
import Foundation

/// A process that runs the program of ``TallyCommandTests`` on a free port.
final class TallyServer {
  let address: String
  private let process: ChildProcess
  /// The log so far; the rest is added when the process has ended.
  private(set) var log = ""

  /// Starts a server and waits until it serves.
  init(store: String, _ options: [String] = [], environment: [String: String] = [:]) throws {
    process = try ChildProcess(
      ChildProcess.builtProgram("StrangerCommand"),
      ["serve", "--listen", "127.0.0.1:0", "--store", store] + options,
      environment: ChildProcess.sanitizerOptions.merging(environment) { $1 }, errors: .pipe)
    log = try process.readErrors { $0.contains("/state\n") }
    address = String(log.split(separator: "http://")[1].prefix { $0 != "/" })
  }

  /// Kills the process with SIGKILL.
  func kill() { process.kill() }

  /// Terminates the process with SIGTERM and returns its exit code.
  func stop() -> Int32 {
    process.send(SIGTERM)
    return wait()
  }

  /// Sends SIGHUP, and waits until the log has a message.
  func reload(until message: String) throws {
    process.send(SIGHUP)
    log += try process.readErrors { $0.contains(message) }
  }

  /// Waits for the end of the process and returns its exit code.
  func wait() -> Int32 {
    let result = process.finish()
    log += result.errors
    return result.code
  }

  func get(_ path: String) throws -> (status: Int, body: String) { try send("GET", path, nil) }

  /// Returns the status of a read with a token.
  func status(withToken token: String) throws -> Int {
    let arguments = ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Authorization: Bearer \(token)"]
    return Int(try ChildProcess.run("curl", arguments + ["http://\(address)/state/count"]).output) ?? 0
  }

  func put(_ path: String, _ body: String) throws -> (status: Int, body: String) { try send("PUT", path, body) }

  func post(_ path: String) throws -> (status: Int, body: String) { try send("POST", path, nil) }

  private func send(_ method: String, _ path: String, _ body: String?) throws -> (status: Int, body: String) {
    let arguments = [
      "-sS", "-X", method, "-H", "Content-Type: application/json", "-w", "%{http_code}", "http://\(address)\(path)",
    ]
    let output = try ChildProcess.run("curl", arguments + (body.map { ["-d", $0] } ?? [])).output
    let text = output.dropLast(3)
    return (Int(output.suffix(3)) ?? 0, String(text.last == "\n" ? text.dropLast() : text))
  }

  /// Runs a command and waits for its end.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.builtProgram("StrangerCommand"), arguments,
      environment: ChildProcess.sanitizerOptions.merging(environment) { $1 }, input: input)
  }
}
