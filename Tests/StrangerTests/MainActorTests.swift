import Bindery
import Testing

/// The store in code of the main actor, with the public API only.
@MainActor
struct MainActorTests {
  private final class ViewModel {
    let store = Store(Note())
    var edits = 0

    func write(_ text: String) async throws -> CommitResult<Int> {
      try await store.edit(Note.places.text) { value in
        value = text
        edits += 1
        return edits
      }
    }

    func clear() async throws {
      try await store.commit { draft in
        draft.text = ""
        edits += 1
      }
    }
  }

  @Test func `code of the main actor edits and commits with its own state`() async throws {
    let model = ViewModel()
    #expect(try await model.write("a").value == 1)
    try await model.clear()
    #expect(model.edits == 2)
    #expect(model.store.revision == 2)
  }
}

private struct Note: StateModel {
  var text = ""

  static let shape = EditableShape<Note>.members(Note.init, StoredMember("text", \.text))
}
