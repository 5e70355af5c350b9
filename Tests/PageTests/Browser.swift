import BinderySystem
import BinderyTestKit
import Foundation

/// Debian's `chromium-headless-shell`, controlled by chromedriver. End it with ``quit()``.
///
/// It has the engine of Chromium without its windows, and starts in a third of the time.
final class Browser {
  /// The emulated device.
  enum Screen {
    case desktop
    /// 390 × 844 points with a touch screen.
    case phone
  }

  private struct Session: Decodable {
    let sessionId: String
  }

  private struct Tab: Decodable {
    let handle: String
  }

  struct LogEntry: Decodable {
    let level: String
    let message: String
  }

  private let process: ChildProcess
  private let driver: WebDriver
  private let session: String
  private var current = ""

  private static let program = "/usr/bin/chromedriver"

  /// Not the script in `/usr/bin`: chromedriver would end it and not the browser.
  private static let binary = "/usr/lib/chromium/chromium-headless-shell"

  static var isInstalled: Bool { [program, binary].allSatisfy(FileManager.default.isExecutableFile) }

  init(_ screen: Screen = .desktop) throws {
    let (process, port) = try Self.startDriver()
    self.process = process
    driver = WebDriver(address: .internet(host: "127.0.0.1", port: port))
    let created: Session = try driver.send("POST", "/session", Self.capabilities(screen))
    session = "/session/\(created.sessionId)"
    current = try driver.send("GET", session + "/window")
  }

  /// Starts chromedriver.
  ///
  /// It takes the same free port of IPv4 and IPv6, and exits if another process gets one of them first. Then it is
  /// started again.
  private static func startDriver() throws -> (process: ChildProcess, port: UInt16) {
    let port = /successfully on port (\d+)\./
    var attempts = 5
    while true {
      attempts -= 1
      let process = try ChildProcess(program, ["--port=0"], output: .pipe)
      do {
        let output = try process.readOutput { $0.contains(port) }
        return (process, UInt16(output.firstMatch(of: port)!.1)!)
      } catch {
        if attempts == 0 { throw error }
      }
    }
  }

  private static func capabilities(_ screen: Screen) -> [String: Any] {
    var options: [String: Any] = [
      "binary": binary,
      "args": [
        "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
        "--window-size=1200,1000",
      ],
    ]
    if case .phone = screen {
      options["mobileEmulation"] = [
        "deviceMetrics": ["width": 390, "height": 844, "pixelRatio": 2, "touch": true, "mobile": true]
      ]
    }
    let wanted: [String: Any] = [
      "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"],
      "timeouts": ["script": 60_000, "implicit": 40_000],
    ]
    return ["capabilities": ["alwaysMatch": wanted]]
  }

  /// Returns the initial window of the browser.
  func firstWindow() -> Window { Window(self, handle: current) }

  /// Opens a new window.
  func newWindow() throws -> Window {
    let tab: Tab = try driver.send("POST", session + "/window/new", ["type": "window"])
    return Window(self, handle: tab.handle)
  }

  /// Sends a command to a window.
  func send<Value: Decodable>(
    to handle: String, _ method: String, _ path: String, _ body: [String: Any] = [:], as type: Value.Type = Value.self
  ) throws -> Value {
    if handle != current {
      _ = try driver.send("POST", session + "/window", ["handle": handle], as: EmptyResponse?.self)
      current = handle
    }
    return try driver.send(method, session + path, body)
  }

  /// Returns and clears the console messages of all windows.
  func takeLog() throws -> [LogEntry] { try driver.send("POST", session + "/se/log", ["type": "browser"]) }

  /// Waits until a console message contains a text.
  func waitForLog(containing text: String) throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < deadline {
      if try takeLog().contains(where: { $0.message.contains(text) }) { return }
    }
    throw WebDriver.Failure(description: "timeout: no console message contains \(text)")
  }

  /// Ends the browser and chromedriver.
  func quit() {
    _ = try? driver.send("DELETE", session, as: EmptyResponse?.self)
    _ = try? driver.send("GET", "/shutdown", as: EmptyResponse?.self)
    process.wait()
  }
}
