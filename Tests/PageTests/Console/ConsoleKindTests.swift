import Foundation
import Testing

/// The console with a place of every kind: `Examples/kinds.model.json`.
@Suite(.serialized, .needsBrowser)
struct ConsoleKindTests {
  private static let model = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/kinds.model.json").path
  private static let save = "\(Key.control)s\(Key.null)"
  private static let task = "/tasks/6f1c0000-0000-8000-8000-000000000002"

  private static func run(_ screen: Browser.Screen = .desktop, _ body: (ConsoleProgram) throws -> Void) throws {
    try ConsoleProgram.run(serving: ["--model", model, "--store", "memory"], screen, body)
  }

  /// Presses keys in the focused control.
  private func press(_ keys: String, _ program: ConsoleProgram) throws {
    try program.window.type(keys, into: ":focus")
  }

  @Test func `texts, numbers and JSON of every kind are edited by keyboard alone`() throws {
    try Self.run { program in
      try program.open("", in: program.window)
      let edits = [
        ("/text", "two", #""two""#), ("/count", "4", "4"), ("/large", "9007199254740995", "9007199254740995"),
        ("/ratio", "0.25", "0.25"), ("/temperature", "-1.5", "-1.5"), ("/day", "2026-12-24", #""2026-12-24""#),
        ("/link", "https://example.org/", #""https://example.org/""#), ("/pause", "PT5M", #""PT5M""#),
        ("/data", "QQ==", #""QQ==""#), ("/scores", "[3]", "[3]"), ("/anything", #"{"a":null}"#, #"{"a":null}"#),
        ("/house/street", "Side Street", #""Side Street""#), ("/city", "Ulm", #""Ulm""#),
        ("/shownName", "Ann", #""Ann""#), ("/currentTask/title", "Read on", #""Read on""#),
        ("/__proto__", "2", "2"), ("/constructor", "3", "3"),
      ]
      for (path, keys, json) in edits {
        try program.go(to: path)
        try program.window.press(Key.enter)
        try program.window.wait(for: "document.activeElement === document.querySelector('\(ConsolePart.input)')")
        try press("\(Key.control)a\(Key.null)\(Key.backspace)\(keys)\(Self.save)", program)
        try program.wait(for: json, at: path)
        try program.window.press(Key.escape)
      }
    }
  }

  @Test func `switches, choices, dates, optionals and payloads are edited by keyboard alone`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("", in: window)
      /// Goes to a place and to its first control.
      func edit(_ path: String, _ keys: String..., wait json: String, at changed: String? = nil) throws {
        try program.go(to: path)
        try window.press(Key.enter)
        try window.wait(for: "document.querySelector('#editor').contains(document.activeElement)")
        for key in keys {
          if key == Self.save { try press(key, program) } else { for letter in key { try window.press("\(letter)") } }
        }
        try program.wait(for: json, at: changed ?? path)
        try window.press(Key.escape)
      }
      try program.go(to: "/isOn")
      try window.press(Key.space)
      try program.wait(for: "false", at: "/isOn")
      try edit("/moment", Key.up, Key.enter, wait: #""2026-12-21T19:00:00.000Z""#)
      try edit("/size", "l", wait: #""large""#)
      try edit("/light", "s", Key.tab, "Film", Self.save, wait: #"{"scene":{"name":"Film","isWarm":false}}"#)
      // The payload of the active case is a smaller place than the enum.
      try edit("/light/scene/name", "2", Key.enter, wait: #""Film2""#)
      try edit("/light/dimmed", Key.enter, "30", Key.enter, wait: "30")
      try edit("/nickname", Key.enter, "Ann", Key.enter, wait: #""Ann""#)
      try edit("/nickname", Key.tab, Key.enter, wait: "null")
      try edit(
        "/address", Key.enter, "Way 1", Key.tab, "Rome", Self.save, wait: #"{"street":"Way 1","city":"Rome"}"#)
      try edit("/address/city", "2", Key.enter, wait: #""Rome2""#)
      try edit("/sheet", "s", wait: #"{"some":null}"#)
      try edit("/sheet", "v", Key.tab, "5", Key.enter, wait: #"{"some":5}"#)
      try edit("/limits", Key.enter, "x", Key.tab, "9", Key.enter, wait: #"{"a/b":1,"x":9}"#)
      try edit("/notes", Key.enter, "New", Key.enter, wait: #"[{"id":1,"body":"New"}]"#)
      let tasks = [1, 2].map {
        #"{"id":"6f1c0000-0000-8000-8000-00000000000\#($0)","title":"\#($0 == 1 ? "Read" : "Write")","isDone":false}"#
      }
      let tab = Key.tab
      // Each label is a link to its place.
      try edit(Self.task, tab, tab, tab, Key.enter, wait: "[\(tasks[1]),\(tasks[0])]", at: "/tasks")
      try edit(Self.task, tab, tab, tab, tab, tab, Key.enter, wait: "[\(tasks[0])]", at: "/tasks")
    }
  }

  @Test func `clearing an optional asks first if that removes several elements`() throws {
    let limits = #"{"anyOf": [{"additionalProperties": {"type": "integer"}, "type": "object"}, {"type": "null"}]}"#
    let file = #"{"type": "object", "properties": {"limits": \#(limits)}}"#
    let options = ["--model", "limits.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["limits.json": file], .desktop) { program in
      let window = program.window
      try program.open("/limits", in: window)
      let confirm = "(text) => { window.asked = text; return window.agrees; }"
      _ = try window.value("(window.confirm = \(confirm), '')", as: String.self)
      let clear = "[...document.querySelectorAll('#editor .control button')].find((it) => it.textContent === 'Clear')"
      for (json, asked) in [(#"{"a":1,"b":2}"#, true), (#"{"a":1}"#, false)] {
        try program.put(json, at: "/limits")
        let count = asked ? "2 entries" : "1 entry"
        try window.wait(for: "document.querySelector('#editor .control a')?.textContent === '\(count)'")
        if asked {
          _ = try window.value("(\(clear).click(), '')", as: String.self)
          #expect(try window.value("window.asked", as: String.self) == "Remove 2 entries?")
          try program.wait(for: json, at: "/limits")
        }
        _ = try window.value("(window.asked = '', window.agrees = true, \(clear).click(), '')", as: String.self)
        try program.wait(for: "null", at: "/limits")
        #expect(try window.value("window.asked !== ''") == asked)
      }
    }
  }

  @Test func `a new value has fields for its read-only members, and an existing one has not`() throws {
    let slot = ##"{"$ref": "#/$defs/Slot"}"##
    let planned = #"{"type": "object", "properties": {"planned": \#(slot)}, "required": ["planned"]}"#
    let members = #"{"start": {"type": "string", "readOnly": true}, "note": {"type": "string", "default": ""}}"#
    let file = #"""
      {
        "type": "object",
        "properties": {
          "slots": {"type": "object", "additionalProperties": \#(slot)},
          "next": {"anyOf": [\#(slot), {"type": "null"}]},
          "mode": {"oneOf": [{"const": "off"}, \#(planned)], "default": "off"}
        },
        "$defs": {"Slot": {"type": "object", "properties": \#(members), "required": ["start"]}}
      }
      """#
    let options = ["--model", "slots.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["slots.json": file], .desktop) { program in
      let window = program.window
      try program.open("/slots", in: window)
      try window.wait(for: "document.querySelector('#editor .adder button') !== null")
      try window.click("#editor .adder button")
      try window.type("a", into: "#editor .adder input[aria-label=key]")
      try window.type("9:00\n", into: "#editor .adder .text input")
      try program.wait(for: #"{"a":{"start":"9:00","note":""}}"#, at: "/slots")
      try program.open("/next", in: window)
      try window.wait(for: "document.querySelector('#editor .control button') !== null")
      try window.click("#editor .control button")
      try window.type("10:00\n", into: ConsolePart.input)
      try program.wait(for: #"{"start":"10:00","note":""}"#, at: "/next")
      try window.wait(for: "document.querySelectorAll('\(ConsolePart.input)').length === 1")
      try program.open("/mode", in: window)
      try window.wait(for: "document.querySelector('#editor select') !== null")
      try window.focus("#editor select")
      try window.press("p")
      try window.type("11:00\n", into: "#editor .payload .text input")
      try program.wait(for: #"{"planned":{"start":"11:00","note":""}}"#, at: "/mode")
      try window.wait(for: "document.querySelectorAll('\(ConsolePart.input)').length === 1")
    }
  }

  @Test func `a text that is not JSON is refused without advice for a shell`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/scores", in: window)
      try window.wait(for: "document.querySelector('\(ConsolePart.input)') !== null")
      try window.clear(ConsolePart.input)
      try window.type("[1,\(Self.save)", into: ConsolePart.input)
      let message = "“[1,” is not valid JSON. Texts and names need double quotes."
      try window.wait(for: "\(ConsolePart.message) === '\(message)'")
      #expect(try window.value("document.activeElement.ariaInvalid === 'true'"))
    }
  }

  @Test func `a place is copied as Swift with an identifier for a title and a number for an integer id`() throws {
    let id = #"{"type": "integer", "x-bindery": {"generated": true}}"#
    let members = #"{"id": \#(id), "name": {"type": "string", "default": ""}}"#
    let guest = #"{"type": "object", "properties": \#(members), "x-bindery": {"id": "id"}}"#
    let guests = #"{"guests": {"type": "array", "items": \#(guest)}}"#
    let file = #"{"title": "Studio bookings", "type": "object", "properties": \#(guests)}"#
    let options = ["--model", "guests.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["guests.json": file]) { program in
      let window = program.window
      try program.open("/guests/44/name", in: window)
      let copy = "async (text) => { window.copied = text; }"
      _ = try window.value("(navigator.clipboard.writeText = \(copy), '')", as: String.self)
      try window.click(".copies summary")
      try window.click(".copies button:last-child")
      try window.wait(for: "window.copied === 'store.values(at: StudioBookings.places.guests[id: 44].name)'")
    }
  }

  @Test func `a search ends, and counts what it has found`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("", in: window)
      try window.click("#search-open")
      try window.type("Read", into: "#jump-field")
      try window.click("#jump-search")
      try window.wait(for: "document.getElementById('jump-progress').textContent.endsWith('places read, 1 found')")
      try window.click("#jump-close")
      try window.wait(for: "!document.getElementById('jump').open")
    }
  }

  @Test func `an absent place says why, and names the nearest place that is present`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/light/dimmed", in: window)
      try window.wait(for: "document.querySelector('.absence')?.textContent.includes('“off” is active')")
      try program.open("/tasks/6f1c0000-0000-8000-8000-0000000000ff/title", in: window)
      try window.wait(for: "document.querySelector('.absence')?.textContent.includes('no such element')")
      try window.wait(for: "document.querySelector('.absence a').getAttribute('href') === '#/tasks'")
      // A write to the label of a case switches the case; one to a part of a payload with several labels cannot.
      for (path, count) in [("/light/dimmed", 1), ("/light/scene/name", 0), ("/address/city", 0)] {
        try program.open(path, in: window)
        try window.wait(for: "document.querySelector('.absence') && location.hash === '#\(path)'")
        #expect(try window.value("document.querySelectorAll('.absence ~ button').length === \(count)"), "\(path)")
      }
    }
  }

  @Test func `the members of an open object that its type does not declare are listed, added and removed`() throws {
    try Self.run { program in
      let window = program.window
      let others = "document.querySelector('#editor > .facts')?.textContent"
      try program.open("/settings", in: window)
      try window.wait(for: "\(others) === 'Other members: none'")
      try program.put("7", at: "/settings/size")
      try window.wait(for: "\(others) === 'Other members: size'")
      try window.click("#editor > .facts a")
      try window.wait(for: ConsolePart.controlHas("7"))
      try window.click(".element-actions button:last-child")
      try window.wait(for: "\(others) === 'Other members: none'")
      try program.open("/settings/color", in: window)
      try window.click(".absence ~ button")
      try window.clear(ConsolePart.input)
      try window.type("[1]", into: ConsolePart.input)
      try window.click("#editor .actions .primary")
      try program.wait(for: "[1]", at: "/settings/color")
    }
  }

  @Test func `a choice may have integers that a number would round`() throws {
    let level = #"{"type": "integer", "enum": [1, 9007199254740993], "default": 1}"#
    let file = #"{"type": "object", "properties": {"level": \#(level)}}"#
    let options = ["--model", "levels.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["levels.json": file]) { program in
      let window = program.window
      try program.open("/level", in: window)
      try window.wait(for: "document.querySelector('#editor select') !== null")
      try window.type("9", into: "#editor select")
      try program.wait(for: "9007199254740993", at: "/level")
    }
  }

  @Test func `a long text and hostile names stay inert, and can be edited`() throws {
    try Self.run { program in
      let window = program.window
      let hostile = "<img src=x onerror=alert(1)>"
      try program.open("/text", in: window)
      try window.wait(for: ConsolePart.controlHas("one"))
      _ = try window.value(
        """
        (document.addEventListener('securitypolicyviolation', () => { window.violated = true; }),
          fetch('state/text', { method: 'PUT', headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify('\(hostile)'.repeat(37000)) }), 'sent')
        """, as: String.self)
      try window.wait(for: "document.querySelector('#editor textarea')?.value.length === 1036000")
      try program.go(to: "/text")
      try window.press(Key.enter)
      try press("!\(Self.save)", program)
      try window.wait(
        for: "document.getElementById('notices').textContent.includes('Saved') && \(ConsolePart.hasNoDraft)")
      try window.wait(for: "document.querySelector('#editor textarea').value.length === 1036001")
      #expect(try window.value("document.images.length === 0 && window.violated === undefined"))
      // A line separator in a value ends no event, and one in a name is shown as an escape.
      try program.open("", in: window)
      let labels = "[...document.querySelectorAll('#editor label')]"
      try window.wait(for: "\(labels).some((it) => it.textContent.includes('u{2028}'))")
      for path in ["/<~1script>", "/`${1}`", "/a~1b~0c d%"] { try program.go(to: path) }
      #expect(try window.value("document.scripts.length") == 1)
    }
  }

  @Test func `a phone shows one page at a time, and Back returns to the row`() throws {
    try Self.run(.phone) { program in
      let window = program.window
      try program.open("", in: window)
      try window.command(
        "Emulation.setDeviceMetricsOverride",
        ["width": 320, "height": 640, "deviceScaleFactor": 2, "mobile": true])
      try window.wait(for: "innerWidth === 320")
      try window.wait(for: ConsolePart.shows("3", at: "/count"))
      _ = try window.value("(document.getElementById('tree').scrollTop = 900, '')", as: String.self)
      try window.wait(for: "\(ConsolePart.row("/tasks")) !== null")
      let top = "document.getElementById('tree').scrollTop"
      try window.click(".row[data-path=\"/tags\"]")
      try window.wait(for: "document.querySelector('#editor textarea')?.checkVisibility()")
      #expect(try window.value("!document.getElementById('tree').checkVisibility({ visibilityProperty: true })"))
      let fits = "document.documentElement.scrollWidth === 320 && document.querySelector('#place').scrollWidth <= 320"
      #expect(try window.value(fits))
      try window.click("#back")
      try window.wait(for: "document.activeElement.dataset.path === '/tags' && \(top) === 900")
      try window.click("#tab-history")
      try window.wait(for: "document.getElementById('history').checkVisibility()")
      #expect(try window.value("document.documentElement.scrollWidth") == 320)
      try window.click("#tab-state")
      try window.wait(for: "\(top) === 900")
      let small: [String] = try window.value(
        """
        [...document.querySelectorAll('button, .row, label:has([type=checkbox])')]
          .filter((it) => it.checkVisibility({ visibilityProperty: true }) && it.getBoundingClientRect().height < 44)
          .map((it) => it.outerHTML)
        """)
      #expect(small.isEmpty)
    }
  }

  @Test func `a long page of a phone opens at its top`() throws {
    let members = (1...20).map { #""m\#($0)": {"type": "string", "default": ""}"# }.joined(separator: ", ")
    let tall = #"{"type": "object", "properties": {\#(members)}, "default": {}}"#
    let file = #"{"type": "object", "properties": {"tall": \#(tall)}}"#
    let options = ["--model", "tall.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["tall.json": file], .phone) { program in
      let window = program.window
      try program.open("", in: window)
      try window.wait(for: "\(ConsolePart.row("/tall")) !== null")
      try window.click(".row[data-path=\"/tall\"]")
      try window.wait(for: "document.querySelectorAll('\(ConsolePart.input)').length === 20")
      #expect(try window.value("document.activeElement.id === 'editor'"))
      #expect(try window.value("document.getElementById('place').scrollTop") == 0)
    }
  }

  @Test func `reduced motion marks a change without a movement, and forced colors by a border`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/count", in: window)
      try window.wait(for: ConsolePart.controlHas("3"))
      try window.emulate("prefers-reduced-motion", "reduce")
      try program.put("7", at: "/count")
      try window.wait(for: ConsolePart.shows("7", at: "/count"))
      let style = "getComputedStyle(\(ConsolePart.row("/count")))"
      #expect(try window.value("\(style).animationTimingFunction") == "steps(1)")
      #expect(try window.value("\(style).animationDuration") == "2s")
      try window.emulate("forced-colors", "active")
      try window.wait(for: "\(style).borderTopWidth === '2px'")
      #expect(try window.value("\(style).animationTimingFunction") == "steps(1)")
      let tabs =
        "['tab-history', 'tab-log'].map((id) => getComputedStyle(document.getElementById(id)).borderBottomColor)"
      let colors: [String] = try window.value(tabs)
      #expect(colors[0] != colors[1])
    }
  }
}
