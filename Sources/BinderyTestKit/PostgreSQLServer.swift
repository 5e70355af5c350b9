import Foundation
import Synchronization

/// A private PostgreSQL server, started by `scripts/postgres`. It ends with this process.
package final class PostgreSQLServer: Sendable {
  /// The URL of an empty database.
  package let url: String
  /// The directory with the data and the socket.
  package let directory: String

  /// Starts a server.
  ///
  /// - Parameter settings: Lines of `postgresql.conf`.
  package init(_ settings: [String] = []) throws {
    let process = Process()
    process.executableURL = Self.script
    process.arguments =
      ["start", "--until-exit-of", "\(ProcessInfo.processInfo.processIdentifier)"]
      + settings.flatMap { ["--set", $0] }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    guard lines.count == 2 else { throw PostgreSQLServerFailure() }
    (url, directory) = (lines[0], lines[1])
  }

  /// Stops the server and removes its data.
  package func stop() throws {
    let process = try Process.run(Self.script, arguments: ["stop", directory])
    process.waitUntilExit()
  }

  private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "scripts/postgres")

  private static let server = Mutex<PostgreSQLServer?>(nil)

  /// Returns the server that all tests of this process share. Each test uses a document of its own.
  package static func shared() throws -> PostgreSQLServer {
    try server.withLock { server in
      let shared = try server ?? PostgreSQLServer()
      server = shared
      return shared
    }
  }

  /// Returns the id of a document that no other test uses.
  package static func newDocument() -> String { UUID().uuidString }
}

/// The error of a server that did not start. The script has printed the reason.
package struct PostgreSQLServerFailure: Error {}
