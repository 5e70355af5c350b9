import BinderyCore
import BinderyDigest
import Testing

/// The results that a store keeps for repeated requests.
struct KeyedResultTests {
  private struct Count: StateModel {
    var count = 0

    static let shape = EditableShape<Count>.members(Count.init, StoredMember("count", \.count))
  }

  private static func result(_ number: Int, at time: Int64 = 0) -> KeyedResult {
    KeyedResult(
      key: "k\(number)", fingerprint: Digest(high: 0, low: UInt64(number)), revision: number, time: time, response: [])
  }

  private static func store(_ results: [KeyedResult] = []) -> Store<Count> {
    Store(Count(), of: ModelDefinition(), keyedResults: results)
  }

  /// Commits a change whose result is kept.
  private static func commit(_ store: Store<Count>, at time: Int64) {
    _ = store.transact(
      { head in
        let result = result(head.revision + 1, at: time)
        return ((), .changed(Count(count: result.revision), CommitMetadata(author: "a", keyedResult: result)))
      }, completion: { _ in })
  }

  @Test func `a result is found until it is a day old`() {
    let store = Self.store()
    Self.commit(store, at: 1_000)
    #expect(store.keyedResults.find("k1", now: 1_000 + 86_400)?.revision == 1)
    #expect(store.keyedResults.find("k1", now: 1_000 + 86_401) == nil)
    #expect(store.keyedResults.find("k2", now: 1_000) == nil)
  }

  @Test func `the latest 100,000 results of the last day are kept`() {
    let store = Self.store((1...100_000).map { Self.result($0, at: $0 < 100 ? 0 : 1_000) })
    #expect(store.keyedResults.all.count == 100_000)
    store.post { _ in }
    let next = Self.store(store.keyedResults.all + [Self.result(100_001, at: 1_000)])
    #expect(next.keyedResults.all.count == 100_000)
    #expect(next.keyedResults.find("k1", now: 1_000) == nil)
    #expect(next.keyedResults.find("k2", now: 1_000) != nil)
    Self.commit(next, at: 86_401)
    #expect(next.keyedResults.all.count == 100_000 - 99 + 2, "results of more than a day ago are removed")
  }

  @Test func `results that are loaded again are kept once`() {
    let results = (1...90_000).map { Self.result($0, at: 1_000) }
    let store = Self.store(Array(results[..<70_000]))
    // A second entry of a key would remove its result when there are 100,000 entries.
    for _ in 1...2 { store.advance(to: Count(count: 1), revision: 90_000, results) }
    #expect(store.keyedResults.all.count == 90_000)
    #expect([1, 60_000, 90_000].allSatisfy { store.keyedResults.find("k\($0)", now: 1_000) != nil })
  }

  @Test func `a result of an expired key is replaced`() {
    let store = Self.store([Self.result(1, at: 0)])
    Self.commit(store, at: 200_000)
    #expect(store.keyedResults.all.map(\.time) == [200_000])
  }
}
