import Testing

/// The console with lists and dictionaries of a model file.
@Suite(.serialized, .needsBrowser)
struct ConsoleListTests {
  private static let model = ##"""
    {
      "type": "object",
      "properties": {
        "few": { "$ref": "#/$defs/Items" },
        "items": { "$ref": "#/$defs/Items" },
        "numbers": { "type": "object", "additionalProperties": { "type": "integer" } },
        "groups": { "type": "object", "additionalProperties": { "$ref": "#/$defs/Items" } },
        "chosen": {
          "oneOf": [
            { "const": "none" },
            { "type": "object", "properties": { "some": { "$ref": "#/$defs/Items" } }, "required": ["some"] }
          ],
          "default": "none"
        },
        "people": {
          "type": "array",
          "items": {
            "type": "object", "x-bindery": { "id": "id" }, "required": ["id", "name", "title"],
            "properties": {
              "id": { "type": "string" }, "title": { "type": "string" },
              "name": { "type": "object", "properties": { "first": { "type": "string" } }, "required": ["first"] }
            }
          }
        }
      },
      "$defs": {
        "Items": { "type": "array", "items": { "$ref": "#/$defs/Item" } },
        "Item": {
          "type": "object", "x-bindery": { "id": "id" }, "required": ["name"],
          "properties": { "id": { "type": "string" }, "name": { "type": "string" } }
        }
      }
    }
    """##

  private static func run(_ body: (ConsoleProgram) throws -> Void) throws {
    let options = ["--model", "lists.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["lists.json": model], .desktop, body)
  }

  /// Returns the JSON of a list of items with these ids.
  private static func items(_ ids: some Sequence<Int>) -> String {
    "[\(ids.map { #"{"id":"\#($0)","name":"Item \#($0)"}"# }.joined(separator: ","))]"
  }

  @Test func `an element moves by one, also after others have removed elements before it`() throws {
    try Self.run { program in
      let window = program.window
      let row = ConsolePart.row("/items/1500")
      try program.put(Self.items(1...2000), at: "/items")
      try program.open("/items/1500", in: window)
      try window.wait(for: "\(row)?.ariaSetSize === '2000'")
      let neighbors = "/items?limit=3&after=1498"
      try window.click(".element-actions button:nth-child(2)")
      try program.wait(for: Self.items([1499, 1501, 1500]), at: neighbors)
      try window.wait(for: "\(row)?.ariaPosInSet === '1501'")
      try program.put(Self.items([4...1499, 1501...1501, 1500...1500, 1502...2000].joined()), at: "/items")
      // The position in the window is not known any more.
      try window.wait(for: "\(row)?.ariaSetSize === '1997' && \(row).ariaPosInSet === null")
      try window.click(".element-actions button:nth-child(1)")
      try program.wait(for: Self.items(1499...1501), at: neighbors)
      try window.wait(for: "\(row)?.ariaPosInSet === '1497'")
    }
  }

  @Test func `an element is added with an id that is neither generated nor required`() throws {
    try Self.run { program in
      let window = program.window
      try program.open("/items", in: window)
      try window.click("#editor .adder button")
      try window.type("1", into: "#editor .adder .member:nth-child(1) input")
      try window.type("Item 1\n", into: "#editor .adder .member:nth-child(2) input")
      try program.wait(for: Self.items([1]), at: "/items")
    }
  }

  @Test func `keys do not leave a list whose next elements are still loaded`() throws {
    try Self.run { program in
      let window = program.window
      try program.put(Self.items(1...600), at: "/items")
      try program.open("/items/1", in: window)
      try window.wait(for: "\(ConsolePart.row("/items/2")) !== null")
      _ = try window.value(
        """
        (({ fetch }) => {
          const held = new Promise((resume) => { window.resume = resume; });
          window.fetch = async (...request) => {
            if (String(request[0]).startsWith('state/items?')) await held;
            return fetch(...request);
          };
        })(window)
        """, as: String?.self)
      try window.focus(".row[aria-selected=true]")
      for _ in 1...20 { try window.press(Key.pageDown) }
      try window.press(Key.down)
      #expect(try window.value("location.hash") == "#/items/201")
      _ = try window.value("(window.resume(), '')", as: String.self)
      try window.wait(for: "\(ConsolePart.row("/items/202")) !== null")
      try window.press(Key.down)
      #expect(try window.value("location.hash") == "#/items/202")
    }
  }

  @Test func `a list that is closed while the page shows many other rows is current when it is opened again`() throws {
    try Self.run { program in
      let window = program.window
      let few = ".row[data-path=\"/few\"]"
      let numbers = (1...4_400).map { #""\#($0)":\#($0)"# }.joined(separator: ",")
      try program.put("{\(numbers)}", at: "/numbers")
      try program.put(Self.items(1...2), at: "/few")
      try program.open("", in: window)
      // Many rows fit into the window.
      let size: [String: Any] = ["width": 1200, "height": 6000, "deviceScaleFactor": 1, "mobile": false]
      try window.command("Emulation.setDeviceMetricsOverride", size)
      try window.click(few)
      try window.wait(for: "\(ConsolePart.row("/few/2")) !== null")
      try window.click(few)
      try window.click(".row[data-path=\"/numbers\"]")
      let rows = "[...document.querySelectorAll('.row[data-path^=\"/numbers/\"]')]"
      let last = "\(rows).at(-1).dataset.path"
      let haveValues = "\(rows).length > 100 && \(rows).every((it) => it.querySelector('.value').textContent)"
      for top in stride(from: 0, through: 126_000, by: 3_500) {
        let scroll = "document.getElementById('tree').scrollTop = \(top)"
        try window.wait(for: "(\(scroll), \(haveValues) && \(last) !== window.last) && (window.last = \(last))")
      }
      try program.put(Self.items(1...3), at: "/few")
      try window.wait(for: "(document.getElementById('tree').scrollTop = 0, \(ConsolePart.row("/few")) !== null)")
      try window.wait(for: ConsolePart.shows("3 elements", at: "/few"))
      try window.click(few)
      try window.wait(for: "\(ConsolePart.row("/few/3")) !== null")
    }
  }

  @Test func `removing several elements asks first`() throws {
    try Self.run { program in
      let window = program.window
      let four = Self.items(1...4)
      try program.put(#"{"a":\#(four)}"#, at: "/groups")
      try program.put(#"{"some":\#(four)}"#, at: "/chosen")
      /// Does something twice; the question is answered with no the first time.
      func remove(at path: String, before: String, after: String, _ body: () throws -> Void) throws {
        for (answer, json) in [("false", before), ("true", after)] {
          let confirm = "(text) => { window.asked = text; return \(answer); }"
          _ = try window.value("(window.asked = '', window.confirm = \(confirm), '')", as: String.self)
          try body()
          try window.wait(for: "window.asked === 'Remove 4 elements?'")
          try program.wait(for: json, at: path)
        }
      }
      try program.open("/groups/a", in: window)
      try window.wait(for: "\(ConsolePart.facts) === '4 elements'")
      try remove(at: "/groups", before: #"{"a":\#(four)}"#, after: "{}") {
        try window.click(".element-actions .danger")
      }
      try program.open("/chosen", in: window)
      try window.wait(for: "document.querySelector('#editor select')?.value === 'some'")
      try remove(at: "/chosen", before: #"{"some":\#(four)}"#, after: #""none""#) {
        try window.focus("#editor select")
        try window.press("n")
      }
    }
  }

  @Test func `the title of an element is a text`() throws {
    try Self.run { program in
      let name = "\(ConsolePart.row("/people/1"))?.querySelector('.name').textContent"
      try program.put(#"[{"id":"1","title":"Doctor","name":{"first":"Ann"}}]"#, at: "/people")
      try program.open("/people/1", in: program.window)
      try program.window.wait(for: "\(name) === 'Doctor'")
      #expect(try program.window.value("document.querySelector('#editor h2 span').textContent") == "Doctor")
    }
  }
}
