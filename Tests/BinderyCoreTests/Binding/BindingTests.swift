import BinderyCore
import Synchronization
import Testing

private struct Model: Equatable, Sendable {
  var title = "a"
  var count: Int? = 1
  var mode = Mode.on(level: 1)
  var inner = Inner()
  var lines = ["a", "b"]
  var notes = ["x": 1]
  var items: Identified<Entry> = [Entry(id: 1)]
}

private struct Entry: Equatable, Identifiable {
  let id: Int
  var text = ""
}

private struct Name: Editable, Identifiable {
  let id: String

  static let shape = EditableShape<Name>.members(Name.init(id:), StoredMember("id", id: \.id))
}

private struct Register: StateModel {
  var names: Identified<Name> = []

  static let shape = EditableShape<Register>.members(Register.init(names:), StoredMember("names", \.names))
}

private struct Inner: Equatable, Sendable { var text = "inside" }

private enum Mode: Equatable, Editable {
  case off
  case on(level: Int)
  static let on = EnumCase("on", label: "level", Mode.on(level:)) { if case .on(let level) = $0 { level } else { nil } }
  static let shape = EditableShape<Mode>.cases(EnumCase("off", Mode.off), on)
}

/// A source that a test can change without the binding.
private final class Box: Sendable {
  let value = Mutex(Model())

  func binding(_ name: String = "box") -> StateBinding<Model> {
    StateBinding(
      source: name, read: { self.value.withLock { $0 } },
      write: { body in
        try self.value.withLock { value in
          var draft = value
          try body(&draft)
          value = draft
        }
      })
  }
}

struct BindingTests {
  private let box = Box()
  private struct EditFailure: Error {}

  @Test func `a binding reads from the source and writes to it`() async throws {
    let text = box.binding().inner.text
    #expect(try text.get() == "inside")
    try await text.set("written")
    #expect(box.value.withLock { $0.inner.text } == "written")
    box.value.withLock { $0.inner.text = "changed in the source" }
    #expect(try text.get() == "changed in the source")
  }

  @Test func `a binding to a part of a collection throws while the part does not exist`() async throws {
    let binding = box.binding()
    let (line, note, text) = (binding.lines[1], binding.notes[key: "x"], binding.items[id: 1].text)
    try await line.set("c")
    try await note.set(2)
    try await text.set("t")
    #expect(box.value.withLock { $0.lines == ["a", "c"] && $0.notes == ["x": 2] && $0.items[id: 1]?.text == "t" })
    box.value.withLock { ($0.lines, $0.notes, $0.items) = (["a"], [:], []) }
    let absence = #expect(throws: Absence.self) { try line.get() }
    #expect(absence?.reason == .noSuchElement("1"))
    await #expect(throws: Absence.self) { try await line.set("d") }
    await #expect(throws: Absence.self) { try await note.edit { $0 += 1 } }
    #expect(throws: Absence.self) { try text.get() }
    #expect(binding.lines[0] == binding.lines[0] && binding.lines[0] != binding.lines[1])
  }

  @Test func `bindings to ids in two Unicode forms are different`() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    let names = StateBinding.constant(Identified(uniquing: [Name(id: composed), Name(id: decomposed)]))
    #expect(names[id: composed] == names[id: composed])
    #expect(names[id: composed] != names[id: decomposed])
    #expect(try names[id: composed].get().id.utf8.count == 2)
    let entries = StateBinding.constant([composed: 1])
    #expect(entries[key: composed] == entries[key: composed])
    #expect(entries[key: composed] != entries[key: decomposed])
    let store = Store(Register())
    let binding = { store.binding(Register.places.names[id: $0]) }
    #expect(binding(composed) == binding(composed))
    #expect(binding(composed) != binding(decomposed))
  }

  @Test func `an edit that throws leaves the source unchanged`() async throws {
    let binding = box.binding()
    await #expect(throws: EditFailure.self) {
      try await binding.edit { model in
        model.title = "changed"
        throw EditFailure()
      }
    }
    #expect(try binding.get() == Model())
  }

  @Test func `a constant binding never changes and discards writes`() async throws {
    let constant = StateBinding.constant(Model())
    try await constant.title.set("b")
    #expect(try constant.title.get() == "a")
  }

  @Test func `two constant bindings are not equal`() {
    let one = StateBinding.constant(1)
    #expect(one == one)
    #expect(one != StateBinding.constant(1))
  }

  @Test func `nil reads as the default and a write sets the optional`() async throws {
    let count = box.binding().count[orDefault: 7]
    #expect(try count.get() == 1)
    box.value.withLock { $0.count = nil }
    #expect(try count.get() == 7)
    try await count.edit { $0 += 1 }
    #expect(box.value.withLock { $0.count } == 8)
  }

  @Test func `unwrapping a binding to nil returns nil`() throws {
    box.value.withLock { $0.count = nil }
    #expect(try box.binding().count.unwrap() == nil)
  }

  @Test func `an unwrapped binding throws while the optional is nil and never sets it`() async throws {
    let count = try #require(try box.binding().count.unwrap())
    #expect(try count.get() == 1)
    box.value.withLock { $0.count = nil }
    #expect(throws: Absence.self) { try count.get() }
    await #expect(throws: Absence.self) { try await count.set(5) }
    await #expect(throws: Absence.self) { try await count.edit { $0 += 1 } }
    #expect(box.value.withLock { $0.count } == nil)
    box.value.withLock { $0.count = 3 }
    #expect(try count.get() == 3)
  }

  @Test func `a binding to a case throws while another case is active`() async throws {
    let level = box.binding().mode[case: Mode.on]
    try await level.set(4)
    #expect(box.value.withLock { $0.mode } == .on(level: 4))
    box.value.withLock { $0.mode = .off }
    let absence = Absence(.inactiveCase(wanted: "on", active: "off"), depth: 1)
    #expect(throws: absence) { try level.get() }
    await #expect(throws: absence) { try await level.set(5) }
    #expect(box.value.withLock { $0.mode } == .off)
  }

  @Test func `map preserves composition`() throws {
    let binding = box.binding()
    #expect(binding.map(\.inner).map(\.text) == binding.inner.text)
    #expect(try binding.map(\.inner).map(\.text).get() == binding.map(\.inner.text).get())
  }

  @Test func `bindings are equal if they refer to the same part of the same source`() throws {
    let (binding, other) = (box.binding(), box.binding("other"))
    #expect(binding.title == binding.title)
    #expect(binding.title != other.title)
    #expect(binding.title != binding.inner.text)
    #expect(try binding.count.unwrap() == binding.count.unwrap())
    #expect(try binding.count.unwrap() != binding.count[orDefault: 1])
    #expect(binding.count[orDefault: 1] != binding.count[orDefault: 2])
  }
}
