import Foundation
import Glibc

/// A child process that ends when this object is released.
final class Program {
  enum Failure: Error {
    /// The program exited unexpectedly, with its output.
    case exited(String, output: String)
    case noPipe
  }

  private let process = Process()
  private let output: FileHandle

  /// Starts a program.
  ///
  /// - Parameter readsStandardError: Whether ``read()`` returns standard error instead of standard output.
  init(_ path: String, _ arguments: [String], readsStandardError: Bool = false) throws {
    // FD_CLOEXEC: otherwise processes started by concurrent tests would keep the pipe open and hide its end.
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw Failure.noPipe }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    let input = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = [:]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = readsStandardError ? FileHandle.nullDevice : input
    process.standardError = readsStandardError ? input : FileHandle.nullDevice
    try process.run()
    try input.close()
  }

  deinit { end() }

  /// Waits for output and returns it. Returns an empty array at the end.
  func read() -> [UInt8] { Array(output.availableData) }

  /// Kills the program.
  func end() {
    // SIGKILL, because the program inherits the signal mask of a task's thread, which blocks SIGTERM.
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Runs a program until it exits.
  ///
  /// - Returns: Its output.
  static func run(_ path: String, _ arguments: [String]) throws -> [UInt8] {
    let program = try Program(path, arguments)
    let output = Array(program.output.readDataToEndOfFile())
    program.process.waitUntilExit()
    let code = program.process.terminationStatus
    guard code == 0 else {
      throw Failure.exited("\(path): exit code \(code)", output: String(decoding: output, as: UTF8.self))
    }
    return output
  }
}
