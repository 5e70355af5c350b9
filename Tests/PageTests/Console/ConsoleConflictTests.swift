import Testing

/// The console when other clients remove the place of a draft, and conflicts of other places than stored scalars.
@Suite(.serialized, .needsBrowser)
struct ConsoleConflictTests {
  private static let model = """
    {
      "type": "object",
      "properties": {
        "mode": {
          "oneOf": [
            { "const": "off" },
            { "type": "object", "properties": { "dimmed": { "type": "integer" } }, "required": ["dimmed"] }
          ],
          "default": { "dimmed": 5 }
        },
        "limits": { "type": "object", "additionalProperties": { "type": "integer" }, "default": { "a": 5 } },
        "house": {
          "anyOf": [
            {
              "type": "object", "properties": { "city": { "type": "string" }, "floor": { "type": "integer" } },
              "required": ["city", "floor"]
            },
            { "type": "null" }
          ],
          "default": { "city": "Bonn", "floor": 5 }
        },
        "count": { "type": "integer", "default": 5 },
        "total": { "x-bindery": { "alias": "/count" } }
      }
    }
    """

  private static func run(_ body: (ConsoleProgram) throws -> Void) throws {
    let options = ["--model", "rooms.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["rooms.json": model], .desktop, body)
  }

  /// Types a digit after the 5 of a place. Another client then writes a value above it, without the place.
  private func loseDraftedPlace(_ path: String, to json: String, at above: String, _ program: ConsoleProgram) throws {
    let window = program.window
    try program.open(path, in: window)
    try window.wait(for: ConsolePart.controlHas("5"))
    try window.type("1", into: ConsolePart.input)
    try program.put(json, at: above)
    try window.wait(for: "\(ConsolePart.message) === '⚠ now absent, was 5'")
  }

  private func waitForConflict(_ buttons: String, _ window: Window) throws {
    try window.click("#editor [type=submit]")
    try window.wait(for: ConsolePart.conflict(base: "5", theirs: "absent", yours: "51"))
    let texts = "[...document.querySelectorAll('#editor .conflict button')].map((it) => it.textContent).join()"
    #expect(try window.value(texts) == buttons)
  }

  @Test(arguments: [
    ("/mode/dimmed", "/mode", #""off""#, #"{"dimmed":51}"#), ("/limits/a", "/limits", "{}", #"{"a":51}"#),
  ])
  func `a draft of a place that was removed is a conflict, and can be written`(
    path: String, above: String, theirs: String, mine: String
  ) throws {
    try Self.run { program in
      try loseDraftedPlace(path, to: theirs, at: above, program)
      try waitForConflict("Keep theirs,Write mine,Edit", program.window)
      try program.window.click("#editor .conflict .primary")
      try program.wait(for: mine, at: above)
    }
  }

  @Test func `a draft of a member of an optional that is nil now can be given up`() throws {
    try Self.run { program in
      try loseDraftedPlace("/house/floor", to: "null", at: "/house", program)
      // No write could create the other members.
      try waitForConflict("Keep theirs,Edit", program.window)
      try program.window.click("#editor .conflict button")
      try program.wait(for: "null", at: "/house")
    }
  }

  @Test func `the case of a draft can be switched to`() throws {
    try Self.run { program in
      try loseDraftedPlace("/mode/dimmed", to: #""off""#, at: "/mode", program)
      try program.window.click(".absence ~ button")
      try program.wait(for: #"{"dimmed":51}"#, at: "/mode")
    }
  }

  @Test func `a conflict of a computed place does not ask for its history`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/total", in: window)
      try window.wait(for: ConsolePart.controlHas("5"))
      // The filter of the history is not in use.
      try window.wait(for: "document.querySelector('#history .empty').textContent === 'Nothing has been written yet.'")
      try window.type("1", into: ConsolePart.input)
      try program.put("7", at: "/total")
      try window.wait(for: "\(ConsolePart.message)?.includes('now 7')")
      try window.click("#editor [type=submit]")
      try window.wait(for: ConsolePart.conflict(base: "5", theirs: "7", yours: "51"))
      let paths = "performance.getEntriesByType('resource').filter((it) => it.name.includes('path=')).length"
      #expect(try window.value(paths) == 0)
    }
  }

  @Test func `a value that is saved during a pause is shown, whatever others write meanwhile`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/count", in: window)
      try window.wait(for: ConsolePart.controlHas("5"))
      try window.click("#pause")
      // The stream has a later revision before the response arrives.
      let write = "{ method: 'PUT', body: '6', headers: { 'Content-Type': 'application/json' } }"
      _ = try window.value(
        """
        (() => {
          const real = fetch;
          window.fetch = async (...request) => {
            const response = await real(...request);
            if (request[1]?.method !== 'PUT') return response;
            window.fetch = real;
            await real('state/limits/a', \(write));
            while (document.getElementById('revision').textContent !== 'r2') await new Promise(requestAnimationFrame);
            return response;
          };
          return '';
        })()
        """, as: String.self)
      try window.type("1\n", into: ConsolePart.input)
      try window.wait(for: "\(ConsolePart.shows("51", at: "/count")) && \(ConsolePart.hasNoDraft)")
      try window.type("2\n", into: ConsolePart.input)
      try program.wait(for: "512", at: "/count")
    }
  }

  @Test func `what a pause has held back does not replace a newer own write`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/count", in: window)
      try window.wait(for: ConsolePart.controlHas("5"))
      try window.click("#pause")
      // The computed place has changed, too.
      try program.put("7", at: "/count")
      try window.wait(for: "document.getElementById('status-detail').textContent === '2 held'")
      try window.type("1", into: ConsolePart.input)
      try window.press(Key.enter)
      try window.wait(for: ConsolePart.conflict(base: "5", theirs: "7", yours: "51"))
      try window.click("#editor .conflict .primary")
      try window.wait(for: ConsolePart.shows("51", at: "/count"))
      try window.wait(for: "document.getElementById('status-detail').textContent === '4 held'")
      try window.click("#pause")
      try window.wait(for: ConsolePart.isLive)
      // The counter counts the own write alone.
      #expect(try window.value("\(ConsolePart.row("/count")).querySelector('.changes').textContent") == "1×")
    }
  }
}
