import Testing

/// The dialog of the console that goes to a place or searches for a text.
@Suite(.serialized, .needsBrowser)
struct ConsoleSearchTests {
  private static let model = ##"""
    {
      "type": "object",
      "properties": {
        "plans": {
          "type": "array",
          "items": {
            "type": "object", "x-bindery": { "id": "id" }, "required": ["id", "name"],
            "properties": {
              "id": { "type": "string" }, "name": { "type": "string" }, "steps": { "$ref": "#/$defs/Steps" }
            }
          }
        },
        "mode": {
          "oneOf": [
            { "const": "off" },
            { "type": "object", "properties": { "run": { "$ref": "#/$defs/Steps" } }, "required": ["run"] }
          ],
          "default": "off"
        },
        "groups": { "type": "object", "additionalProperties": { "$ref": "#/$defs/Steps" } },
        "house": {
          "type": "object", "properties": { "street": { "type": "string" } }, "required": ["street"],
          "default": { "street": "Oak Way" }
        },
        "note": { "type": "string", "default": "remember" },
        "data": { "type": "array", "items": { "type": "array", "items": { "type": "string" } }, "default": [["x1", "x2"]] }
      },
      "$defs": {
        "Steps": {
          "type": "array",
          "items": {
            "type": "object", "x-bindery": { "id": "id" }, "required": ["id"],
            "properties": { "id": { "type": "string" }, "text": { "type": "string", "default": "" } }
          }
        }
      }
    }
    """##

  private static func run(_ body: (ConsoleProgram) throws -> Void) throws {
    let options = ["--model", "plans.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["plans.json": model]) { program in
      try program.put(#"[{"id":"p1","name":"Plan","steps":[{"id":"s1","text":"first"}]}]"#, at: "/plans")
      try program.put(#"{"run":[{"id":"s2","text":"second"}]}"#, at: "/mode")
      try program.put(#"{"north":[{"id":"s3","text":"third"}]}"#, at: "/groups")
      try program.open("", in: program.window)
      try body(program)
    }
  }

  @Test func `a search finds texts of dictionaries, payloads, elements below elements and plain members`() throws {
    try Self.run { program in
      let window = program.window
      try window.click("#search-open")
      let found = "[...document.querySelectorAll('#jump-list li')].map((it) => it.textContent).join()"
      let progress = "document.getElementById('jump-progress').textContent"
      for (text, path) in [
        ("first", "/plans/p1/steps/s1"), ("SECOND", "/mode/run/s2"), ("third", "/groups/north/s3"),
        ("north", "/groups/north"), ("oak", "/house/street"), ("remem", "/note"), ("plan", "/plans/p1Plan"),
        ("x", "/data"),
      ] {
        try window.clear("#jump-field")
        try window.type(text, into: "#jump-field")
        try window.click("#jump-search")
        try window.wait(for: "\(found) === '\(path)' && \(progress) === '6 of 6 places read, 1 found'")
      }
    }
  }

  @Test func `an id leads to its element, wherever that is, and a slash to the root`() throws {
    try Self.run { program in
      let window = program.window
      for (text, path) in [
        ("s1", "/plans/p1/steps/s1"), ("s2", "/mode/run/s2"), ("s3", "/groups/north/s3"), ("north", "/groups/north"),
        ("p1", "/plans/p1"), ("/", ""),
      ] {
        try window.click("#search-open")
        try window.type("\(text)\n", into: "#jump-field")
        try window.wait(for: "!document.getElementById('jump').open && location.hash.slice(1) === '\(path)'")
      }
      try program.open("/", in: window)
      try window.wait(for: "document.querySelectorAll('#editor .field').length > 1")
    }
  }

  @Test func `ids, further members and their values are found in an open object`() throws {
    let members = #""properties": {"id": {"type": "string"}}, "required": ["id"]"#
    let plan = #"{"type": "object", \#(members), "x-bindery": {"id": "id"}}"#
    let plans = #"{"plans": {"type": "array", "items": \#(plan)}}"#
    let file = #"{"type": "object", "properties": \#(plans), "additionalProperties": true}"#
    let options = ["--model", "open.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["open.json": file]) { program in
      let window = program.window
      try program.put(#"{"plans":[{"id":"p1"}],"animal":"zebra"}"#, at: "")
      try program.open("", in: window)
      for (text, path) in [("p1", "/plans/p1"), ("animal", "/animal"), ("plans", "/plans"), ("/animal", "/animal")] {
        try window.click("#search-open")
        try window.type("\(text)\n", into: "#jump-field")
        try window.wait(for: "!document.getElementById('jump').open && location.hash.slice(1) === '\(path)'")
      }
      try window.click("#search-open")
      try window.type("zebra", into: "#jump-field")
      try window.click("#jump-search")
      try window.wait(for: "document.querySelector('#jump-list li')?.textContent === '/animal'")
    }
  }

  @Test func `the dialog is wide enough for a path on a phone`() throws {
    try Self.run { program in
      let size: [String: Any] = ["width": 360, "height": 640, "deviceScaleFactor": 1, "mobile": true]
      try program.window.command("Emulation.setDeviceMetricsOverride", size)
      try program.window.wait(for: "innerWidth === 360")
      try program.window.click("#search-open")
      #expect(try program.window.value("document.getElementById('jump-field').offsetWidth > 200"))
      #expect(try program.window.value("document.documentElement.scrollWidth") == 360)
    }
  }
}
