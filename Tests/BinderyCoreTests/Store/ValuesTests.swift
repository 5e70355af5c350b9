import BinderyCore
import Testing

struct ValuesTests {
  private let store = Store(Counter())
  private let count = Counter.places.count

  @Test func `the current value is the first element`() async throws {
    var values = store.values(at: count).makeAsyncIterator()
    #expect(await values.next() == .success(0))
  }

  @Test func `an unchanged value is not repeated`() async throws {
    var values = store.values(at: count).makeAsyncIterator()
    _ = await values.next()
    try await store.commit { $0.name = "elsewhere" }
    try await store.commit { $0.count = 1 }
    #expect(await values.next() == .success(1))
  }

  @Test func `a slow consumer receives the newest value only`() async throws {
    var values = store.values(at: count).makeAsyncIterator()
    _ = await values.next()
    for number in 1...5 { try await store.edit(count) { $0 = number } }
    #expect(await values.next() == .success(5))
  }

  @Test func `a change that is reverted before the next read is not reported`() async throws {
    var values = store.values(at: count).makeAsyncIterator()
    _ = await values.next()
    try await store.edit(count) { $0 = 1 }
    try await store.edit(count) { $0 = 0 }
    async let next = values.next()
    try await store.edit(count) { $0 = 2 }
    #expect(await next == .success(2))
  }

  @Test func `the sequence ends with the service, after the last value`() async throws {
    var values = store.values(at: count).makeAsyncIterator()
    _ = await values.next()
    try await store.edit(count) { $0 = 1 }
    store.close()
    #expect(await values.next() == .success(1))
    #expect(await values.next() == nil)
    var waiting = store.values(at: count).makeAsyncIterator()
    #expect(await waiting.next() == .success(1))
    #expect(await waiting.next() == nil)
  }

  @Test func `a sequence that waits ends with the service`() async throws {
    let values = store.values(at: count)
    await withTaskGroup(of: Int.self) { group in
      let (seen, input) = AsyncStream.makeStream(of: Void.self)
      group.addTask {
        var elements = 0
        for await _ in values {
          elements += 1
          input.yield()
        }
        return elements
      }
      for await _ in seen { break }
      store.close()
      for await elements in group { #expect(elements == 1) }
    }
  }

  @Test func `an absent place is an element of the sequence`() async throws {
    let text = Counter.places.items[id: 1].text
    var values = store.values(at: text).makeAsyncIterator()
    #expect(await values.next() == .failure(Absence(.noSuchElement("1"), depth: 1)))
    try await store.commit { try $0.items.append(Item(id: 2, text: "other")) }
    try await store.commit { try $0.items.append(Item(id: 1, text: "here")) }
    #expect(await values.next() == .success("here"))
    try await store.commit { $0.items.remove(id: 1) }
    #expect(await values.next() == .failure(Absence(.noSuchElement("1"), depth: 1)))
  }

  @Test func `a waiting consumer is resumed by a change`() async throws {
    let values = store.values(at: count)
    let (starts, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      var seen: [Int] = []
      for await value in values {
        seen.append((try? value.get()) ?? -1)
        start.yield()
        if seen.last == 3 { break }
      }
      return seen
    }
    for await _ in starts { break }
    for number in 1...3 { try await store.edit(count) { $0 = number } }
    let seen = await task.value
    #expect(seen == seen.sorted())
    #expect(seen.first == 0 && seen.last == 3)
    #expect(Set(seen).count == seen.count)
  }

  @Test func `the sequence ends when its task is cancelled`() async throws {
    let values = store.values(at: count)
    let task = Task {
      var seen = 0
      for await _ in values { seen += 1 }
      return seen
    }
    task.cancel()
    #expect(await task.value <= 1)
  }
}
