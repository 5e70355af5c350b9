import BinderyCore
import BinderyDigest
import BindingLaws
import Testing

/// Random operations on a sequence and on a plain array must have the same results.
struct ReferenceTests {
  @Test(arguments: [(seed: 1, ids: 40), (seed: 2, ids: 300), (seed: 3, ids: 3_000)])
  func `a sequence behaves like an array, and its old versions do not change`(seed: Int, ids: Int) throws {
    try run(seed: UInt64(seed), steps: 6_000, ids: ids) { $0 }
  }

  @Test func `a sequence behaves like an array even if all hashes are equal`() throws {
    try run(seed: 4, steps: 2_000, ids: 30) { CollidingKey($0) }
  }

  @Test func `each of many elements is found by its id, also in the versions before an edit`() throws {
    try findAll(of: 30_000) { $0 }
  }

  @Test func `elements are found by their ids even if more hashes are equal than a bucket of the index has entries`()
    throws
  {
    try findAll(of: 600) { CollidingKey($0) }
  }

  private func findAll<ID: PathKey & Hashable>(of count: Int, id: (Int) -> ID) throws {
    let all = Identified(uniquing: (0..<count).map { KeyedValue(id: id($0), value: $0) })
    var even = all
    for number in stride(from: 1, to: count, by: 2) { even.remove(id: id(number)) }
    var again = even
    for number in stride(from: 1, to: count, by: 2) { try again.append(KeyedValue(id: id(number), value: -number)) }
    for number in 0..<count {
      #expect(all[id: id(number)]?.value == number)
      #expect(even[id: id(number)]?.value == (number % 2 == 0 ? number : nil))
      #expect(again[id: id(number)]?.value == (number % 2 == 0 ? number : -number))
    }
    #expect(!all.contains(id: id(count)) && !again.contains(id: id(count)))
    #expect(Identified(uniquing: Array(all) + Array(even)) == all)
  }

  private func run<ID: PathKey & Hashable>(seed: UInt64, steps: Int, ids: Int, id: (Int) -> ID) throws {
    var random = SeededGenerator(seed: seed)
    var sequence = Identified<KeyedValue<ID>>()
    var reference: [KeyedValue<ID>] = []
    var versions: [(Identified<KeyedValue<ID>>, [KeyedValue<ID>])] = []
    for step in 0..<steps {
      let item = KeyedValue(id: id(Int.random(in: 0..<ids, using: &random)), value: step)
      let position = reference.firstIndex { $0.id == item.id }
      let index = Int.random(in: 0...reference.count, using: &random)
      // Alternate between growing and shrinking, so that nodes are split and merged.
      let isGrowing = step / (ids * 2) % 2 == 0
      switch (Int.random(in: 0..<8, using: &random), position) {
      case (0, _):
        let replaced = sequence.update(item)
        #expect(replaced == position.map { reference[$0] })
        if let position { reference[position] = item } else { reference.append(item) }
      case (1, let position?):
        sequence.edit(id: item.id) { $0.value = step }
        reference[position].value = step
      case (2, let position?) where index < reference.count:
        let hasMoved = sequence.move(id: item.id, to: index)
        #expect(hasMoved)
        reference.insert(reference.remove(at: position), at: index)
      case (3...4, let position?) where !isGrowing:
        let removed = sequence.remove(id: item.id)
        #expect(removed == reference[position])
        reference.remove(at: position)
      case (5, _) where !isGrowing && index < reference.count:
        let removed = sequence.remove(at: index)
        #expect(removed == reference[index])
        reference.remove(at: index)
      case (_, nil):
        try sequence.insert(item, at: index)
        reference.insert(item, at: index)
      case (_, let position?):
        #expect(sequence.index(of: item.id) == position)
        #expect(sequence[id: item.id] == reference[position])
        #expect(throws: InsertionError.duplicateID) { try sequence.insert(item, at: index) }
      }
      #expect(sequence.count == reference.count)
      if step % 97 == 0 { versions.append((sequence, reference)) }
    }
    for (version, expected) in versions {
      #expect(Array(version) == expected)
      #expect(expected.indices.allSatisfy { version[$0] == expected[$0] && version.index(of: expected[$0].id) == $0 })
      let present = Set(expected.map(\.id))
      #expect((0..<ids).allSatisfy { version.contains(id: id($0)) == present.contains(id($0)) })
    }
    for (old, new) in zip(versions, versions.dropFirst() + [versions[0]]) {
      var patched = old.0
      try patched.apply(new.0.changes(since: old.0, same: ==))
      #expect(Array(patched) == new.1)
      #expect(patched == new.0)
      #expect((old.0 == new.0) == (old.1 == new.1))
    }
  }

  @Test func `the digest depends on the elements and not on their history`() {
    let key = DigestKey.random()
    var random = SeededGenerator(seed: 5)
    var sequence = items(500)
    for step in 0..<2_000 {
      let id = Int.random(in: 0..<800, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: sequence.remove(id: id)
      case 1: sequence.move(id: id, to: Int.random(in: 0...sequence.count, using: &random))
      default: sequence.update(KeyedValue(id: id, value: step))
      }
      guard step % 10 == 0 else { continue }
      let rebuilt = Identified(uniquing: Array(sequence))
      #expect(sequence.digest(key, digest) == rebuilt.digest(key, digest))
      #expect(sequence.digest(key, digest) == sequence.digest(key, digest))
    }
    let other = DigestKey.random()
    #expect(sequence.digest(other, digest) == Identified(uniquing: Array(sequence)).digest(other, digest))
    #expect(sequence.digest(other, digest) != sequence.digest(key, digest))
  }
}
