import BinderyCore
import BinderyMenu
import BinderyService
import BinderyTestKit
import Foundation
import Testing

/// The browser client in several tabs of a browser, which share one event stream.
@Suite(.serialized, .needsBrowser)
struct ClientTabTests {
  @Test func `tabs share one stream, and closing the leading one loses no change`() throws {
    try ClientScene.run(tabs: 20) { scene in
      var tabs = scene.tabs
      for tab in tabs { try tab.wait(for: ClientScene.isLive) }
      try scene.live.service.waitForStreams(1)
      // A write of one tab shows in all.
      let write = "client.at('/pinnedDish/name').set('Soup').then(({ ok }) => ok)"
      #expect(try tabs[3].value(write, as: String.self) == "Soup")
      for tab in tabs { try tab.wait(for: "window.shown === 'Soup'") }
      // The first tab leads. Without it, another one takes over, from what all of them have.
      try tabs.removeFirst().close()
      scene.rename("Stew")
      for tab in tabs { try tab.wait(for: "window.shown === 'Stew'") }
      try scene.live.service.waitForStreams(1)
    }
  }

  @Test func `a frozen leader passes the stream on, and shows the current value when it runs again`() throws {
    try ClientScene.run(tabs: 3) { scene in
      for tab in scene.tabs { try tab.wait(for: ClientScene.isLive) }
      let (leader, others) = (scene.tabs[0], scene.tabs.dropFirst())
      try leader.command("Page.setWebLifecycleState", ["state": "frozen"])
      scene.rename("Stew")
      for tab in others { try tab.wait(for: "window.shown === 'Stew'") }
      try leader.command("Page.setWebLifecycleState", ["state": "active"])
      try leader.wait(for: "window.shown === 'Stew'")
      scene.rename("Soup")
      for tab in scene.tabs { try tab.wait(for: "window.shown === 'Soup'") }
      try scene.live.service.waitForStreams(1)
    }
  }

  @Test func `a place is watched although the first stream that contains it fails`() throws {
    try ClientScene.run(tabs: 1) { scene in
      let tab = scene.tabs[0]
      try tab.wait(for: ClientScene.isLive)
      let _: Bool = try tab.value(
        """
        import('/client.js').then(({ connect }) => {
          client.close();
          window.streams = 0;
          window.own = connect(undefined, {
            fetch: async (...request) => {
              if (String(request[0]).endsWith('/events') && ++streams === 2) throw new TypeError('lost');
              return fetch(...request);
            },
          });
          own.at('/pinnedDish/name').subscribe((value) => { window.name = value; });
          return true;
        })
        """)
      try tab.wait(for: "own.status.value.state === 'live' && streams === 1")
      // The first stream stays open.
      _ = try tab.value("(own.at('/time').subscribe((value) => { window.time = value; }), '')", as: String.self)
      try tab.wait(for: "window.time === 'tonight' && streams === 3")
      scene.live.store.post { $0.time = .tomorrow }
      try tab.wait(for: "window.time === 'tomorrow'")
    }
  }

  @Test func `another tab takes over from a leader that crashes`() throws {
    try ClientScene.run(tabs: 3) { scene in
      for tab in scene.tabs { try tab.wait(for: ClientScene.isLive) }
      // The command fails, because the tab does not answer any more.
      try? scene.tabs[0].command("Page.crash", [:])
      scene.rename("Stew")
      for tab in scene.tabs.dropFirst() { try tab.wait(for: "window.shown === 'Stew'") }
      try scene.live.service.waitForStreams(1)
    }
  }

  @Test func `a page says that its token is revoked, and continues with another one`() throws {
    let (first, second) = ("first-token-0123456789", "second-token-0123456789")
    try ClientScene.run(tabs: 2, access: .tokens([first])) { scene in
      for tab in scene.tabs { try tab.wait(for: "client.status.value.state === 'signedOut'") }
      for tab in scene.tabs {
        #expect(try tab.value("client.signIn('\(first)').then(({ problem }) => !problem)"))
        try tab.wait(for: ClientScene.isLive)
      }
      try scene.live.service.replaceTokens([second])
      for tab in scene.tabs { try tab.wait(for: "client.status.value.state === 'signedOut'") }
      let write = "void (window.write = client.at('/pinnedDish/name').set('Soup')), client.status.value.pending"
      #expect(try scene.tabs[0].value(write, as: Int.self) == 1)
      for tab in scene.tabs {
        #expect(try tab.value("client.signIn('\(second)').then(({ problem }) => !problem)"))
      }
      for tab in scene.tabs { try tab.wait(for: "window.shown === 'Soup' && \(ClientScene.isLive)") }
    }
  }

  @Test func `a sign-out in one tab ends the access of all, also of those that watch nothing`() throws {
    let token = "first-token-0123456789"
    try ClientScene.run(tabs: 2, access: .tokens([token])) { scene in
      let (first, second) = (scene.tabs[0], scene.tabs[1])
      // This client is not the one that watches.
      let connecting = "import('/client.js').then(({ connect }) => { window.idle = connect(); return true; })"
      #expect(try second.value(connecting))
      for client in ["client", "idle"] {
        #expect(try second.value("\(client).signIn('\(token)').then(({ problem }) => !problem)"))
      }
      #expect(try second.value("idle.at('/pinnedDish/name').set('Stew').then(({ ok }) => ok === 'Stew')"))
      #expect(try first.value("client.signIn('\(token)').then(({ problem }) => !problem)"))
      #expect(try first.value("client.signOut().then(() => true)"))
      try second.wait(for: "client.status.value.state === 'signedOut'")
      #expect(try second.value("!void idle.at('/pinnedDish/name').set('Soup')"))
      try second.wait(for: "idle.status.value.state === 'signedOut'")
      #expect(scene.live.service.store.snapshot.root.pinnedDish?.name == "Stew")
    }
  }

  @Test func `tabs say that the server is away, and take over the older state with which it starts again`() throws {
    try ClientScene.run(tabs: 2) { scene in
      for tab in scene.tabs { try tab.wait(for: ClientScene.isLive) }
      let before: String = try scene.tabs[0].value("window.shown")
      scene.rename("Stew")
      for tab in scene.tabs { try tab.wait(for: "window.shown === 'Stew'") }
      try scene.restart {
        for tab in scene.tabs { try tab.wait(for: "client.status.value.retryAt > new Date()") }
      }
      for tab in scene.tabs { try tab.wait(for: "window.shown === '\(before)' && \(ClientScene.isLive)") }
      try scene.live.service.waitForStreams(1)
    }
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
