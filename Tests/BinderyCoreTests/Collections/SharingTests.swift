import BinderyCore
import BinderyDigest
import BindingLaws
import Synchronization
import Testing

/// Operations on two versions do not visit the elements that both share.
struct SharingTests {
  /// The maximum number of elements in a leaf of the tree.
  let leafCapacity = 12

  @Test func `a comparison visits only edited elements`() {
    let old = items(10_000)
    var new = old
    new.edit(id: 5_000) { $0.value = 1 }
    var calls = 0
    let same = { (a: KeyedValue<Int>, b: KeyedValue<Int>) in
      calls += 1
      return a == b
    }
    #expect(!new.isSame(as: old, same))
    #expect(calls == 1)
    new.edit(id: 5_000) { $0.value = 0 }
    calls = 0
    #expect(new.isSame(as: old, same))
    #expect(calls == 1)
  }

  @Test func `a comparison does not depend on the structure of the tree`() throws {
    let old = items(100)
    var new = old
    for id in 100..<1_000 { try new.insert(KeyedValue(id: id, value: 0), at: 50) }
    for id in 100..<1_000 { new.remove(id: id) }
    #expect(new.isSame(as: old, ==))
    #expect(new.isSame(as: Identified(uniquing: Array(old)), ==))
    var grown = items(0)
    for item in old.reversed() { try grown.insert(item, at: 0) }
    #expect(grown.isSame(as: old, ==))
    new.edit(id: 99) { $0.value = 1 }
    #expect(!new.isSame(as: old, ==))
    new.edit(id: 99) { $0.value = 0 }
    new.move(id: 0, to: 99)
    #expect(!new.isSame(as: old, ==))
  }

  @Test func `a digest visits only leaves with edited elements`() {
    let key = DigestKey.random()
    let old = items(10_000)
    var calls = 0
    let counted = { (item: KeyedValue<Int>) in
      calls += 1
      return digest(item)
    }
    let before = old.digest(key, counted)
    #expect(calls == 10_000)
    var new = old
    new.edit(id: 5_000) { $0.value = 1 }
    calls = 0
    #expect(new.digest(key, counted) != before)
    #expect(calls <= leafCapacity)
    // An edit in place must invalidate the cached digest, too.
    new.edit(id: 5_000) { $0.value = 0 }
    calls = 0
    #expect(new.digest(key, counted) == before)
    #expect(calls <= leafCapacity)
    calls = 0
    #expect(old.digest(key, counted) == before)
    #expect(calls == 0)
  }

  @Test func `a difference visits only edited elements`() throws {
    let old = items(10_000)
    var new = old
    new.edit(id: 1_000) { $0.value = 1 }
    new.remove(id: 2_000)
    new.move(id: 3_000, to: 7_000)
    try new.insert(KeyedValue(id: -1, value: 0), at: 4_000)
    var calls = 0
    let changes = new.changes(since: old) {
      calls += 1
      return $0 == $1
    }
    #expect(calls == 2)
    #expect(changes.count == 4)
    var patched = old
    try patched.apply(changes)
    #expect(patched == new)
  }

  @Test func `relabeling is not a change`() throws {
    let old = items(100)
    var new = old
    // Many insertions at one index give the elements around it new labels.
    for id in 100..<1_000 { try new.insert(KeyedValue(id: id, value: 0), at: 50) }
    for id in 100..<1_000 { new.remove(id: id) }
    #expect(new == old)
    #expect(new.changes(since: old, same: ==).isEmpty)
    #expect(Identified(uniquing: Array(old)).changes(since: old, same: ==).isEmpty)
  }

  @Test func `replacements contain the old and the new value of edited elements`() throws {
    let old = items(1_000)
    var new = old
    new.edit(id: 7) { $0.value = 1 }
    new.edit(id: 900) { $0.value = 2 }
    let replacements = try #require(new.replacements(since: old))
    #expect(replacements.map(\.old) == [KeyedValue(id: 7, value: 0), KeyedValue(id: 900, value: 0)])
    #expect(replacements.map(\.new) == [KeyedValue(id: 7, value: 1), KeyedValue(id: 900, value: 2)])
    #expect(old.replacements(since: old)?.isEmpty == true)
  }

  @Test func `there are no replacements if elements were added, removed or moved`() throws {
    let old = items(100)
    var changed = [old, old, old, old]
    changed[0].remove(id: 3)
    try changed[1].insert(KeyedValue(id: -1, value: 0), at: 50)
    changed[2].move(id: 90, to: 3)
    changed[3].remove(id: 99)
    try changed[3].append(KeyedValue(id: 100, value: 0))
    for new in changed { #expect(new.replacements(since: old) == nil) }
  }

  @Test func `moving one element is one step`() {
    let old = items(100)
    var new = old
    new.move(id: 90, to: 3)
    let steps = new.changes(since: old, same: ==)
    #expect(steps.count == 1)
    guard case .move(90, 3)? = steps.first else {
      Issue.record("not a move of 90 to 3: \(steps)")
      return
    }
  }

  @Test func `unrelated sequences are compared by their ids`() throws {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<200 {
      let numbers = 0..<Int.random(in: 0...30, using: &random)
      let old = Identified(uniquing: numbers.map { KeyedValue(id: $0, value: 0) }.shuffled(using: &random))
      let some = numbers.filter { _ in Bool.random(using: &random) } + (100..<105)
      let new = Identified(uniquing: some.map { KeyedValue(id: $0, value: $0 % 2) }.shuffled(using: &random))
      var patched = old
      try patched.apply(new.changes(since: old, same: ==))
      #expect(patched == new)
    }
  }

  @Test func `concurrent readers of one version compute the same digest`() async {
    let key = DigestKey.random()
    let expected = items(5_000).digest(key, digest)
    for _ in 0..<20 {
      let sequence = items(5_000)
      await withTaskGroup(of: SequenceDigest.self) { group in
        for _ in 0..<8 { group.addTask { sequence.digest(key, digest) } }
        for await digest in group { #expect(digest == expected) }
      }
    }
  }
}
