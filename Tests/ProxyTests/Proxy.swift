import BinderyMenu
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation

/// A reverse proxy with a shipped configuration in front of a menu server. Only the listening addresses differ.
final class Proxy {
  /// A configuration in `deploy`.
  enum Configuration: String, CaseIterable {
    case nginx = "nginx.conf"
    case nginxBelowPath = "base-path/nginx.conf"
    case caddyBelowPath = "base-path/Caddyfile"

    var program: String { self == .caddyBelowPath ? "/usr/bin/caddy" : "/usr/sbin/nginx" }
    var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }
    /// The base path of the server.
    var basePath: String { self == .nginx ? "/" : "/menu" }
    /// The start of the last line that the program logs before it accepts connections.
    fileprivate var readyMessage: String { self == .caddyBelowPath ? "serving initial configuration" : "event method" }
  }

  let configuration: Configuration
  private let folder = FileManager.default.temporaryDirectory.appending(path: "bindery-\(UUID().uuidString)").path
  private var menu: LiveMenu?
  private let program: ChildProcess

  init(_ configuration: Configuration = .nginx) throws {
    self.configuration = configuration
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    menu = try LiveMenu(at: "unix:\(folder)/server", below: configuration.basePath)
    program =
      try configuration == .caddyBelowPath ? Self.startCaddy(in: folder) : Self.startNginx(configuration, folder)
    _ = try program.readErrors { $0.contains(configuration.readyMessage) }
  }

  private static func startNginx(_ configuration: Configuration, _ folder: String) throws -> ChildProcess {
    try writeCertificate(to: folder)
    try shipped(configuration, in: folder).write(toFile: folder + "/bindery.conf", atomically: true, encoding: .utf8)
    try mainConfiguration(in: folder).write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
    return try ChildProcess(
      configuration.program, ["-p", folder, "-c", folder + "/nginx.conf", "-e", "stderr"], environment: [:],
      errors: .pipe)
  }

  /// Starts Caddy without TLS, which would need a certificate of a public or a local authority.
  private static func startCaddy(in folder: String) throws -> ChildProcess {
    let text = try text(of: .caddyBelowPath)
      .replacing("example.org {", with: "http://localhost {\n\tbind unix/\(folder)/https")
      .replacing("127.0.0.1:8080", with: "unix/\(folder)/server")
    try "{\n\tadmin off\n\tauto_https off\n}\n\(text)"
      .write(toFile: folder + "/Caddyfile", atomically: true, encoding: .utf8)
    return try ChildProcess(
      Configuration.caddyBelowPath.program, ["run", "--adapter", "caddyfile", "--config", folder + "/Caddyfile"],
      environment: ["HOME": folder], errors: .pipe)
  }

  deinit {
    program.kill()
    menu = nil
    try? FileManager.default.removeItem(atPath: folder)
  }

  var client: Curl { Curl(proxy: self) }

  /// The scheme of the site.
  var scheme: String { configuration == .caddyBelowPath ? "http" : "https" }

  /// The path of the Unix socket of the site.
  var socket: String { folder + "/https" }

  /// Stops the upstream server.
  func stopServer() { menu = nil }

  /// Starts a new upstream server with a new menu.
  func startServer() throws { menu = try LiveMenu(at: "unix:\(folder)/server", below: configuration.basePath) }

  /// The number of open connections from nginx to the upstream server.
  var upstreamConnections: Int {
    get throws {
      // The columns of /proc/net/unix end with the state (3 is connected), the inode and the path.
      // Read to its end, because the file says that it is empty, and one read returns only a part of a long list.
      let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/unix"))
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n").filter {
        let columns = $0.split(separator: " ")
        return columns.last?.hasSuffix("\(folder)/server") == true && columns[5] == "03"
      }.count
    }
  }

  private static func text(of configuration: Configuration) throws -> String {
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: repository.appending(path: "deploy/\(configuration.rawValue)"), encoding: .utf8)
  }

  /// Returns a configuration of nginx with addresses and files in a folder.
  private static func shipped(_ configuration: Configuration, in folder: String) throws -> String {
    try text(of: configuration).split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains("listen [::]") }.joined(separator: "\n")
      .replacing("listen 80;", with: "listen unix:\(folder)/http;")
      .replacing("listen 443 ", with: "listen unix:\(folder)/https ")
      .replacing("server 127.0.0.1:8080 ", with: "server unix:\(folder)/server ")
      .replacing("/etc/nginx/bindery.", with: "\(folder)/")
  }

  /// Returns the main configuration file, for a single process without root privileges.
  private static func mainConfiguration(in folder: String) -> String {
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
    try ChildProcess.run(
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

  init(at address: String, below basePath: String) throws {
    var configuration = ServiceConfiguration<Menu>()
    configuration.basePath = basePath
    configuration.files = WebPage.files
    let service = try Service(initial: Menu.example, listeningOn: [address], configuration: configuration)
    self.service = service
    thread = try BinderySystem.Thread { try? service.runBlocking() }
  }

  deinit {
    service.stop()
    thread.join()
  }
}
