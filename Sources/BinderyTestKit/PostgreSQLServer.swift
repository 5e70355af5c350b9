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
    let arguments = ["start", "--until-exit-of", "\(ProcessInfo.processInfo.processIdentifier)"]
    let start = try ChildProcess(
      Self.script, arguments + settings.flatMap { ["--set", $0] }, output: .pipe, errors: .inherited)
    let lines = start.finish().output.split(separator: "\n").map(String.init)
    guard lines.count == 2 else { throw PostgreSQLServerFailure() }
    (url, directory) = (lines[0], lines[1])
  }

  /// Stops the server and removes its data.
  package func stop() throws {
    _ = try ChildProcess(Self.script, ["stop", directory], output: .inherited, errors: .inherited).wait()
  }

  private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "scripts/postgres").path

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
