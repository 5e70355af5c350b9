import BinderySystem
import Foundation
import Glibc

/// The command `bindery serve` as a process that may have few descriptors.
final class LimitedServer {
  enum Failure: Error {
    case notReady(String)
  }

  let address: BinderySystem.SocketAddress
  private let process = Process()
  private let folder: URL

  init(descriptors: Int) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "hardening-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let errors = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "ulimit -n \(descriptors); exec \"$0\" serve --listen 127.0.0.1:0 --store \"$1\" --threads 1",
      try Self.executable, folder.appending(path: "store.db").path,
    ]
    process.standardError = errors
    try process.run()
    var said = ""
    while !said.contains("serves http://") {
      let data = errors.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Failure.notReady(said) }
      said += String(decoding: data, as: UTF8.self)
    }
    address = BinderySystem.SocketAddress(String(said.split(separator: "http://")[1].prefix { $0 != "/" }))!
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  /// The CPU time that it has taken so far.
  var cpuSeconds: Double {
    get throws {
      let line = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
      let fields = line.split(separator: ")").last!.split(separator: " ")
      return (Double(fields[11])! + Double(fields[12])!) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  /// Asks it to end, and waits; the exit code.
  func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Beside the tests, where the build puts both.
  private static var executable: String {
    get throws {
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(filePath: tests).deletingLastPathComponent().appending(path: "bindery").path
    }
  }
}
