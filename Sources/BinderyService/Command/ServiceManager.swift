import BinderySystem
import BinderyTelemetry

/// The service manager that started the program, such as systemd or podman. It learns when the server is ready and when
/// it stops (sd_notify(3)), so that `systemctl start` waits for the server, and fails if the server does not start.
struct ServiceManager: Sendable {
  /// The path of the socket that receives the notifications.
  private let path: String
  private let logger: Logger

  /// Creates the service manager in the environment variable NOTIFY_SOCKET; nil if it is not set.
  init?(_ environment: [String: String], _ logger: Logger) {
    guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
    self.path = path
    self.logger = logger
  }

  /// Reports that clients are served.
  ///
  /// - Parameter status: One line about the server, which `systemctl status` shows.
  func reportReady(_ status: String) { notify("READY=1\nSTATUS=\(status)") }

  /// Reports that the server is shutting down.
  func reportStopping() { notify("STOPPING=1\nSTATUS=shutting down") }

  private func notify(_ text: String) {
    do throws(Errno) { try DatagramSocket().send(text, to: path) } catch {
      logger.log(.warning, "cannot notify the service manager at \(path) (NOTIFY_SOCKET): \(error)")
    }
  }
}
