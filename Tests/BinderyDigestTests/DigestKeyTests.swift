import BinderyDigest
import Testing

/// Returns a deterministic secret for a seed.
private func secret(_ seed: UInt8, count: Int = 192) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 167) ^ ($0 >> 3) &+ Int(seed) &* 31) }
}

/// A minimal JSON value with nesting.
private indirect enum Value {
  case leaf(String)
  case array([Value])
  case object([(String, Value)])

  func digest(_ key: DigestKey) -> Digest {
    switch self {
    case .leaf(let text): key.leaf(text.utf8.span)
    case .array(let elements):
      key.array(elements.reduce(.empty) { $0.followed(by: SequenceDigest($1.digest(key), key: key)) })
    case .object(let members):
      key.object(count: members.count) { parts in
        for (name, value) in members {
          parts.append(key.leaf(name.utf8.span))
          parts.append(value.digest(key))
        }
      }
    }
  }
}

@Suite struct DigestKeyTests {
  let key = DigestKey(secret: secret(1))

  /// A change of these values would invalidate the ETags that clients and stores hold.
  @Test func `the digests of a stored secret are the same in every version`() {
    let dish = Value.object([
      ("id", .leaf("1")), ("tags", .array([.leaf("\"a\""), .leaf("\"b\""), .leaf("null")])), ("none", .array([])),
    ])
    #expect(dish.digest(key).text == "niXmIgUoQbAgJMR6DcciKQ")
    #expect(Value.leaf("true").digest(key).text == "UGPm_Jz6dEZlbjo4uydZ-g")
  }

  @Test func `a digest depends only on the value and the secret`() {
    let (same, other) = (DigestKey(secret: secret(1)), DigestKey(secret: secret(2)))
    let values = [Value.leaf("1"), .array([.leaf("1")]), .array([]), .object([("a", .leaf("1"))]), .object([])]
    for value in values {
      #expect(value.digest(key) == value.digest(same))
      #expect(value.digest(key) != value.digest(other))
    }
    for length in [0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 2_000] {
      let text = [UInt8](repeating: 0x61, count: length)
      #expect(key.leaf(text.span) == same.leaf(text.span), "\(length) bytes")
      #expect(key.leaf(text.span) != other.leaf(text.span), "\(length) bytes")
    }
    #expect(Set([key.identity, same.identity, other.identity]).count == 3)
  }

  @Test func `a digest does not depend on adjacent memory`() {
    let bytes = Array("..\"name\"..".utf8)
    #expect(key.leaf(bytes.span.extracting(2..<8)) == key.leaf("\"name\"".utf8.span))
  }

  @Test func `a random key differs from all others`() {
    let (one, two) = (DigestKey.random(), DigestKey.random())
    #expect(one.secret != two.secret)
    #expect(one.secret.count == 192)
    #expect(one.identity != two.identity)
    #expect(one.leaf("1".utf8.span) != two.leaf("1".utf8.span))
  }

  @Test func `someone who knows the secret can construct two values with the same digest`() {
    // With equal words in the secret, the digest is symmetric in the two halves of the first block.
    let known = DigestKey(secret: [UInt8](repeating: 7, count: 192))
    let (one, two) = (#""abcdef\"ghijkl\"mnopqrstuvwxyz""#, #""ghijkl\"abcdef\"mnopqrstuvwxyz""#)
    #expect(known.leaf(one.utf8.span) == known.leaf(two.utf8.span))
    #expect(key.leaf(one.utf8.span) != key.leaf(two.utf8.span))
  }

  @Test func `a short secret traps`() async {
    #expect(DigestKey(secret: secret(1, count: 136)).secret.count == 136)
    await #expect(processExitsWith: .failure) { _ = DigestKey(secret: [UInt8](repeating: 7, count: 135)) }
  }

  @Test func `different values have different digests`() {
    let a = Value.leaf("\"a\"")
    let values: [Value] = [
      a, .array([a]), .array([.array([a])]), .object([("\"a\"", a)]), .array([a, a]), .array([.array([a]), a]),
      .array([a, .array([a])]), .array([]), .object([]), .array([.array([])]), .array([.object([])]), .leaf("null"),
      .leaf("0"),
      .leaf("\"\""), .object([("\"a\"", .array([a]))]), .array([.leaf("1"), .leaf("2")]),
      .array([.leaf("2"), .leaf("1")]),
      .array([.leaf("12")]), .leaf("12"), .object([("\"a\"", .leaf("1")), ("\"b\"", .leaf("2"))]),
      .object([("\"b\"", .leaf("2")), ("\"a\"", .leaf("1"))]), .object([("\"a\"", .leaf("2")), ("\"b\"", .leaf("1"))]),
      .array([.array([a, a])]), .array([.array([]), .array([])]), .array([.array([]), .array([]), .array([])]),
    ]
    #expect(Set(values.map { $0.digest(key) }).count == values.count)
  }

  @Test func `all prefixes of a sequence have different digests`() {
    var seen: Set<Digest> = []
    for element in [key.leaf("1".utf8.span), Digest(high: 0, low: 0)] {
      var sequence = SequenceDigest.empty
      for _ in 0..<200 {
        sequence = sequence.followed(by: SequenceDigest(element, key: key))
        seen.insert(key.array(sequence))
      }
    }
    #expect(seen.count == 400)
  }

  @Test func `the digest of a large object depends on every member`() {
    let parts = (0..<2_000).map { Digest(high: UInt64($0), low: 1) }
    var changed = parts
    changed[1_999].low = 2
    #expect(object(parts) == object(parts))
    #expect(object(parts) != object(changed))
    #expect(object(parts) != object(Array(parts.dropLast(2))))
  }

  @Test(arguments: [0, 1, 15, 16, 1_000])
  func `the digest of an object is that of a tag and its parts`(_ count: Int) {
    let parts = (0..<2 * count).map { Digest(high: UInt64($0), low: ~UInt64($0)) }
    let bytes = parts.flatMap { part in
      (0..<8).map { UInt8(truncatingIfNeeded: part.high >> (8 * $0)) }
        + (0..<8).map { UInt8(truncatingIfNeeded: part.low >> (8 * $0)) }
    }
    let tag: [UInt8] = [1] + [UInt8](repeating: 0, count: 15)
    let (whole, tagAlone) = (tag + bytes, tag)
    #expect(object(parts) == key.leaf(whole.span))
    #expect((object(parts) == key.leaf(tagAlone.span)) == (count == 0))
  }

  @Test func `the digest of a name is right for each key`() async {
    let other = DigestKey(secret: secret(2))
    let (json, name) = (Array("\"name\"".utf8), NameDigest(Array("\"name\"".utf8)))
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { [key] in name.digest(key) } }
      for await digest in group { #expect(digest == key.leaf(json.span)) }
    }
    for _ in 0..<2 {
      #expect(name.digest(other) == other.leaf(json.span))
      #expect(name.digest(key) == key.leaf(json.span))
    }
  }

  private func object(_ parts: [Digest]) -> Digest {
    key.object(count: parts.count / 2) { output in
      for part in parts { output.append(part) }
    }
  }
}

@Suite struct SequenceDigestTests {
  let key = DigestKey(secret: secret(3))

  /// Returns the digests of sequences with one element each.
  private func singleElementDigests(_ count: Int) -> [SequenceDigest] {
    (0..<count).map { SequenceDigest(key.leaf("\($0)".utf8.span), key: key) }
  }

  /// Combines the digests in a tree of a random shape.
  private func combined(_ elements: ArraySlice<SequenceDigest>) -> SequenceDigest {
    guard elements.count > 1 else { return elements.first ?? .empty }
    let split = Int.random(in: elements.startIndex...elements.endIndex)
    guard split > elements.startIndex, split < elements.endIndex else {
      // Include an empty digest as well.
      let middle = elements.startIndex + elements.count / 2
      return combined(elements[..<middle]).followed(by: .empty).followed(by: combined(elements[middle...]))
    }
    return combined(elements[..<split]).followed(by: combined(elements[split...]))
  }

  @Test func `trees of all shapes give the same digest`() {
    for count in [0, 1, 2, 3, 7, 100] {
      let elements = singleElementDigests(count)
      let expected = elements.reduce(SequenceDigest.empty) { $0.followed(by: $1) }
      #expect(expected.count == count)
      for _ in 0..<50 { #expect(combined(elements[...]) == expected) }
    }
  }

  @Test func `an empty sequence is the identity element on both sides`() {
    for sequence in singleElementDigests(5) + [.empty] {
      #expect(SequenceDigest.empty.followed(by: sequence) == sequence)
      #expect(sequence.followed(by: .empty) == sequence)
    }
  }

  @Test func `the order of elements matters`() {
    let elements = singleElementDigests(20)
    let expected = combined(elements[...])
    for i in elements.indices.dropLast() {
      var swapped = elements
      swapped.swapAt(i, i + 1)
      #expect(combined(swapped[...]) != expected)
    }
    #expect(combined(elements.reversed()[...]) != expected)
  }

  @Test func `sequences under different keys differ`() {
    let other = DigestKey(secret: secret(4))
    let digest = Digest(high: 1, low: 2)
    let pair = { (key: DigestKey) in SequenceDigest(digest, key: key).followed(by: SequenceDigest(digest, key: key)) }
    #expect(pair(key) != pair(other))
  }
}
