import BinderyCore
import BindingLaws
import Testing

struct IdentifiedTests {
  struct EditError: Error, Equatable {}

  @Test func `an empty sequence has no elements`() {
    var empty = Identified<KeyedValue<Int>>()
    #expect(empty.isEmpty)
    #expect(empty.first == nil)
    #expect(Array(empty).isEmpty)
    #expect(empty[id: 0] == nil)
    #expect(empty.index(of: 0) == nil)
    #expect(empty.remove(id: 0) == nil)
    #expect(empty == Identified())
  }

  @Test func `a collection prints its elements, as an array does`() throws {
    let elements = [KeyedValue(id: 1, value: 2), KeyedValue(id: 3, value: 4)]
    let collection = try Identified(elements)
    #expect("\(collection)" == "\(elements)")
    #expect(Mirror(reflecting: collection).children.count == 2)
  }

  @Test(arguments: [0, 1, 7, 8, 9, 64, 65, 1_000])
  func `a sequence preserves the order of its elements`(count: Int) throws {
    let sequence = try Identified((0..<count).map { KeyedValue(id: $0 * 3, value: $0) })
    #expect(sequence.count == count)
    #expect(sequence.map(\.value) == Array(0..<count))
    #expect(Array(sequence.ids) == (0..<count).map { $0 * 3 })
    for i in 0..<count {
      #expect(sequence[i].id == i * 3)
      #expect(sequence.index(of: i * 3) == i)
      #expect(sequence.index(of: i * 3 + 1) == nil)
    }
  }

  @Test func `a duplicate id is rejected or omitted`() {
    let twice = [KeyedValue(id: 1, value: 1), KeyedValue(id: 2, value: 2), KeyedValue(id: 1, value: 3)]
    #expect(throws: DuplicateID(1)) { try Identified(twice) }
    let unique = Identified(uniquing: twice)
    #expect(unique.map(\.value) == [1, 2])
    var copy = unique
    #expect(throws: DuplicateID(2)) { try copy.append(KeyedValue(id: 2, value: 9)) }
    #expect("\(DuplicateID(2))" == "an element with the id “2” already exists")
    #expect(throws: InsertionError.duplicateID) { try copy.insert(KeyedValue(id: 2, value: 9), at: 0) }
    #expect(copy.isIdentical(to: unique))
    let literal: Identified<KeyedValue<Int>> = [KeyedValue(id: 1, value: 1), KeyedValue(id: 1, value: 2)]
    #expect(literal.map(\.value) == [1])
  }

  @Test(arguments: [2, 3, 100, 5_000])
  func `the first of the elements with an id is found in a long sequence`(ids: Int) {
    var random = SeededGenerator(seed: 5)
    let elements = (0..<5_000).map { KeyedValue(id: Int.random(in: 0..<ids, using: &random), value: $0) }
    var first: [Int: Int] = [:]
    for element in elements where first[element.id] == nil { first[element.id] = element.value }
    let sequence = Identified(uniquing: elements)
    #expect(sequence.map(\.value) == first.values.sorted())
    for id in 0..<ids { #expect(sequence[id: id]?.value == first[id]) }
  }

  @Test(arguments: [Int.min, -1, 10, 11, Int.max])
  func `an invalid index never traps`(index: Int) {
    var ten = items(10)
    let before = ten
    #expect(ten.element(at: index) == nil)
    #expect(ten.remove(at: index) == nil)
    #expect(ten.edit(at: index) { $0.value = 1 } == nil)
    let hasMoved = ten.move(id: 3, to: index)
    #expect(!hasMoved)
    if index != 10 {
      #expect(throws: InsertionError.indexOutOfRange) { try ten.insert(KeyedValue(id: 99, value: 0), at: index) }
    }
    #expect(ten.isIdentical(to: before))
  }

  @Test func `an edit changes one version only`() {
    let old = items(1_000)
    var new = old
    #expect(
      new.edit(id: 500) {
        $0.value = 7
        return "done"
      } == "done")
    new.edit(at: 501) { $0.value += 8 }
    #expect(new[id: 500]?.value == 7)
    #expect(new[501].value == 8)
    #expect(old == items(1_000))
    #expect(new != old)
    #expect(new.edit(id: 1_000) { $0.value = 7 } == nil)
  }

  @Test func `an edit keeps the ids, and any other change is noticed`() throws {
    let old = items(100)
    #expect(!old.isEditedVersion(of: old))
    var edited = old
    edited.edit(id: 50) { $0.value = 7 }
    edited.update(KeyedValue(id: 60, value: 8))
    #expect(edited.isEditedVersion(of: old))
    #expect(old.isEditedVersion(of: edited))
    let changes: [(inout Identified<KeyedValue<Int>>) throws -> Void] = [
      { try $0.append(KeyedValue(id: 100, value: 0)) }, { try $0.insert(KeyedValue(id: 100, value: 0), at: 0) },
      { $0.remove(id: 99) }, { $0.remove(at: 0) }, { $0.move(id: 5, to: 6) }, { $0 = items(100) },
    ]
    for change in changes {
      var changed = edited
      try change(&changed)
      #expect(!changed.isEditedVersion(of: old))
      #expect(!changed.isEditedVersion(of: edited))
    }
  }

  @Test func `an edit that changes the id is rejected`() {
    var ten = items(10)
    let before = ten
    #expect(ten.edit(id: 3) { $0.id = 99 } == nil)
    #expect(ten.edit(at: 3) { $0.id = 4 } == nil)
    #expect(ten.isIdentical(to: before))
    #expect(ten[id: 3] == KeyedValue(id: 3, value: 0))
  }

  @Test func `an edit that throws changes nothing`() {
    var ten = items(10)
    let before = ten
    #expect(throws: EditError()) {
      try ten.edit(id: 3) { item throws(EditError) in
        item.value = 9
        throw EditError()
      }
    }
    #expect(ten.isIdentical(to: before))
    #expect(ten == items(10))
  }

  @Test func `an update replaces or appends`() {
    var two: Identified<KeyedValue<Int>> = [KeyedValue(id: 1, value: 1), KeyedValue(id: 2, value: 2)]
    let replaced = [two.update(KeyedValue(id: 1, value: 5)), two.update(KeyedValue(id: 3, value: 3))]
    #expect(replaced == [KeyedValue(id: 1, value: 1), nil])
    #expect(two.map(\.value) == [5, 2, 3])
  }

  @Test func `an element moves to the requested index`() {
    var ten = items(10)
    ten.move(id: 2, to: 9)
    #expect(Array(ten.ids) == [0, 1, 3, 4, 5, 6, 7, 8, 9, 2])
    ten.move(id: 9, to: 0)
    #expect(Array(ten.ids) == [9, 0, 1, 3, 4, 5, 6, 7, 8, 2])
    let before = ten
    let results = [ten.move(id: 10, to: 0), ten.move(id: 9, to: 0)]
    #expect(results == [false, true])
    #expect(ten.isIdentical(to: before))
  }

  @Test(arguments: [0, 1, 500, 1_000])
  func `repeated insertions at one index never run out of labels`(index: Int) throws {
    var sequence = items(1_000)
    var reference = Array(sequence)
    for id in 1_000..<6_000 {
      try sequence.insert(KeyedValue(id: id, value: 0), at: index)
      reference.insert(KeyedValue(id: id, value: 0), at: index)
    }
    #expect(Array(sequence) == reference)
    #expect(reference.indices.allSatisfy { sequence.index(of: reference[$0].id) == $0 })
  }

  @Test func `consecutive insertions never run out of labels`() throws {
    var sequence = items(2)
    for id in 2..<5_000 { try sequence.insert(KeyedValue(id: id, value: 0), at: id - 1) }
    #expect(Array(sequence.ids) == [0] + Array(2..<5_000) + [1])
    #expect(sequence.ids.enumerated().allSatisfy { sequence.index(of: $1) == $0 })
  }

  @Test(arguments: [1, 2, 3, 7])
  func `elements can be removed from both ends and from the middle`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var sequence = Identified<KeyedValue<Int>>()
    for id in 0..<2_000 { try sequence.append(KeyedValue(id: id, value: 0)) }
    var reference = Array(0..<2_000)
    while !reference.isEmpty {
      let near = Int.random(in: 0..<Swift.min(3, reference.count), using: &random)
      let any = Int.random(in: 0..<reference.count, using: &random)
      let index = [near, reference.count - 1 - near, any][seed % 3]
      let removed = sequence.remove(at: index)
      #expect(removed?.id == reference.remove(at: index))
      guard reference.count % 50 == 0 else { continue }
      #expect(Array(sequence.ids) == reference)
      #expect(reference.indices.allSatisfy { sequence.index(of: reference[$0]) == $0 })
    }
  }

  @Test func `many moves preserve the order`() {
    var random = SeededGenerator(seed: 8)
    var sequence = items(100)
    var reference = Array(0..<100)
    for step in 0..<20_000 {
      let id = Int.random(in: 0..<100, using: &random)
      let index = Int.random(in: 0..<100, using: &random)
      let hasMoved = sequence.move(id: id, to: index)
      #expect(hasMoved)
      if let position = reference.firstIndex(of: id) { reference.insert(reference.remove(at: position), at: index) }
      if step % 500 == 0 { #expect(Array(sequence.ids) == reference) }
    }
  }
}
