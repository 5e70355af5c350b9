import BinderyCore
import Testing

/// What commits return, their conditions and errors.
struct CommitResultTests {
  private let store = Store(Counter())
  private let count = Counter.places.count

  @Test func `an edit returns its value, the revision, and whether anything changed`() async throws {
    let first = try await store.edit(count) { count in
      count = 4
      return "four"
    }
    #expect(first.value == "four" && first.revision == 1 && first.isChanged && first.outcome == .applied)
    let second = try await store.edit(count) { $0 = 4 }
    #expect(second.revision == 1 && !second.isChanged && second.outcome == .applied)
  }

  @Test func `the outcome says what the model kept`() async throws {
    try await store.edit(count) { $0 = 4 }
    #expect(try await store.edit(count) { $0 = -4 }.outcome == .adjusted)
    let dropped = try await store.edit(count) { $0 = -1 }
    #expect(dropped.outcome == .dropped && !dropped.isChanged && dropped.revision == 2)
    #expect(try await store.commit { $0.count = -1 }.outcome == .dropped)
    let adjusted = try await store.commit { draft in
      draft.count = -1
      draft.name = "x"
    }
    #expect(adjusted.outcome == .adjusted && adjusted.isChanged)
  }

  @Test func `a condition compares the entity tag of the place`() async throws {
    let tag = try store.entityTag(of: count)
    try await store.commit(ifMatch: try store.entityTag(of: .root)) { $0.name = "elsewhere" }
    #expect(try await store.edit(count, ifMatch: tag) { $0 = 1 }.isChanged)
    let current = try store.entityTag(of: count)
    #expect(current != tag)
    let error = await #expect(throws: CommitError.conditionFailed(current: current)) {
      try await store.edit(count, ifMatch: tag) { $0 = 2 }
    }
    #expect(error?.description.contains(current) == true)
    await #expect(throws: CommitError.self) { try await store.commit(ifMatch: tag) { $0.count = 2 } }
    #expect(try await store.edit(count, ifMatch: "\"x\", \(current)") { _ in }.isChanged == false)
    #expect(try await store.edit(count, ifMatch: "*") { $0 = 3 }.isChanged)
    for malformed in ["garbage, *", "*, \"x\"", "", ","] {
      await #expect(throws: CommitError.self, "\(malformed)") {
        try await store.commit(ifMatch: malformed) { $0.count = 4 }
      }
    }
    let absent = Counter.places.items[id: 7].text
    await #expect(throws: CommitError.conditionFailed(current: nil)) {
      try await store.edit(absent, ifMatch: "*") { $0 = "x" }
    }
    #expect(store.revision == 3)
  }

  @Test func `errors have readable descriptions`() async throws {
    let refused = await #expect(throws: CommitError.self) { try await store.edit(count) { $0 = 13 } }
    #expect(refused?.description == "the model rejects the result: thirteen is not allowed (at /count)")
    let invalid = await #expect(throws: CommitError.self) { try await store.edit(count) { $0 = 1_000_001 } }
    #expect(invalid?.description.hasPrefix("invalid value: ") == true)
    #expect(invalid?.description.hasSuffix("(at /count)") == true)
  }

  @Test func `a body that commits to its own store stops the process with an explanation`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store(Counter())
      try await store.commit { _ in store.post { $0.count = 1 } }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("The body of a commit committed to the same store"), "\(text)")
  }

  @Test func `a body can read the published version`() async throws {
    try await store.commit { $0.count = 5 }
    let read = try await store.commit { draft in
      draft.count = 6
      return try store.read(count)
    }
    #expect(read.value == 5)
    #expect(try store.read(count) == 6)
  }

  @Test func `a task that a body creates may use the store`() async throws {
    let task = try await store.commit { [store, count] draft in
      draft.name = "x"
      return Task { try await store.edit(count) { $0 += 1 } }
    }.value
    #expect(try await task.value.revision == 2)
  }

  @Test func `commits after the store was closed fail, and so do those that wait`() async throws {
    let journal = ManualJournal()
    let store = Store(Counter(), journal: journal)
    let waiting = Task { try await store.edit(count) { $0 = 1 } }
    await journal.waitForWakes(1)
    store.close()
    await #expect(throws: CommitError.self) { try await waiting.value }
    let error = await #expect(throws: CommitError.self) { try await store.edit(count) { $0 = 2 } }
    #expect(error?.description.contains("the service has stopped") == true)
    #expect(store.revision == 0)
  }
}
