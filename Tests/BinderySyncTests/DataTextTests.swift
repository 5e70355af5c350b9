import BinderyCore
import BinderySync
import BinderyTestKit
import BindingLaws
import Testing

/// The text of a data file after a change.
struct DataTextTests {
  /// Returns the text of the file after the state that it describes has been replaced.
  private func text(_ old: String, _ new: String) throws -> String {
    let (before, after) = (Blog.shape.data(try Blog.state(old)), Blog.shape.data(try Blog.state(new)))
    return String(
      decoding: DataText.text(of: after, Blog.shape.type, like: (Array(old.utf8), [before])), as: UTF8.self)
  }

  @Test func `a change of one value changes nothing else in the text`() throws {
    for (part, replacement) in [
      (#""title": "One""#, #""title": "First""#), (#""zoom": 3"#, #""zoom": 4"#), ("1e3", "7"),
      (#"{"z": [1, 2], "a": {}}"#, "null"), (#"["a",  "b"]"#, #"["a",  "c"]"#),
    ] {
      #expect(
        try text(Blog.data, Blog.data.replacing(part, with: replacement))
          == Blog.data.replacing(part, with: replacement))
    }
  }

  @Test(arguments: [#"{"text": "a\/b"}, {"id":"x",  "text":"c"}"#, #"{"id":"x",  "text":"c"}, {"text": "a\/b"}"#])
  func `a generated id is all that is added to a text without it`(_ notes: String) throws {
    let old = Blog.data.replacing(#""notes": []"#, with: #""notes": [\#(notes)]"#)
    let (first, second) = (try Blog.state(old), try Blog.state(old))
    let data = Blog.shape.data(first)
    let text = DataText.text(of: data, Blog.shape.type, like: (Array(old.utf8), [data, Blog.shape.data(second)]))
    let new = String(decoding: text, as: UTF8.self)
    let id = try #require(new.firstMatch(of: /"text": "a\\\/b", "id": ("[^"]*")/)).1
    #expect(new == old.replacing(#"{"text": "a\/b"}"#, with: #"{"text": "a\/b", "id": \#(id)}"#))
  }

  @Test func `new members are last and new elements look like the one before them`() throws {
    let new = Blog.data.replacing(#""alpha": 1}"#, with: #""alpha": 1, "beta": 2}"#)
      .replacing(
        #""at": null, "author": "Ann" }"#,
        with: #""at": null, "author": "Ann" }, {"id": 3, "title": "Three", "views": 0, "at": null, "author": "Bea"}"#)
    let expected = Blog.data.replacing(#""alpha": 1}"#, with: #""alpha": 1, "beta": 2}"#)
      .replacing(
        #""at": null, "author": "Ann" }"#,
        with: #"""
          "at": null, "author": "Ann" },
              { "title": "Three", "id": 3, "views": 0, "at": null, "author": "Bea" }
          """#)
    #expect(try text(Blog.data, new) == expected)
  }

  @Test func `moved and removed elements keep their text`() throws {
    let one = #"{ "title": "One", "id": 1, "views": 1.50, "at": "2026-01-01T00:00:00Z", "author": "Ann" }"#
    let two = #"{ "title": "Two", "id": 2, "views": 1e3, "at": null, "author": "Ann" }"#
    let both = "\(one),\n    \(two)"
    for elements in ["\(two),\n    \(one)", one, two] {
      let new = Blog.data.replacing(both, with: elements)
      #expect(try text(Blog.data, new) == new)
    }
  }

  @Test(
    arguments: [
      "{\n\t\"title\": \"a\"\n}\n", "{\n    \"title\": \"a\"\n}", "{\r\n  \"title\" : \"a\"\r\n}\r\n",
      "{\"title\":\"a\"}",
      "{ \"title\": \"a\" }\n", "\n{\n  \"title\": \"a\"\n}\n\n",
    ])
  func `a new text has the indentation, line breaks and end of the old one`(_ small: String) throws {
    let rest = #","posts":[],"settings":{},"tags":[],"labels":[],"notes":[],"free":null"#
    let old = small.replacing("\"a\"", with: "\"a\"" + rest)
    let result = try text(old, old.replacing("\"a\"", with: "\"b\""))
    #expect(result == old.replacing("\"a\"", with: "\"b\""))
    let filled = try text(old, old.replacing("\"tags\":[]", with: #""tags":["x","y"]"#))
    let unit = small.contains("\t") ? "\t" : small.contains("    ") ? "    " : "  "
    let line = small.contains("\r\n") ? "\r\n" : "\n"
    let expected =
      small.contains(line + unit)
      ? "[" + line + unit + unit + "\"x\"," + line + unit + unit + "\"y\"" + line + unit + "]" : #"["x","y"]"#
    #expect(filled == old.replacing("\"tags\":[]", with: "\"tags\":" + expected))
  }

  @Test func `a text without a template has two spaces per level`() throws {
    let data = Blog.shape.data(
      try Blog.state(#"{"title":"a","posts":[],"settings":{"a":1},"tags":["x"],"labels":[],"notes":[],"free":{}}"#))
    let text = DataText.text(of: data, Blog.shape.type, like: (Array("{".utf8), []))
    #expect(
      String(decoding: text, as: UTF8.self) == """
        {
          "title": "a",
          "posts": [],
          "settings": {
            "a": 1
          },
          "tags": [
            "x"
          ],
          "labels": [],
          "notes": [],
          "free": {}
        }

        """)
  }

  @Test func `any text describes its data and does not change again`() throws {
    var random = SeededGenerator(seed: 20)
    var generator = BlogGenerator(&random)
    var old = Blog.data
    for _ in 0..<400 {
      if random.chance(10) { generator = BlogGenerator(&random) } else { generator.change(&random) }
      let data = generator.text(&random)
      let root = try Blog.state(data)
      let new = try text(old, data)
      #expect(Blog.shape.areSame(try Blog.state(new), root), "\(old)\n\(data)\n\(new)")
      #expect(try text(new, data) == new)
      old = random.chance(20) ? data : new
    }
  }

  @Test(arguments: ["[1, 2]", "\"x\"", "{}", "", "{", #"{"posts": {"id": [1]}, "title": [ 1,2 ], "free": {"z": []}}"#])
  func `any earlier text can give the layout`(_ old: String) throws {
    let state = try Blog.state(Blog.data)
    for data in [nil, Array("{\"posts\":[1],\"title\":{}}".utf8)] {
      let earlier = (Array(old.utf8), data.map { [$0] } ?? [])
      let text = DataText.text(of: Blog.shape.data(state), Blog.shape.type, like: earlier)
      #expect(Blog.shape.areSame(try Blog.state(String(decoding: text, as: UTF8.self)), state))
    }
  }
}
