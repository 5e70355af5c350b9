import BinderyService
import Testing

/// A restaurant and a browser that shows it, for one test.
struct PageScene {
  let restaurant: Restaurant
  let browser: Browser
  let window: Window

  /// Runs a test, and expects that nothing goes wrong unseen: the console stays empty.
  ///
  /// - Parameter allowing: what the console may say, as part of a message.
  static func run(
    _ screen: Browser.Screen = .desktop, access: AccessPolicy = .local, allowing: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (PageScene) throws -> Void
  ) throws {
    let restaurant = try Restaurant(access)
    defer { restaurant.stop() }
    let browser = try Browser(screen)
    defer { browser.quit() }
    let scene = PageScene(restaurant: restaurant, browser: browser, window: browser.firstWindow())
    try scene.window.open(restaurant.address)
    try body(scene)
    let complaints = try browser.takeLog().map(\.message).filter { allowing == nil || !$0.contains(allowing!) }
    #expect(complaints.isEmpty, sourceLocation: sourceLocation)
  }

  /// Another window on the same restaurant.
  func anotherWindow() throws -> Window {
    let window = try browser.newWindow()
    try window.open(restaurant.address)
    return window
  }
}

extension [String: Int] {
  /// The components that were drawn since, or are new.
  func drawn(since before: [String: Int]) -> Set<String> { Set(filter { before[$0.key] != $0.value }.keys) }
}

extension Trait where Self == ConditionTrait {
  /// The test needs Debian's `chromium-driver`.
  static var needsBrowser: Self {
    .enabled(if: Browser.isInstalled, "no /usr/bin/chromedriver: apt-get install chromium chromium-driver")
  }
}
