import BinderyCore
import BinderyJSON

/// Laws of sameness and of the encoding.
extension Trial {
  mutating func checkEquality(_ a: Model, _ b: Model) {
    tried(.equality)
    let (one, two) = (bytes(a), bytes(b))
    let isSame = one == two
    let texts = (String(decoding: one, as: UTF8.self), String(decoding: two, as: UTF8.self))
    // What is hidden tells values apart that read the same.
    if isSame != shape.areSame(a, b), !(isSame && shape.type.hasHidden) {
      report(.equality, [], "sameness is not that of the canonical JSON", texts.0, texts.1)
    }
    if isSame != (shape.digest(a, key) == shape.digest(b, key)) {
      report(.equality, [], "the digests do not agree with the canonical JSON", texts.0, texts.1)
    }
    guard !isSame, let a = a as? any Equatable, a.isEqual(to: b), let one = JSONTree(parsing: one),
      let two = JSONTree(parsing: two), !one.looksEqual(to: two)
    else { return }
    report(.equality, [], "`==` of \(Model.self) takes different values for equal", texts.0, texts.1)
  }

  mutating func checkCodec(_ value: Model, isSample: Bool) {
    // What is hidden does not go through JSON, so that only values made from JSON come back whole.
    if !(isSample && shape.type.hasHidden) {
      tried(.codec)
      let text = String(decoding: bytes(value), as: UTF8.self)
      if let tree = JSONTree(parsing: bytes(value)), let copy = decode(tree) {
        if bytes(copy) != bytes(value) {
          report(
            .codec, [], "decoding the encoding gives another value", text, String(decoding: bytes(copy), as: UTF8.self))
        }
        checkEquality(copy, value)
      } else {
        report(.codec, [], "the encoding cannot be decoded", text)
      }
    }
    for _ in 0..<8 { checkDamaged(bytes(value)) }
  }

  /// Arbitrary bytes never trap, and what is taken has one canonical encoding.
  private mutating func checkDamaged(_ bytes: [UInt8]) {
    tried(.codec)
    let damaged = damage(bytes)
    guard let document = try? JSONDocument(parsing: damaged) else { return }
    for strictness in [Decoding.Strictness.complete, .creating, .exact] {
      var decoding = Decoding(strictness)
      guard let value = try? shape.decode(document.root, &decoding) else { continue }
      let canonical = self.bytes(value)
      guard let tree = JSONTree(parsing: canonical), let copy = decode(tree), self.bytes(copy) == canonical else {
        report(
          .codec, [], "what was decoded has no stable encoding", String(decoding: damaged, as: UTF8.self),
          String(decoding: canonical, as: UTF8.self))
        continue
      }
    }
  }

  private mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
    let scraps = [
      "null", "{}", "[]", "\"\"", "-0", "1e400", "0.5", "\"\\ud800\"", "{\"some\":null}", ",", "\"", "1", "é",
    ]
    var damaged = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator.random) {
      let start = Int.random(in: 0...damaged.count, using: &generator.random)
      let end = min(damaged.count, start + Int.random(in: 0...6, using: &generator.random))
      switch Int.random(in: 0..<4, using: &generator.random) {
      case 0: damaged.removeSubrange(start..<end)
      case 1: damaged.replaceSubrange(start..<end, with: (generator.pick(scraps) ?? "").utf8)
      case 2: damaged.insert(UInt8.random(in: 0...255, using: &generator.random), at: start)
      default: damaged.insert(contentsOf: damaged[start..<end], at: start)
      }
    }
    return damaged
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}

extension JSONTree {
  var document: JSONDocument? { try? JSONDocument(parsing: bytes) }
}
