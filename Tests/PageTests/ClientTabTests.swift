import BinderyCore
import BinderyMenu
import BinderyService
import BinderyTestKit
import Foundation
import Testing

/// The browser client in several tabs of a browser, which share one event stream.
@Suite(.serialized, .needsBrowser)
struct ClientTabTests {
  private static let policy = "default-src 'none'; script-src 'self'; connect-src 'self'"
  private static let start = """
    import('/client.js').then(({ connect }) => {
      window.client = connect();
      client.at('/pinnedDish/name').subscribe((value) => { window.shown = value; });
      return true;
    })
    """

  @Test func `tabs share one stream, and closing the leading one loses no change`() throws {
    let page = WebFile(
      path: "/", mediaType: "text/html", content: Array("<!doctype html><title>Tab</title>".utf8),
      contentSecurityPolicy: Self.policy)
    let today = CalendarDay(year: 2026, month: 11, day: 21)!
    let evening = Date(timeIntervalSince1970: 1_795_287_600)
    let live = try LiveService(Menu(today: today, evening: evening), files: [page])
    defer { live.stop() }
    let browser = try Browser()
    defer { browser.quit() }
    var tabs = [browser.firstWindow()]
    for _ in 1..<8 { tabs.append(try browser.newWindow()) }
    for tab in tabs {
      try tab.navigate(to: "http://\(live.address)/")
      #expect(try tab.value(Self.start, as: Bool.self))
    }
    for tab in tabs { try tab.wait(for: "window.shown !== undefined && client.status.value.state === 'live'") }
    #expect(live.openStreams == 1)
    // A write of one tab shows in all.
    let write = "client.at('/pinnedDish/name').set('Soup').then(({ ok }) => ok)"
    #expect(try tabs[3].value(write, as: String.self) == "Soup")
    for tab in tabs { try tab.wait(for: "window.shown === 'Soup'") }
    // The first tab leads. Without it, another one takes over, from what all of them have.
    try tabs.removeFirst().close()
    live.store.post { $0.dishes.edit(id: UUID(uuidString: Dishes.carbonara)!) { $0.name = "Stew" } }
    for tab in tabs { try tab.wait(for: "window.shown === 'Stew'") }
    #expect(live.openStreams == 1)
  }

  @Test func `the menu board follows the menu`() throws {
    let today = CalendarDay(year: 2026, month: 11, day: 21)!
    let folder = URL(fileURLWithPath: #filePath).appending(path: "../../../Examples/board").standardized
    let files = try ["index.html", "board.css", "board.js"].map { name in
      WebFile(
        path: name == "index.html" ? "/" : "/" + name, mediaType: name == "index.html" ? "text/html" : nil,
        content: try Array(Data(contentsOf: folder.appending(path: name))))
    }
    let live = try LiveService(Menu(today: today, evening: Date(timeIntervalSince1970: 1_795_287_600)), files: files)
    defer { live.stop() }
    let browser = try Browser()
    defer { browser.quit() }
    let window = browser.firstWindow()
    try window.navigate(to: "http://\(live.address)/")
    try window.wait(for: "document.querySelectorAll('li').length === 4")
    live.store.post { $0.dishes.edit(id: UUID(uuidString: Dishes.carbonara)!) { $0.name = "Stew" } }
    try window.wait(for: "document.querySelector('li').textContent.startsWith('Stew')")
  }
}

extension LiveService<Menu> {
  /// The number of open event streams.
  fileprivate var openStreams: Double? { service.metrics.first { $0.name == "bindery_streams_open" }?.value }
}
