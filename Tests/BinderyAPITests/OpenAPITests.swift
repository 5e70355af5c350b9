import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON
import BinderyMenu
import BinderyOpenAPI
import Foundation
import Testing

/// The OpenAPI document of the menu.
struct OpenAPITests {
  let document = OpenAPIDocument(of: Menu.example, title: "Bindery", version: "0.1.0")

  @Test func `the OpenAPI file in the repository is up to date`() throws {
    let file = URL(filePath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "openapi.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text == document.yaml, "regenerate it: bindery openapi > openapi.yaml")
  }

  @Test func `the document describes exactly the places that the types define`() {
    let described = document.describedPlaces.map { $0.path.replacing(/{\w+}/, with: "{}") }
    #expect(Set(described) == Menu.shape.type.paths(from: "/state"))
    #expect(Set(described).count == described.count)
  }

  @Test func `each path has exactly the methods that the server allows`() {
    for place in document.describedPlaces {
      let described = Set(place.operations.map { $0.key.uppercased() })
      #expect(described == Set(AllowedMethods(place.route).methods.map(\.name)), "\(place.path)")
    }
  }

  @Test func `hidden members are not in the document`() {
    #expect(!document.yaml.contains("evening"))
  }

  @Test func `operation ids are unique`() {
    let ids = (document.root["paths"]?.entries ?? []).flatMap(\.value.entries).compactMap {
      $0.value["operationId"]?.text
    }
    #expect(ids.count > 200)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.wholeMatch(of: /[a-z][A-Za-z0-9]*/) != nil })
  }

  @Test func `all references resolve and all components are referenced`() {
    let kinds = (document.root["components"]?.entries ?? []).filter { $0.key != "securitySchemes" }
    let components = kinds.flatMap { kind in
      kind.value.entries.map { "#/components/\(kind.key)/\($0.key)" }
    }
    #expect(Set(components).count == components.count)
    #expect(Set(components) == document.root.references)
  }

  @Test func `public paths require no authentication, and all security schemes are used`() throws {
    let schemes = document.root["components"]?["securitySchemes"]?.entries.map(\.key) ?? []
    let used = document.root["security"]?.elements.flatMap { $0.entries.map(\.key) } ?? []
    #expect(Set(used) == Set(schemes))
    let publicPaths = (document.root["paths"]?.entries ?? []).filter { $0.value["get"]?["security"] == [] }.map(\.key)
    #expect(Set(publicPaths) == ["/livez", "/readyz", "/problems", "/problems/{type}"])
  }

  @Test func `each problem type has an example`() {
    let responses = document.root["components"]?["responses"]?.entries ?? []
    let examples = responses.flatMap { $0.value["content"]?["application/problem+json"]?["examples"]?.entries ?? [] }
    let reported = ProblemKind.allCases.filter { kind in
      responses.contains { $0.key == kind.status.reason.filter { $0 != " " } }
    }
    #expect(Set(examples.map(\.key)) == Set(reported.map(\.rawValue)))
  }
}

/// The examples of the document, performed on the example menu.
struct OpenAPIExampleTests {
  let document = OpenAPIDocument(of: Menu.example, title: "Bindery", version: "0.1.0")
  let key = DigestKey(secret: Array(repeating: 7, count: 192))

  @Test func `the example of a response is what GET returns`() throws {
    for place in document.describedPlaces {
      let menu = try menu(with: place)
      let example = try document.example(place.operations["get"]?["responses"]?["200"], "application/json")
      var reading = ReadOperation(.equality(example), key: key)
      try Menu.shape.visit(menu, place.route, 0, &reading)
      #expect(reading.isEqual, "\(place.path)")
    }
  }

  @Test func `the example of a request body is accepted`() throws {
    for place in document.describedPlaces {
      var menu = try menu(with: place)
      for (method, type) in [
        ("put", "application/json"), ("patch", "application/json"), ("patch", "application/merge-patch+json"),
        ("post", "application/json"),
      ] {
        guard let operation = place.operations[method] else { continue }
        let example = try document.example(operation["requestBody"], type)
        var edit =
          switch method {
          case "put": Edit(.replace(example), along: place.route)
          case "post": Edit(.append(example), along: place.route)
          default: Edit(.merge(example), along: place.route)
          }
        #expect(throws: Never.self, "\(method) \(place.path)") { try Menu.shape.apply(&menu, place.route, 0, &edit) }
      }
    }
  }

  @Test func `the example of a JSON Patch is accepted`() throws {
    for place in document.describedPlaces {
      guard let operation = place.operations["patch"] else { continue }
      var menu = try menu(with: place)
      for step in try document.example(operation["requestBody"], "application/json-patch+json").elements {
        let path = try #require(step["path"]?.string.flatMap(Pointer.segments))
        let route = try #require(place.route.resolving(path, form: .pointer))
        let value = try #require(step["value"])
        if step["op"]?.string == "test" {
          var reading = ReadOperation(.equality(value), key: key)
          try Menu.shape.visit(menu, route, 0, &reading)
          #expect(reading.isEqual, "\(place.path)")
        } else {
          var edit = Edit(.insert(value), mayCreate: step["op"]?.string == "add", along: route)
          #expect(throws: Never.self, "\(place.path)") { try Menu.shape.apply(&menu, route, 0, &edit) }
        }
      }
    }
  }

  /// Returns a menu in which a place has a value, by sending the example of each place above it with PUT.
  private func menu(with place: OpenAPIDocument.DescribedPlace) throws -> Menu {
    var menu = Menu.example
    for ancestor in document.describedPlaces
    where place.path == ancestor.path || place.path.hasPrefix(ancestor.path + "/") {
      guard let put = ancestor.operations["put"] else { continue }
      let example = try document.example(put["requestBody"], "application/json")
      var edit = Edit(.replace(example), mayCreate: true, along: ancestor.route)
      try Menu.shape.apply(&menu, ancestor.route, 0, &edit)
    }
    return menu
  }
}

struct OpenAPINodeTests {
  @Test(arguments: [
    ("plain words", "plain words"), ("", "''"), ("true", "'true'"), ("No", "'No'"), ("null", "'null'"),
    ("1.0", "'1.0'"), ("2026-11-21", "'2026-11-21'"), ("a: b", "'a: b'"), ("a #b", "'a #b'"), ("it's", "'it''s'"),
    ("- a", "'- a'"), ("{a}", "'{a}'"), ("/state/{id}", "/state/{id}"), (" a", "' a'"), ("a ", "'a '"),
    ("🍝", "'🍝'"), ("a\u{7}", "\"a\\u0007\""), ("tab\there", "\"tab\\there\""), ("ok\n", "\"ok\\n\""),
    ("two\n\nlines", "|-\n  two\n\n  lines"), ("a\n b", "\"a\\n b\""),
  ])
  func `text is quoted if YAML could read it as something else`(text: String, yaml: String) {
    let node: OpenAPINode = ["key": .text(text)]
    #expect(node.yaml == "key: \(yaml)\n")
  }

  @Test func `lists and objects are written in block style`() {
    let node: OpenAPINode = [
      "empty": [:], "none": [], "list": [1, ["a": true, "b": [.null]], [2, 3]], "left out": nil,
    ]
    #expect(
      node.yaml == """
        empty: {}
        none: []
        list:
          - 1
          - a: true
            b:
              - null
          -
            - 2
            - 3

        """)
  }
}
