import BinderyAPI
import BinderyService
import Testing

/// A menu server and a browser that shows its page, for one test.
struct PageScene {
  let server: MenuServer
  let browser: Browser
  let window: Window

  /// Runs a test, and expects that the browser console stays empty.
  ///
  /// - Parameter allowing: A text that allowed console messages contain.
  static func run(
    _ screen: Browser.Screen = .desktop, access: AccessPolicy = .local, basePath: BasePath = .root,
    allowing: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (PageScene) throws -> Void
  ) throws {
    let server = try MenuServer(access, basePath: basePath)
    defer { server.stop() }
    let browser = try Browser(screen)
    defer { browser.quit() }
    let scene = PageScene(server: server, browser: browser, window: browser.firstWindow())
    try scene.window.open(server.address)
    try body(scene)
    let unexpectedMessages = try browser.takeLog().map(\.message).filter { allowing == nil || !$0.contains(allowing!) }
    #expect(unexpectedMessages.isEmpty, sourceLocation: sourceLocation)
  }

  /// Opens another window with the page.
  func anotherWindow() throws -> Window {
    let window = try browser.newWindow()
    try window.open(server.address)
    return window
  }
}

extension [String: Int] {
  /// Returns the components that were rendered or added since an earlier count.
  func rendered(since before: [String: Int]) -> Set<String> { Set(filter { before[$0.key] != $0.value }.keys) }
}

extension Trait where Self == ConditionTrait {
  /// The test needs Debian's `chromium-driver` and `chromium-headless-shell`.
  static var needsBrowser: Self {
    .enabled(if: Browser.isInstalled, "apt-get install chromium-driver chromium-headless-shell")
  }
}
