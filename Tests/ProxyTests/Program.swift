import Foundation
import Glibc

/// A program at work beside the tests, ended with this object.
final class Program {
  enum Failure: Error {
    /// What it had said until then.
    case ended(String, String)
    case noPipe
  }

  private let process = Process()
  private let output: FileHandle

  /// - Parameter hearsErrors: whether ``read()`` gives what it says on standard error, instead of on standard output.
  init(_ path: String, _ arguments: [String], hearsErrors: Bool = false) throws {
    // Closed on exec: programs that others start in the meantime would hold it open, and its end would not be seen.
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw Failure.noPipe }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    let input = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = [:]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = hearsErrors ? FileHandle.nullDevice : input
    process.standardError = hearsErrors ? input : FileHandle.nullDevice
    try process.run()
    try input.close()
  }

  deinit { end() }

  /// What it has said since, as soon as that is anything; empty at its end.
  func read() -> [UInt8] { Array(output.availableData) }

  func end() {
    // What a thread of a task starts inherits its mask, in which SIGTERM is blocked.
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Runs a program to its end.
  ///
  /// - Returns: what it has printed.
  static func run(_ path: String, _ arguments: [String]) throws -> [UInt8] {
    let program = try Program(path, arguments)
    let printed = Array(program.output.readDataToEndOfFile())
    program.process.waitUntilExit()
    let code = program.process.terminationStatus
    guard code == 0 else { throw Failure.ended("\(path): \(code)", String(decoding: printed, as: UTF8.self)) }
    return printed
  }
}
