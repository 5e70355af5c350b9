import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyMenu
import BinderyModelFile
import BinderyOpenAPI
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// The reference page in a browser.
@Suite(.serialized, .needsBrowser)
struct ReferencePageTests {
  private static let token = "first-token-0123456789"

  /// Runs a service, opens its reference page in a browser, and expects that the console stays empty.
  private func run(
    _ screen: Browser.Screen, access: AccessPolicy = .local, allowing: String? = nil, _ body: (Window) throws -> Void
  ) throws {
    let service = try Service(initial: Menu.example, listeningOn: ["127.0.0.1:0"], access: access)
    try run(service, at: "/docs", screen, allowing: allowing, body)
  }

  private func run<Root: Sendable>(
    _ service: Service<Root>, at path: String, _ screen: Browser.Screen, allowing: String? = nil,
    _ body: (Window) throws -> Void
  ) throws {
    let thread = try BinderySystem.Thread { try? service.runBlocking() }
    defer {
      service.stop()
      thread.join()
    }
    let browser = try Browser(screen)
    defer { browser.quit() }
    let window = browser.firstWindow()
    try window.navigate(to: "http://\(service.addresses[0])\(path)")
    try body(window)
    let messages = try browser.takeLog().map(\.message).filter { allowing == nil || !$0.contains(allowing!) }
    #expect(messages.isEmpty)
  }

  @Test func `signing in leads to the reference page`() throws {
    try run(.desktop, access: .tokens([Self.token]), allowing: "401 (Unauthorized)") { window in
      try window.type("wrong-token-0123456789\n", into: "#token")
      try window.wait(for: "document.querySelector('#error').textContent.includes('does not accept')")
      try window.clear("#token")
      try window.type(Self.token + "\n", into: "#token")
      try window.wait(for: "document.querySelector('#schema-Dish')")
      #expect(try window.value("location.pathname", as: String.self) == "/docs")
      #expect(try window.value("document.cookie", as: String.self) == "")
    }
  }

  @Test(arguments: [Browser.Screen.desktop, .phone])
  func `the page is styled, fits the screen, and shows an operation when it is opened`(_ screen: Browser.Screen) throws
  {
    try run(screen) { window in
      // The style sheet of the page applies only if the content security policy allows it.
      #expect(try window.value("getComputedStyle(document.querySelector('nav ul')).listStyleType") == "none")
      try window.click("#patchDishName summary")
      try window.wait(for: "document.querySelector('#patchDishName').textContent.includes('application/json')")
      #expect(try window.value("document.querySelector('#patchDishName').open", as: Bool.self))
      #expect(try window.value("document.documentElement.scrollWidth <= innerWidth", as: Bool.self))
    }
  }

  @Test func `names and texts of a model are text, whatever they contain`() throws {
    let model = try ModelFile.model(UnusualNames.text)
    let initial = try model.initialState()
    let document = OpenAPIDocument(of: initial, model.definition, title: UnusualNames.names[1], version: "1")
    let service = try Service(
      Store(initial, of: model.definition, journal: nil), key: .random(), listeningOn: ["127.0.0.1:0"], eventLoops: 1,
      documents: ["/docs": StaticDocument { document.page }])
    try run(service, at: "/docs", .desktop) { window in
      #expect(try window.value("document.title", as: String.self) == "\(UnusualNames.names[1]): API reference")
      #expect(try window.value("document.scripts.length + document.images.length", as: Int.self) == 0)
      let text = try window.value("document.body.textContent", as: String.self)
      for name in UnusualNames.names where name != "\u{FEFF}" { #expect(text.contains(name), "\(name)") }
    }
  }
}
