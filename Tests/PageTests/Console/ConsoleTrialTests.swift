import Testing

/// The console as a new user meets it: `bindery serve --from db.json`.
@Suite(.serialized, .needsBrowser)
struct ConsoleTrialTests {
  private static let data =
    #"{"posts": [{"id": "1", "title": "a title", "views": 100}], "profile": {"name": "typicode"}}"#
  private static let title = "/posts/1/title"

  private static func run(_ body: (ConsoleProgram) throws -> Void) throws {
    try ConsoleProgram.run(serving: ["--from", "db.json"], files: ["db.json": data], .desktop, body)
  }

  @Test func `a new user edits a value, resolves a conflict, finds who wrote it and takes it back`() throws {
    try Self.run { program in
      let window = program.window
      #expect(program.startOutput.contains("serves \(program.address)console; the state is at /state\n"))
      // The start page leads to the console. Everything below is reached by clicks.
      try window.navigate(to: program.address)
      try window.wait(for: ConsolePart.isLive)
      for path in ["/posts", "/posts/1", Self.title] {
        try window.wait(for: "\(ConsolePart.row(path)) !== null")
        try window.click(".row[data-path=\"\(path)\"]")
      }
      try window.wait(for: ConsolePart.controlHas("a title"))
      let other = try program.browser.newWindow()
      try program.open(Self.title, in: other)
      try other.wait(for: ConsolePart.controlHas("a title"))
      try other.clear(ConsolePart.input)
      try other.type("mine", into: ConsolePart.input)
      try window.clear(ConsolePart.input)
      try window.type("theirs\n", into: ConsolePart.input)
      try other.wait(for: "\(ConsolePart.row(Self.title)).matches('.flash, .flash-again')")
      try other.press(Key.enter)
      try other.wait(for: ConsolePart.conflict(base: "a title", theirs: "theirs", yours: "mine"))
      try other.click("#editor .conflict .primary")
      try window.wait(for: ConsolePart.shows("mine", at: Self.title))
      let newest = "document.querySelector('#history .log > li')"
      try window.wait(
        for: "\(newest)?.textContent.includes('theirs → mine') && \(newest).querySelector('.author').textContent")
      try window.click("#history .log > li > button")
      try window.click("#history .preview .primary")
      try other.wait(for: ConsolePart.shows("theirs", at: Self.title))
    }
  }

  @Test func `drafts survive while the server is down, and are saved when it is back`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/profile/name", in: window)
      try window.wait(for: ConsolePart.controlHas("typicode"))
      try window.type("2", into: ConsolePart.input)
      program.stop()
      try window.wait(for: "document.getElementById('status').textContent === 'Offline'")
      try window.wait(for: "document.getElementById('status-detail').textContent.includes('next try in')")
      #expect(try window.value("document.querySelector('#editor [type=submit]').disabled"))
      #expect(try window.value("document.querySelector('#editor .stale') !== null"))
      try window.type("3", into: ConsolePart.input)
      try program.start()
      try window.wait(for: "\(ConsolePart.isLive) && \(ConsolePart.controlHas("typicode23"))")
      try window.wait(for: "!document.querySelector('#editor [type=submit]').disabled")
      try window.press(Key.enter)
      try program.wait(for: #""typicode23""#, at: "/profile/name")
    }
  }

  @Test func `what was typed while the server answers is kept as a draft`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/profile/name", in: window)
      try window.wait(for: ConsolePart.controlHas("typicode"))
      // The response is held back until more is typed.
      _ = try window.value(
        """
        (window.realFetch = fetch, window.held = new Promise((resume) => { window.resume = resume; }),
          window.fetch = async (...request) => {
            const response = await realFetch(...request);
            if (request[1]?.method === 'PUT') await window.held;
            return response;
          }, '')
        """, as: String.self)
      try window.type("2\n", into: ConsolePart.input)
      // The event stream is faster than the response.
      try window.wait(for: ConsolePart.shows("typicode2", at: "/profile/name"))
      try window.type("3", into: ConsolePart.input)
      _ = try window.value("(window.resume(), '')", as: String.self)
      try window.wait(for: "document.querySelector('#editor [type=submit]')?.textContent === 'Save'")
      #expect(try window.value(ConsolePart.controlHas("typicode23")))
      try window.press(Key.enter)
      try program.wait(for: #""typicode23""#, at: "/profile/name")
    }
  }
}
