import BinderyCore
import Synchronization
import Testing

struct CommitTests {
  private let store = Store(Counter())
  private let count = Counter.places.count
  private struct Refused: Error {}

  @Test func `a commit is one revision and visible when it returns`() async throws {
    try await store.commit { draft in
      draft.count = 1
      draft.name = "one"
    }
    #expect(store.revision == 1)
    #expect(try store.read(count) == 1)
    #expect(store.snapshot.root.name == "one")
  }

  @Test func `a commit without a change creates no revision`() async throws {
    try await store.commit { $0.count = 0 }
    try await store.commit { draft in
      draft.name = "x"
      draft.name = nil
    }
    #expect(store.revision == 0)
  }

  @Test func `strings with different bytes are a change even if they are canonically equivalent`() async throws {
    try await store.commit { $0.name = "caf\u{E9}" }
    try await store.commit { $0.name = "cafe\u{301}" }
    #expect(store.revision == 2)
  }

  @Test func `a rejected edit changes nothing`() async throws {
    await #expect(throws: Refused.self) {
      try await store.commit { draft in
        draft.count = 5
        throw Refused()
      }
    }
    await #expect(throws: CommitError.invalidState(InvalidState("thirteen is not allowed", at: "/count"))) {
      try await store.edit(count) { $0 = 13 }
    }
    let error = await #expect(throws: CommitError.self) { try await store.edit(count) { $0 = 1_000_001 } }
    guard case .invalid(let invalid)? = error else { return #expect(Bool(false)) }
    #expect(invalid.pointer == "/count")
    #expect(store.revision == 0)
    #expect(store.snapshot.root == Counter())
  }

  @Test func `the model settles the draft`() async throws {
    try await store.edit(count) { $0 = 4 }
    try await store.edit(count) { $0 = -4 }
    #expect(try store.read(count) == 0)
    #expect(store.revision == 2)
  }

  @Test func `an edit returns the result of its body`() async throws {
    #expect(try await store.edit(count) { $0 += 2 }.value == ())
    #expect(try await store.commit { $0.count * 10 }.value == 20)
  }

  @Test func `an absent place throws and changes nothing`() async throws {
    let item = Counter.places.items[id: 7].text
    #expect(throws: Absence(.noSuchElement("7"), depth: 1)) { try store.read(item) }
    await #expect(throws: Absence(.noSuchElement("7"), depth: 1)) { try await store.edit(item) { $0 = "x" } }
    let name = Counter.places.name.unwrapped()
    await #expect(throws: Absence(.nilOptional, depth: 1)) { try await store.edit(name) { $0 = "x" } }
    #expect(store.revision == 0)
  }

  @Test func `concurrent writers lose no update`() async throws {
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<64 {
        group.addTask { [store, count] in
          for step in 0..<20 {
            _ = try? await store.edit(count) { $0 += $0 == 12 ? 2 : 1 }
            _ = try? await store.commit { try $0.items.append(Item(id: writer * 100 + step, text: "")) }
          }
        }
      }
    }
    #expect(try store.read(count) == 64 * 20 + 1)
    #expect(store.snapshot.root.items.count == 64 * 20)
    #expect(store.revision == 64 * 20 * 2)
  }

  /// The readers that have not seen enough commits.
  private final class Readers: Sendable {
    let count = Atomic(4)
  }

  @Test func `readers see only complete commits`() async throws {
    try await store.commit { $0.name = "0" }
    let readers = Readers()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [store] in
        while readers.count.load(ordering: .relaxed) > 0 {
          _ = try? await store.commit { draft in
            draft.count += draft.count == 12 ? 2 : 1
            draft.name = String(draft.count)
          }
        }
      }
      for _ in 0..<4 {
        group.addTask { [store] in
          var last = 0
          // Reads until others have committed, and some times more.
          var remaining = 2_000
          while remaining > 0 {
            let snapshot = store.snapshot
            #expect(snapshot.root.name == String(snapshot.root.count))
            #expect(snapshot.revision >= last)
            if snapshot.revision > 10 { remaining -= 1 }
            last = snapshot.revision
          }
          readers.count.subtract(1, ordering: .relaxed)
        }
      }
    }
  }

  @Test func `a binding of a place reads and writes through the store`() async throws {
    let binding = store.binding(count)
    try await binding.set(3)
    #expect(try binding.get() == 3)
    #expect(binding == store.binding(count))
    #expect(binding != Store(Counter()).binding(count))
    await #expect(throws: CommitError.self) { try await binding.set(13) }
  }
}
