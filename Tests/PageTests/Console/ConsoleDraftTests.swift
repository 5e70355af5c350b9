import Foundation
import Testing

/// What the console does with writes that are refused or whose responses are lost: `Examples/kinds.model.json`.
@Suite(.serialized, .needsBrowser)
struct ConsoleDraftTests {
  private static let model = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/kinds.model.json").path
  private static let clear =
    "[...document.querySelectorAll('#editor .control button')].find((it) => it.textContent === 'Clear')"
  private static let notice = "document.getElementById('notices').textContent"

  private static func run(_ body: (ConsoleProgram) throws -> Void) throws {
    try ConsoleProgram.run(serving: ["--model", model, "--store", "memory"], .desktop, body)
  }

  /// Runs a script instead of the next write of the page, which can send it with `send()`.
  private func intercept(_ script: String, in window: Window) throws {
    _ = try window.value(
      """
      (() => {
        window.realFetch ??= fetch;
        window.fetch = async (...request) => {
          const send = () => realFetch(...request);
          // The stream of the page is a POST, too.
          if (!['PUT', 'POST'].includes(request[1]?.method) || String(request[0]) === 'events') return send();
          window.fetch = window.realFetch;
          \(script)
        };
        return '';
      })()
      """, as: String.self)
  }

  /// Loses the response to the next write of the page.
  private func loseResponse(in window: Window) throws {
    try intercept("await send(); throw new TypeError('lost');", in: window)
  }

  @Test func `an optional that cannot be cleared becomes a draft of nil`() throws {
    try Self.run { program in
      let window = program.window
      try program.put(#""Ann""#, at: "/nickname")
      try program.open("/nickname", in: window)
      try window.wait(for: ConsolePart.controlHas("Ann"))
      // Another client is faster.
      let headers = "{ 'Content-Type': 'application/json' }"
      let other = #"await realFetch('state/nickname', { method: 'PUT', headers: \#(headers), body: '"Bob"' });"#
      try intercept("\(other) return send();", in: window)
      _ = try window.value("(\(Self.clear).click(), '')", as: String.self)
      try window.wait(for: ConsolePart.conflict(base: "Ann", theirs: "Bob", yours: "nil"))
      try window.click("#editor .conflict .primary")
      try program.wait(for: "null", at: "/nickname")
      // A later response would replace the message below.
      try window.wait(for: "\(Self.notice).includes('Saved as')")
      // The server does not get the request.
      for (path, json) in [("/nickname", #""""#), ("/address", #"{"street":"Way 1","city":"Rome"}"#)] {
        try program.put(json, at: path)
        try program.open(path, in: window)
        try window.wait(for: "\(Self.clear) !== undefined")
        try intercept("throw new TypeError('lost');", in: window)
        _ = try window.value("(\(Self.clear).click(), '')", as: String.self)
        try window.wait(for: "\(ConsolePart.message)?.includes('not saved yet')")
        try window.click("#editor [type=submit]")
        try program.wait(for: "null", at: path)
      }
    }
  }

  @Test func `a write whose response was lost is reported, and can be undone`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/count", in: window)
      try window.wait(for: ConsolePart.controlHas("3"))
      try window.clear(ConsolePart.input)
      try window.type("4\n", into: ConsolePart.input)
      try program.wait(for: "4", at: "/count")
      try window.wait(for: "\(Self.notice).includes('Saved as r1')")
      try loseResponse(in: window)
      try window.clear(ConsolePart.input)
      try window.type("5\n", into: ConsolePart.input)
      try window.wait(for: "\(Self.notice).includes('Saved as r2') && \(ConsolePart.hasNoDraft)")
      try window.type("\(Key.control)z\(Key.null)", into: ".row[aria-selected=true]")
      try program.wait(for: "4", at: "/count")
    }
  }

  @Test func `an undo without an answer is tried again, and can be undone`() throws {
    try Self.run { program in
      let window = program.window
      let undo = { try window.type("\(Key.control)z\(Key.null)", into: ".row[aria-selected=true]") }
      try program.open("/count", in: window)
      try window.wait(for: ConsolePart.controlHas("3"))
      for (count, revision) in [(4, 1), (5, 2)] {
        try window.clear(ConsolePart.input)
        try window.type("\(count)\n", into: ConsolePart.input)
        try window.wait(for: "\(Self.notice).includes('Saved as r\(revision).')")
      }
      try intercept("throw new TypeError('lost');", in: window)
      try undo()
      try window.wait(for: "\(Self.notice).includes('does not answer')")
      try undo()
      try window.wait(for: "\(Self.notice).includes('Saved as r3.')")
      try program.wait(for: "4", at: "/count")
      // The undo is undone, which is a write of this page like others.
      try window.click("#notices button")
      try window.wait(for: "\(Self.notice).includes('Saved as r4.')")
      try program.wait(for: "5", at: "/count")
      for (count, revision) in [("4", 5), ("3", 6)] {
        try undo()
        try window.wait(for: "\(Self.notice).includes('Saved as r\(revision).')")
        try program.wait(for: count, at: "/count")
      }
    }
  }

  @Test func `what was typed while a response was lost is kept as a draft`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/count", in: window)
      try window.wait(for: ConsolePart.controlHas("3"))
      let more = "await new Promise((resume) => { window.resume = resume; });"
      try intercept("await send(); \(more) throw new TypeError('lost');", in: window)
      try window.clear(ConsolePart.input)
      try window.type("4\n", into: ConsolePart.input)
      try window.wait(for: "\(ConsolePart.shows("4", at: "/count")) && window.resume !== undefined")
      try window.type("2", into: ConsolePart.input)
      _ = try window.value("(window.resume(), '')", as: String.self)
      try window.wait(for: "\(Self.notice).includes('Saved as r1')")
      #expect(try window.value(ConsolePart.controlHas("42")))
      try window.press(Key.enter)
      try program.wait(for: "42", at: "/count")
    }
  }

  @Test func `a conflict shows what is typed and what is written meanwhile`() throws {
    try Self.run { program in
      let window = program.window
      try program.makeConflict(in: window)
      try window.clear(ConsolePart.input)
      try window.type("32", into: ConsolePart.input)
      try window.wait(for: ConsolePart.conflict(base: "3", theirs: "7", yours: "32"))
      try program.put("8", at: "/count")
      try window.wait(for: ConsolePart.conflict(base: "3", theirs: "8", yours: "32"))
      try window.click("#editor .conflict .primary")
      try program.wait(for: "32", at: "/count")
    }
  }

  @Test func `a conflict shows values whole if they differ at the end`() throws {
    try Self.run { program in
      let window = program.window
      let text = String(repeating: "x", count: 210)
      try program.put("\"\(text)a\"", at: "/text")
      try program.open("/text", in: window)
      try window.wait(for: ConsolePart.controlHas(text + "a"))
      try window.type("b", into: ConsolePart.input)
      try program.put("\"\(text)c\"", at: "/text")
      try window.wait(for: "\(ConsolePart.message)?.includes('now x')")
      try window.click("#editor .actions .primary")
      try window.wait(for: ConsolePart.conflict(base: text + "a", theirs: text + "c", yours: text + "ab"))
    }
  }

  @Test func `changes between values that look alike are shown as JSON`() throws {
    try Self.run { program in
      let window = program.window
      let texts = "[...document.querySelector('#history li').querySelectorAll('bdi')].map((it) => it.textContent)"
      try program.open("/anything", in: window)
      for (path, old, new) in [("/anything", "5", #""5""#), ("/nickname", #""nil""#, "null"), ("/ratio", "0", "-0.0")] {
        try program.put(old, at: path)
        try program.put(new, at: path)
        try window.wait(for: "\(texts).join() === '\(old),\(new == "-0.0" ? "-0" : new)'")
      }
      try window.wait(for: ConsolePart.controlHas(#""5""#))
      try window.type("x", into: ConsolePart.input)
      try program.put("5", at: "/anything")
      try window.wait(for: #"\#(ConsolePart.message) === '⚠ now 5, was "5"'"#)
    }
  }

  @Test func `keys of an input method neither discard nor save a draft`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/text", in: window)
      try window.wait(for: ConsolePart.controlHas("one"))
      try window.type("two", into: ConsolePart.input)
      let composition: [String: Any] = ["text": "にほん", "selectionStart": 3, "selectionEnd": 3]
      try window.command("Input.imeSetComposition", composition)
      let press = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
      for key in ["Escape", "s"] {
        let event = "{ key: '\(key)', ctrlKey: \(key == "s"), isComposing: true, bubbles: true }"
        _ = try window.value("\(press)\(event)))", as: Bool.self)
      }
      #expect(try window.value(ConsolePart.controlHas("onetwoにほん")))
      #expect(try window.value("document.activeElement === document.querySelector('\(ConsolePart.input)')"))
      #expect(try window.text("#editor [type=submit]") == "Save")
    }
  }

  @Test func `an edited text keeps the ends of its lines`() throws {
    try Self.run { program in
      let window = program.window
      try program.put(#""a\r\nb\nc\rd""#, at: "/text")
      try program.open("/text", in: window)
      try window.wait(for: ConsolePart.controlHas(#"a\nb\nc\nd"#))
      try window.type("!", into: ConsolePart.input)
      try window.click("#editor [type=submit]")
      try program.wait(for: #""a\\r\\nb\\nc\\rd!""#, at: "/text")
    }
  }

  @Test func `a new element is a draft, and is added once if its response was lost`() throws {
    try Self.run { program in
      let window = program.window
      let title = "#editor .adder input[aria-label='new element, title']"
      try program.open("/tasks", in: window)
      try window.wait(for: "document.querySelector('#editor .adder button') !== null")
      try window.click("#editor .adder button")
      // The refusal is at the control that the server names.
      try window.clear(title)
      try window.type(Key.enter, into: "#editor .adder [type=checkbox]")
      try window.wait(for: "document.activeElement === document.querySelector(\"\(title)\")")
      #expect(try window.value("document.activeElement.ariaInvalid === 'true'"))
      try window.type("Rest", into: title)
      _ = try window.value("location.hash = '#/count'", as: String.self)
      try window.wait(for: ConsolePart.controlHas("3"))
      #expect(try window.text("#drafts") == "1 draft")
      try window.click("#drafts")
      try window.wait(for: "document.querySelector(\"\(title)\")?.value === 'Rest'")
      try loseResponse(in: window)
      try window.type(Key.enter, into: title)
      let message = "document.querySelector('#editor .adder .message')?.textContent"
      try window.wait(for: "\(message) === 'The server does not answer.'")
      try window.wait(for: ConsolePart.shows("3 elements", at: "/tasks"))
      try window.type(Key.enter, into: title)
      try window.wait(for: "\(Self.notice).includes('Saved as r1') && \(ConsolePart.hasNoDraft)")
      #expect(try window.value(ConsolePart.shows("3 elements", at: "/tasks")))
    }
  }

  @Test func `an optional list gets elements while it has a value`() throws {
    let members = #""properties": {"id": {"type": "string"}}, "required": ["id"]"#
    let item = #"{"type": "object", \#(members), "x-bindery": {"id": "id"}}"#
    let items = #"{"anyOf": [{"type": "array", "items": \#(item)}, {"type": "null"}]}"#
    let file = #"{"type": "object", "properties": {"items": \#(items)}}"#
    let options = ["--model", "items.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["items.json": file]) { program in
      let window = program.window
      let adder = "document.querySelector('#editor .adder')"
      try program.open("/items", in: window)
      try window.wait(for: "document.querySelector('#editor .nil-value') !== null && \(adder) === null")
      try program.put(#"[{"id":"a"}]"#, at: "/items")
      try window.wait(for: "\(adder) !== null")
      try window.click("#editor .adder button")
      try window.type("b\n", into: "#editor .adder .text input")
      try program.wait(for: #"[{"id":"a"},{"id":"b"}]"#, at: "/items")
      try program.open("/items/b", in: window)
      try window.wait(for: "\(ConsolePart.row("/items/b"))?.ariaSelected === 'true'")
      try window.click("#editor .element-actions button")
      try program.wait(for: #"[{"id":"b"},{"id":"a"}]"#, at: "/items")
    }
  }

  @Test func `the history shows every revision of a burst`() throws {
    try Self.run { program in
      let window = program.window
      let newest = "document.querySelector('#history .revision')?.textContent"
      try program.open("/count", in: window)
      try program.put("4", at: "/count")
      try window.wait(for: "\(newest) === 'r1'")
      let writes = """
        (async () => { for (let i = 1; i <= 130; i += 1) await fetch('state/ratio', { method: 'PUT', body: String(i),
          headers: { 'Content-Type': 'application/json' } }); })()
        """
      _ = try window.value("(\(writes), '')", as: String.self)
      let rows = "document.querySelectorAll('#history .revision').length"
      let older = "#history > button"
      try window.wait(for: "\(newest) === 'r131'")
      for count in [100, 131] {
        try window.click(older)
        try window.wait(for: "\(rows) === \(count)")
      }
      #expect(try window.value("document.querySelector('\(older)').hidden"))
    }
  }
}
