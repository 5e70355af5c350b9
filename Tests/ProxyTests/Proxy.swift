import BinderyMenu
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation

/// nginx with the shipped configuration in front of a menu server. Only the listening addresses differ.
final class Proxy {
  private static let nginx = "/usr/sbin/nginx"
  static let isInstalled = FileManager.default.isExecutableFile(atPath: nginx)

  private let folder = FileManager.default.temporaryDirectory.appending(path: "bindery-\(UUID().uuidString)").path
  private var menu: LiveMenu?
  private let program: Program

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.writeCertificate(to: folder)
    try Self.shippedConfiguration(in: folder).write(toFile: folder + "/bindery.conf", atomically: true, encoding: .utf8)
    try Self.configuration(in: folder).write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
    menu = try LiveMenu(at: "unix:\(folder)/server")
    program = try Program(
      Self.nginx, ["-p", folder, "-c", folder + "/nginx.conf", "-e", "stderr"], readsStandardError: true)
    // nginx logs this when it listens.
    var log = ""
    while !log.contains("event method") {
      let bytes = program.read()
      guard !bytes.isEmpty else { throw Program.Failure.exited(Self.nginx, output: log) }
      log += String(decoding: bytes, as: UTF8.self)
    }
  }

  deinit {
    program.end()
    menu = nil
    try? FileManager.default.removeItem(atPath: folder)
  }

  var client: Curl { Curl(proxy: self) }

  /// The path of the Unix socket for TLS.
  var socket: String { folder + "/https" }

  /// Stops the upstream server.
  func stopServer() { menu = nil }

  /// Starts a new upstream server with a new menu.
  func startServer() throws { menu = try LiveMenu(at: "unix:\(folder)/server") }

  /// The number of open connections from nginx to the upstream server.
  var upstreamConnections: Int {
    get throws {
      // The columns of /proc/net/unix end with the state (3 is connected), the inode and the path.
      try String(contentsOfFile: "/proc/net/unix", encoding: .utf8).split(separator: "\n").filter {
        let columns = $0.split(separator: " ")
        return columns.last?.hasSuffix("\(folder)/server") == true && columns[5] == "03"
      }.count
    }
  }

  /// Returns `deploy/nginx.conf` with addresses and files in a folder.
  private static func shippedConfiguration(in folder: String) throws -> String {
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let shipped = try String(contentsOf: repository.appending(path: "deploy/nginx.conf"), encoding: .utf8)
    return shipped.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains("listen [::]") }.joined(separator: "\n")
      .replacing("listen 80;", with: "listen unix:\(folder)/http;")
      .replacing("listen 443 ", with: "listen unix:\(folder)/https ")
      .replacing("server 127.0.0.1:8080 ", with: "server unix:\(folder)/server ")
      .replacing("/etc/nginx/bindery.", with: "\(folder)/")
  }

  /// Returns the main configuration file, for a single process without root privileges.
  private static func configuration(in folder: String) -> String {
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
    return """
      daemon off;
      master_process off;
      pid \(folder)/pid;
      error_log stderr notice;
      events { worker_connections 256; }
      http {
        access_log off;
        \(folders.joined(separator: "\n  "))
        include \(folder)/bindery.conf;
      }

      """
  }

  private static func writeCertificate(to folder: String) throws {
    _ = try Program.run(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder + "/key",
        "-out", folder + "/crt",
      ])
  }
}

/// A menu server on its own thread, stopped when this object is released.
private final class LiveMenu {
  private let service: Service<Menu>
  private let thread: BinderySystem.Thread

  init(at address: String) throws {
    let service = try Service(initial: Menu.example, listeningOn: [address])
    self.service = service
    thread = try BinderySystem.Thread { try? service.runBlocking() }
  }

  deinit {
    service.stop()
    thread.join()
  }
}
