import BinderySystem
import BinderyTestKit
import Foundation
import Glibc

/// A `bindery serve` process with a low limit of file descriptors.
final class LimitedServer {
  let address: BinderySystem.SocketAddress
  private let process: ChildProcess
  private let directory: TemporaryFolder

  init(descriptors: Int) throws {
    directory = try TemporaryFolder()
    let arguments = [
      "-c", "ulimit -n \(descriptors); exec \"$0\" serve --listen 127.0.0.1:0 --store \"$1\" --threads 1",
      try ChildProcess.builtProgram("bindery"), directory("store.db"),
    ]
    process = try ChildProcess("/bin/sh", arguments, output: .inherited, errors: .pipe)
    let output = try process.readErrors { $0.contains(/serves http:.*\n/) }
    address = BinderySystem.SocketAddress(String(output.split(separator: "http://")[1].prefix { $0 != "/" }))!
  }

  deinit { process.kill() }

  /// The CPU time of the process so far.
  var cpuSeconds: Double {
    get throws {
      let line = try String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8)
      let fields = line.split(separator: ")").last!.split(separator: " ")
      return (Double(fields[11])! + Double(fields[12])!) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  /// Stops the process, waits for it, and returns the exit code and what it has logged since it served.
  func stop() -> (code: Int32, log: String) {
    process.send(SIGTERM)
    let result = process.finish()
    return (result.code, result.errors)
  }
}
