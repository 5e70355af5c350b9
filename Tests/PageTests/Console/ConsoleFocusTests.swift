import BinderyMenu
import BinderyService
import BinderyTestKit
import Foundation
import Testing

/// What the console does while other clients change what it shows: `Examples/kinds.model.json`.
@Suite(.serialized, .needsBrowser)
struct ConsoleFocusTests {
  private static let model = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/kinds.model.json").path
  private static let isInEditor = "document.querySelector('#editor').contains(document.activeElement)"

  private static func run(_ screen: Browser.Screen = .desktop, _ body: (ConsoleProgram) throws -> Void) throws {
    try ConsoleProgram.run(serving: ["--model", model, "--store", "memory"], screen, body)
  }

  private static func task(_ number: Int) -> String { "6f1c0000-0000-8000-8000-00000000000\(number)" }

  @Test func `a place is opened and left by keyboard on a phone`() throws {
    try Self.run(.phone) { program in
      let window = program.window
      try program.open("", in: window)
      try window.wait(for: ConsolePart.shows("3", at: "/count"))
      _ = try window.value("(document.querySelector('.row').focus(), '')", as: String.self)
      try window.press(Key.down)
      try window.wait(for: "document.activeElement.ariaSelected === 'true'")
      let path = try window.value("document.activeElement.dataset.path", as: String.self)
      try window.press(Key.enter)
      try window.wait(for: Self.isInEditor)
      #expect(try window.value("document.querySelector('#editor').checkVisibility({ visibilityProperty: true })"))
      try window.press(Key.escape)
      try window.wait(for: "document.activeElement.dataset.path === '\(path)'")
      #expect(try window.value("!document.querySelector('#editor').checkVisibility({ visibilityProperty: true })"))
    }
  }

  @Test func `the tree shows elements that were exchanged and moved in one commit`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/tasks/\(Self.task(1))", in: window)
      try window.wait(for: "\(ConsolePart.row("/tasks/\(Self.task(2))")) !== null")
      func patch(_ operations: String) throws {
        let type = "Content-Type: application/json-patch+json"
        let arguments = ["-sSf", "-o", "/dev/null", "-X", "PATCH", "-H", type, "-d", operations]
        #expect(try ChildProcess.run("curl", arguments + ["\(program.address)state"]).code == 0)
      }
      func waitForTasks(_ numbers: Int...) throws {
        let paths = "[...document.querySelectorAll('.row')].map((it) => it.dataset.path)"
        let isTask = "(it) => /^.tasks.[^/]+$/.test(it)"
        let list = numbers.map { "/tasks/\(Self.task($0))" }.joined(separator: ",")
        try window.wait(for: "\(paths).filter(\(isTask)).join() === '\(list)'")
      }
      try waitForTasks(1, 2)
      try patch(
        """
        [{"op": "remove", "path": "/tasks/\(Self.task(1))"},
          {"op": "add", "path": "/tasks/-", "value": {"id": "\(Self.task(3))", "title": "Swap"}}]
        """)
      try waitForTasks(2, 3)
      try patch(
        """
        [{"op": "move", "from": "/tasks/\(Self.task(3))", "path": "/tasks/\(Self.task(3))", "at": 0},
          {"op": "replace", "path": "/tasks/\(Self.task(2))/title", "value": "Other"}]
        """)
      try waitForTasks(3, 2)
    }
  }

  @Test func `the focus stays in the pane when another client changes its value`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/count", in: window)
      try window.wait(for: ConsolePart.controlHas("3"))
      try window.type("1", into: ConsolePart.input)
      let isOnSave = "document.activeElement.type === 'submit'"
      try window.press(Key.tab)
      try window.wait(for: isOnSave)
      try program.put("7", at: "/count")
      try window.wait(for: "\(ConsolePart.message)?.includes('now 7')")
      #expect(try window.value(isOnSave))
      try window.press(Key.enter)
      try window.wait(for: ConsolePart.conflict(base: "3", theirs: "7", yours: "31"))
      #expect(try window.value(Self.isInEditor))
      try window.click("#editor .conflict .primary")
      try program.wait(for: "31", at: "/count")
      #expect(try window.value(Self.isInEditor))
      // A successful write leaves the focus at the control.
      try window.clear(ConsolePart.input)
      try window.type("5", into: ConsolePart.input)
      try window.press(Key.tab)
      try window.wait(for: isOnSave)
      try window.press(Key.enter)
      try program.wait(for: "5", at: "/count")
      try window.wait(for: "document.activeElement.matches('\(ConsolePart.input)')")
      // The payload of a case, whose fields another client replaces.
      try program.put(#"{"scene":{"name":"A","isWarm":true}}"#, at: "/light")
      try program.open("/light", in: window)
      try window.wait(for: "document.querySelectorAll('#editor .below input').length > 1")
      try window.click("#editor .below input")
      try program.put(#"{"dimmed":7}"#, at: "/light")
      try window.wait(for: "document.querySelector('#editor .below input')?.value === '7'")
      #expect(try window.value(Self.isInEditor))
      try program.put(#""Ann""#, at: "/nickname")
      try program.open("/nickname", in: window)
      try window.wait(for: ConsolePart.controlHas("Ann"))
      try window.click(ConsolePart.input)
      try program.put("null", at: "/nickname")
      try window.wait(for: "document.querySelector('#editor .nil-value') !== null")
      #expect(try window.value(Self.isInEditor))
    }
  }

  @Test func `a long text keeps the caret and the scroll position when it is saved`() throws {
    try Self.run { program in
      let window = program.window
      let area = "document.querySelector('#editor textarea')"
      // With kerning, the layout of such a text takes long.
      let text = String(repeating: "T", count: 100_000)
      try program.put("\"\(text)\"", at: "/text")
      try program.open("/text", in: window)
      try window.wait(for: "\(area)?.value.length === 100000")
      #expect(try window.value("getComputedStyle(\(area)).fontKerning") == "none")
      let position = "[\(area).selectionStart, \(area).selectionEnd, \(area).scrollTop].join()"
      let edit = "\(area).setRangeText('!', 50000, 50000, 'end'), \(area).dispatchEvent(new Event('input'))"
      let before: String = try window.value(
        "(\(area).focus(), \(edit), \(area).scrollTop = 400, \(position))")
      #expect(before == "50001,50001,400")
      _ = try window.value("(window.saved = \(area), \(area).form.requestSubmit(), '')", as: String.self)
      try window.wait(for: "\(ConsolePart.hasNoDraft) && \(area) !== window.saved")
      try window.wait(for: "document.getElementById('notices').textContent.includes('Saved as')")
      #expect(try window.value("document.activeElement === \(area)"))
      #expect(try window.value(position) == before)
    }
  }

  @Test func `a restored draft whose place is absent leads to the nearest place that is present`() throws {
    try Self.run { program in
      let window = program.window
      try program.put(#"{"scene":{"name":"A","isWarm":true}}"#, at: "/light")
      try program.open("/light/scene/name", in: window)
      try window.wait(for: ConsolePart.controlHas("A"))
      try window.type("B", into: ConsolePart.input)
      try program.put(#""off""#, at: "/light")
      _ = try window.value("(location.reload(), '')", as: String.self)
      // That the case is absent, too, is known only after the draft is shown.
      try window.wait(for: "document.querySelector('.absence a')?.hash === '#/light'")
      #expect(try window.value(ConsolePart.controlHas("AB")))
    }
  }

  @Test func `drafts of places whose type has changed are left out`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/count", in: window)
      try window.wait(for: ConsolePart.controlHas("3"))
      try window.type("1", into: ConsolePart.input)
      let stored = "sessionStorage.getItem('bindery-drafts /console')"
      try window.wait(for: "\(stored)?.includes('/count')")
      try program.open("/isOn", in: window)
      _ = try window.value("(location.reload(), '')", as: String.self)
      try window.wait(for: "\(ConsolePart.isLive) && document.querySelector('#drafts').textContent === '1 draft'")
      try window.click("#drafts")
      try window.wait(for: ConsolePart.controlHas("31"))
      let other = "JSON.stringify(JSON.parse(\(stored)).map(([path, draft]) => [path, draft, 'another type']))"
      // A page that is left stores its drafts.
      try window.navigate(to: "\(program.address)state")
      _ = try window.value("(sessionStorage.setItem('bindery-drafts /console', \(other)), '')", as: String.self)
      try program.open("/count", in: window)
      try window.wait(for: ConsolePart.controlHas("3"))
      #expect(try window.value(ConsolePart.hasNoDraft))
    }
  }

  @Test func `a draft cannot be saved in a session that may only read`() throws {
    let (writer, reader) = ("write-token-0123456789", "read-token-01234567890")
    let access = try AccessPolicy.tokens([writer], reading: [reader])
    let path = "/dishes/\(Dishes.carbonara)/name"
    try ConsoleScene.run(Menu.example, at: path, access: access) { scene in
      let window = scene.window
      let asks = "document.getElementById('sign-in').open"
      try window.wait(for: asks)
      try window.type(writer + "\n", into: "#token")
      try window.wait(for: "document.querySelector('\(ConsolePart.input)') !== null")
      try window.type("x\n", into: ConsolePart.input)
      let reverts = "document.querySelectorAll('#history li button').length"
      try window.wait(for: "\(reverts) === 1")
      try window.type("y", into: ConsolePart.input)
      try window.wait(for: "!\(ConsolePart.hasNoDraft)")
      try scene.service.replaceTokens([], reading: [reader])
      try window.wait(for: asks)
      try window.clear("#token")
      try window.type(reader + "\n", into: "#token")
      try window.wait(for: "document.querySelector('#read-only').checkVisibility() && \(ConsolePart.isLive)")
      #expect(try window.value("document.querySelector('#editor [type=submit]')?.checkVisibility() !== true"))
      try window.wait(for: "\(reverts) === 0 && \(ConsolePart.hasNoDraft)")
    }
  }
}
