import BinderyCore
import BinderyService
import Foundation
import Testing

/// The console with models that have many elements, or a place of each kind.
@Suite(.serialized, .needsBrowser)
struct ConsoleModelTests {
  struct Item: Identifiable, Editable {
    let id: Int
    var name: String
    var isDone = false

    static let shape = EditableShape<Item>.members(
      Item.init, StoredMember("id", id: \.id), StoredMember("name", \.name),
      StoredMember("isDone", \.isDone, default: false))
  }

  struct Items: StateModel {
    var items = Identified<Item>()

    static let shape = EditableShape<Items>.members(Items.init, StoredMember("items", \.items))
  }

  struct Kinds: StateModel {
    var text = "one"
    var count = 3
    var ratio = 0.5
    var isOn = true
    var when = Date(timeIntervalSince1970: 1_795_287_600)
    var nickname: String?
    var limits: [String: Int] = [:]
    var scores = [1, 2]

    static let shape = EditableShape<Kinds>.members(
      Kinds.init, StoredMember("text", \.text), StoredMember("count", \.count), StoredMember("ratio", \.ratio),
      StoredMember("isOn", \.isOn), StoredMember("when", \.when), StoredMember("nickname", \.nickname, default: nil),
      StoredMember("limits", \.limits), StoredMember("scores", \.scores))
  }

  @Test func `a collection of 100,000 elements opens at its last id and needs few nodes`() throws {
    let count = 100_000
    let items = Items(items: Identified(uniquing: (1...count).map { Item(id: $0, name: "Item \($0)") }))
    try ConsoleScene.run(items, at: "/items/\(count)/name") { scene in
      let window = scene.window
      try window.wait(for: ConsolePart.shows("Item \(count)", at: "/items/\(count)/name"))
      try window.wait(for: "\(ConsolePart.row("/items/\(count)")) !== null")
      #expect(try window.value("document.getElementsByTagName('*').length < 2500"))
      // The dialog leads to an id, and searches all elements for a text.
      try window.focus(".row[aria-selected=true]")
      try window.press("/")
      try window.type("5\n", into: "#jump-field")
      try window.wait(for: "location.hash === '#/items/5' && \(ConsolePart.row("/items/5")) !== null")
      try window.press("/")
      try window.type("Item 99999\n", into: "#jump-field")
      try window.wait(for: "document.querySelector('#jump-list li')?.textContent.startsWith('/items/99999')")
      try window.wait(for: "document.getElementById('jump-progress').textContent.startsWith('100,000 of 100,000')")
    }
  }

  @Test func `each kind of value is edited by keyboard`() throws {
    try ConsoleScene.run(Kinds(), at: "/text") { scene in
      let window = scene.window
      let store = scene.service.store
      /// Selects the place below, opens its control and replaces its text.
      func edit(_ path: String, _ text: String) throws {
        _ = try window.value("location.hash = '#\(path)'", as: String.self)
        try window.wait(for: "\(ConsolePart.row(path))?.ariaSelected === 'true'")
        try window.wait(for: "document.querySelector('#editor .field')?.dataset.path === '\(path)'")
        try window.wait(for: "document.querySelector('\(ConsolePart.input)') !== null")
        try window.focus(".row[aria-selected=true]")
        try window.press(Key.enter)
        try window.wait(for: "document.activeElement === document.querySelector('\(ConsolePart.input)')")
        try window.clear(ConsolePart.input)
        try window.type("\(text)\(Key.control)s\(Key.null)", into: ConsolePart.input)
        try window.wait(for: ConsolePart.hasNoDraft)
      }
      try window.wait(for: ConsolePart.shows("one", at: "/text"))
      try edit("/text", "two")
      try edit("/count", "4")
      try edit("/ratio", "0.25")
      try edit("/scores", "[3]")
      // The space bar switches a Bool, and Ctrl+Z takes that back.
      _ = try window.value("location.hash = '#/isOn'", as: String.self)
      try window.wait(for: "document.querySelector('#editor input[role=switch]') !== null")
      try window.focus(".row[aria-selected=true]")
      try window.press(" ")
      try window.wait(for: ConsolePart.shows("false", at: "/isOn"))
      try window.type("\(Key.control)z\(Key.null)", into: ".row[aria-selected=true]")
      try window.wait(for: ConsolePart.shows("true", at: "/isOn"))
      let state = store.snapshot.root
      #expect(state.text == "two" && state.count == 4 && state.ratio == 0.25 && state.scores == [3] && state.isOn)
    }
  }

  @Test func `an optional is set and cleared, and a dictionary gets an entry`() throws {
    try ConsoleScene.run(Kinds(), at: "/nickname") { scene in
      let window = scene.window
      let buttons = "[...document.querySelectorAll('#editor button')]"
      try window.wait(for: "\(buttons).some((each) => each.textContent === 'Set')")
      try window.click("#editor .control button")
      try window.wait(for: "document.querySelector('\(ConsolePart.input)') !== null")
      try window.type("Ann\n", into: ConsolePart.input)
      try window.wait(for: ConsolePart.shows("Ann", at: "/nickname"))
      try window.wait(for: "\(buttons).some((each) => each.textContent === 'Clear')")
      try window.click("#editor .control > button")
      try window.wait(for: ConsolePart.shows("nil", at: "/nickname"))
      _ = try window.value("location.hash = '#/limits'", as: String.self)
      try window.wait(for: "document.querySelector('#editor .adder button') !== null")
      try window.click("#editor .adder button")
      try window.type("a/b", into: "#editor .adder input[aria-label=key]")
      try window.type("4\n", into: "#editor .adder .number")
      try window.wait(for: "document.querySelector('#notices').textContent.includes('Saved')")
      #expect(scene.service.store.snapshot.root.limits == ["a/b": 4])
      try window.wait(for: "\(ConsolePart.shows("1 entry", at: "/limits")) && \(ConsolePart.facts) === '1 entry'")
    }
  }

  @Test func `an element that is added is counted in the tree and in its pane`() throws {
    let items = Items(items: Identified(uniquing: [Item(id: 1, name: "One")]))
    try ConsoleScene.run(items, at: "/items") { scene in
      let window = scene.window
      try window.wait(for: ConsolePart.shows("1 element", at: "/items"))
      try window.click("#editor .adder button")
      try window.type("2", into: "#editor .adder .number")
      try window.type("Two\n", into: "#editor .adder .text input")
      try window.wait(for: "document.querySelector('#notices').textContent.includes('Saved')")
      try window.wait(
        for: "\(ConsolePart.shows("2 elements", at: "/items")) && \(ConsolePart.facts) === '2 elements'")
      #expect(scene.service.store.snapshot.root.items.count == 2)
    }
  }
}
