import BinderySystem
import Foundation
import Glibc

/// A `bindery serve` process with a low limit of file descriptors.
final class LimitedServer {
  enum Failure: Error {
    case notReady(String)
  }

  let address: BinderySystem.SocketAddress
  private let process = Process()
  private let directory: URL

  init(descriptors: Int) throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "hardening-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let errors = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "ulimit -n \(descriptors); exec \"$0\" serve --listen 127.0.0.1:0 --store \"$1\" --threads 1",
      try Self.executable, directory.appending(path: "store.db").path,
    ]
    process.standardError = errors
    try process.run()
    var output = ""
    while output.firstMatch(of: /serves http:.*\n/) == nil {
      let data = errors.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Failure.notReady(output) }
      output += String(decoding: data, as: UTF8.self)
    }
    address = BinderySystem.SocketAddress(String(output.split(separator: "http://")[1].prefix { $0 != "/" }))!
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: directory)
  }

  /// The CPU time of the process so far.
  var cpuSeconds: Double {
    get throws {
      let line = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
      let fields = line.split(separator: ")").last!.split(separator: " ")
      return (Double(fields[11])! + Double(fields[12])!) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  /// Stops the process, waits for it, and returns the exit code.
  func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// The path of the executable, which the build puts next to the tests.
  private static var executable: String {
    get throws {
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(filePath: tests).deletingLastPathComponent().appending(path: "bindery").path
    }
  }
}
