import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu
import BinderyOpenAPI
import Testing

/// The examples of the document, performed on the example menu.
struct OpenAPIExampleTests {
  let menu = DescribedModel(Menu.example)
  let key = DigestKey(secret: Array(repeating: 7, count: 192))

  @Test func `the example of a response is what GET returns, with two elements of each list`() throws {
    var count = 0
    for place in menu.places {
      let response = place.operations["get"]?["responses"]?["200"]
      guard let example = try menu.document.example(response, "application/json") else { continue }
      var reading = ReadOperation(.json, key: key)
      try Menu.shape.visit(try state(with: place), place.route, 0, &reading)
      let value = JSONTree(json: reading.writer.bytes).shortened(place.route.target)
      // Of a type that has no value in the state, the example is made up.
      guard value != .null else { continue }
      #expect(example == value, "\(place.path)")
      count += 1
    }
    #expect(count > 30)
  }

  @Test func `the example of a request body is accepted`() throws {
    var count = 0
    for place in menu.places {
      for method in ["put", "patch", "post"] where place.path != "/state" || method != "patch" {
        guard let operation = place.operations[method],
          let example = try menu.document.example(operation["requestBody"], "application/json")
        else { continue }
        var state = try state(with: place)
        let body = try JSONDocument(parsing: example.bytes).root
        var edit =
          switch method {
          case "put": Edit(.replace(body), along: place.route)
          case "post": Edit(.append(body), along: place.route)
          default: Edit(.merge(body), along: place.route)
          }
        #expect(throws: Never.self, "\(method) \(place.path)") { try Menu.shape.apply(&state, place.route, 0, &edit) }
        count += 1
      }
    }
    #expect(count > 50)
  }

  @Test func `the example of a JSON Patch is accepted`() throws {
    let place = try #require(menu.places.first { $0.path == "/state" })
    let body = place.operations["patch"]?["requestBody"]
    var state = Menu.example
    let example = try #require(try menu.document.example(body, "application/json-patch+json"))
    let steps = try JSONDocument(parsing: example.bytes).root.elements
    #expect(steps.map { $0["op"]?.string } == ["test", "replace"])
    for step in steps {
      let path = try #require(step["path"]?.string.flatMap(Pointer.segments))
      let route = try #require(place.route.resolving(path, form: .pointer))
      let value = try #require(step["value"])
      if step["op"]?.string == "test" {
        var reading = ReadOperation(.equality(value), key: key)
        try Menu.shape.visit(state, route, 0, &reading)
        #expect(reading.isEqual)
      } else {
        var edit = Edit(.insert(value), along: route)
        try Menu.shape.apply(&state, route, 0, &edit)
      }
    }
  }

  /// Returns a menu in which a place has a value, by sending the example of each place above it with PUT.
  private func state(with place: DescribedModel.Place) throws -> Menu {
    var state = Menu.example
    for ancestor in menu.places
    where place.path == ancestor.path || place.path.hasPrefix(ancestor.path + "/") {
      guard ancestor.path != "/state", let put = ancestor.operations["put"],
        let example = try menu.document.example(put["requestBody"], "application/json")
      else { continue }
      let body = try JSONDocument(parsing: example.bytes).root
      var edit = Edit(.replace(body), requiredSteps: 0, along: ancestor.route)
      try Menu.shape.apply(&state, ancestor.route, 0, &edit)
    }
    return state
  }
}

struct JSONTreeTests {
  @Test(arguments: [
    ("plain words", "plain words"), ("", "''"), ("true", "'true'"), ("No", "'No'"), ("null", "'null'"),
    ("1.0", "'1.0'"), ("2026-11-21", "'2026-11-21'"), ("a: b", "'a: b'"), ("a #b", "'a #b'"), ("it's", "'it''s'"),
    ("- a", "'- a'"), ("{a}", "'{a}'"), ("/state/{id}", "/state/{id}"), (" a", "' a'"), ("a ", "'a '"),
    ("🍝", "'🍝'"), ("a\u{7}", "\"a\\u0007\""), ("tab\there", "\"tab\\there\""), ("ok\n", "\"ok\\n\""),
    ("two\n\nlines", "|-\n  two\n\n  lines"), ("a\n b", "\"a\\n b\""),
  ])
  func `text is quoted if YAML could read it as something else`(text: String, yaml: String) {
    let node: JSONTree = ["key": .string(text)]
    #expect(node.yaml == "key: \(yaml)\n")
  }

  @Test func `what fits on a line is written in flow style`() {
    let long = String(repeating: "x", count: 100)
    let node: JSONTree = [
      "empty": [:], "none": [], "list": [1, ["a": true, "b, c": [.null, "{d}"]], [2, 3]], "left out": nil,
      "long": [.string(long), ["a": ["$ref": "#/b"], "b": .string(long)]],
      "reference": ["$ref": "#/c"], "one": [["$ref": "#/c"]],
    ]
    #expect(
      node.yaml == """
        empty: {}
        none: []
        list: [1, {a: true, 'b, c': [null, '{d}']}, [2, 3]]
        long:
          - \(long)
          - a: {$ref: '#/b'}
            b: \(long)
        reference: {$ref: '#/c'}
        one: [{$ref: '#/c'}]

        """)
  }
}
