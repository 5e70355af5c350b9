import BinderyCore
import BinderyMenu
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation

/// A menu server and a browser, whose tabs show an empty page that uses the browser client.
final class ClientScene {
  private(set) var live: LiveService<Menu>
  let browser: Browser
  private(set) var tabs: [Window]

  /// Runs a test with tabs that have the name of the pinned dish.
  static func run(tabs count: Int, access: AccessPolicy = .local, _ body: (ClientScene) throws -> Void) throws {
    let scene = try ClientScene(access)
    defer {
      scene.live.stop()
      scene.browser.quit()
    }
    for _ in 1..<count { scene.tabs.append(try scene.browser.newWindow()) }
    for tab in scene.tabs {
      try tab.navigate(to: "http://\(scene.live.address)/")
      let _: Bool = try tab.value(Self.script)
    }
    try body(scene)
  }

  private init(_ access: AccessPolicy) throws {
    browser = try Browser()
    live = try Self.start(access: access)
    tabs = [browser.firstWindow()]
  }

  /// Replaces the server with one that has a new menu and another history, at the same address.
  func restart(_ whileStopped: () throws -> Void) throws {
    live.stop()
    let outcome = Result { try whileStopped() }
    live = try Self.start(at: live.address)
    try outcome.get()
  }

  /// Starts a server with a new menu on Saturday, 2026-11-21.
  private static func start(access: AccessPolicy = .local, at address: String = "127.0.0.1:0") throws -> LiveService<
    Menu
  > {
    let page = WebFile(
      path: "/", mediaType: "text/html", content: Array("<!doctype html><title>Tab</title>".utf8),
      contentSecurityPolicy: "default-src 'none'; script-src 'self'; connect-src 'self'")
    let today = CalendarDay(year: 2026, month: 11, day: 21)!
    let menu = Menu(today: today, evening: Date(timeIntervalSince1970: 1_795_287_600))
    return try LiveService(menu, access: access, files: [page], at: address)
  }

  private static let script = """
    import('/client.js').then(({ connect }) => {
      window.client = connect();
      window.states = [];
      client.status.subscribe(({ state }) => { if (states.at(-1) !== state) states.push(state); });
      client.at('/pinnedDish/name').subscribe((value) => { window.shown = value; });
      return true;
    })
    """

  /// A JavaScript condition: the tab is live and has a value.
  static let isLive = "window.shown !== undefined && client.status.value.state === 'live'"

  /// Renames the pinned dish, like another client.
  func rename(_ name: String) {
    live.store.post { $0.dishes.edit(id: UUID(uuidString: Dishes.carbonara)!) { $0.name = name } }
  }
}

extension Service {
  /// Waits until a number of event streams is open. A browser closes those of a closed tab in its own time.
  func waitForStreams(_ count: Double) throws {
    let deadline = ContinuousClock.now + .seconds(40)
    while true {
      let open = metrics.first { $0.name == "bindery_streams_open" }?.value
      if open == count { return }
      guard ContinuousClock.now < deadline else {
        throw Window.TimeoutError(description: "timeout: \(count) streams, not \(open ?? 0)")
      }
      BinderySystem.Thread.sleep(milliseconds: 5)
    }
  }
}
