import BinderyCore
import BinderyMenu
import BinderyService
import Foundation
import Testing

/// The console with optionals of optionals, and optionals in forms.
@Suite(.serialized, .needsBrowser)
struct ConsoleOptionalTests {
  @Test func `members of an optional of an optional have rows and fields of their own`() throws {
    let name = "/editing/some/name"
    let field = "#editor .field[data-path=\"\(name)\"] input"
    try ConsoleScene.run(Menu.example, at: "/editing") { scene in
      let window = scene.window
      let dish = scene.service.store.snapshot.root.dishes.first
      scene.service.store.post { $0.editing = .some(dish) }
      try window.wait(for: "\(ConsolePart.row("/editing"))?.ariaExpanded === 'false'")
      for path in ["/editing", "/editing/some"] {
        try window.wait(for: "\(ConsolePart.row(path)) !== null")
        try window.click(".row[data-path=\"\(path)\"]")
      }
      try window.wait(for: "\(ConsolePart.row(name)) !== null")
      // What another client writes meanwhile is no conflict, and is kept.
      _ = try window.value("location.hash = '#/editing'", as: String.self)
      try window.wait(for: "document.querySelector('\(field)') !== null")
      #expect(try window.value("document.querySelector('#editor .payload') === null"))
      try window.clear(field)
      try window.type("Stew", into: field)
      scene.service.store.post { $0.editing??.status = .inStock(quantity: 42) }
      try window.wait(for: "document.getElementById('revision').textContent === 'r2'")
      try window.type(Key.enter, into: field)
      try window.wait(for: "\(ConsolePart.shows("Stew", at: name)) && \(ConsolePart.hasNoDraft)")
      let draft = try #require(scene.service.store.snapshot.root.editing ?? nil)
      #expect(draft.name == "Stew" && draft.status == .inStock(quantity: 42))
    }
  }

  @Test func `a refusal inside an optional of an optional is at its control`() throws {
    let layer = #"{"type": "object", "properties": {"some": {"type": ["integer", "null"]}}, "required": ["some"]}"#
    let sheet = #"{"anyOf": [\#(layer), {"type": "null"}], "default": {"some": 3}}"#
    let file = #"{"type": "object", "properties": {"sheet": \#(sheet)}}"#
    let options = ["--model", "sheet.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["sheet.json": file]) { program in
      let window = program.window
      try program.open("/sheet", in: window)
      try window.type("x\n", into: "#editor .payload input")
      try window.wait(for: "\(ConsolePart.message)?.startsWith('/some: ')")
      #expect(try window.value("document.activeElement.matches('.payload input')"))
      #expect(try window.value("document.querySelector('#editor [aria-invalid]') === document.activeElement"))
    }
  }

  @Test func `the box for nil is below the members of an optional in a form`() throws {
    let home = #"{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}"#
    let members = #"{"id": {"type": "string"}, "home": {"anyOf": [\#(home), {"type": "null"}]}}"#
    let person = #"{"type": "object", "properties": \#(members), "x-bindery": {"id": "id"}}"#
    let file = #"{"type": "object", "properties": {"people": {"type": "array", "items": \#(person)}}}"#
    let options = ["--model", "people.json", "--store", "memory"]
    try ConsoleProgram.run(serving: options, files: ["people.json": file]) { program in
      let window = program.window
      try program.open("/people", in: window)
      try window.click("#editor .adder button")
      try window.click("#editor .adder .nil input")
      try window.wait(for: "document.querySelector('#editor .adder .members .members') !== null")
      let box = { (selector: String) in "document.querySelector('\(selector)').getBoundingClientRect()" }
      let (members, toggle) = (box("#editor .adder .members .members"), box("#editor .adder .nil"))
      #expect(try window.value("\(toggle).top >= \(members).bottom && \(toggle).left === \(members).left"))
    }
  }
}
