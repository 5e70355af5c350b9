import BinderyCore
import BinderyJSON

/// Checks of equality, of the JSON encoding and of the stored form.
extension LawChecker {
  /// Checks that `areSame`, digests and the type's own `==` agree with the canonical JSON.
  mutating func checkEquality(_ a: Value, _ b: Value) {
    countCheck(.equality)
    let (left, right) = (bytes(a), bytes(b))
    let isSame = left == right
    let texts = [left, right].map { String(decoding: $0, as: UTF8.self) }
    // Values with equal JSON may differ in hidden members.
    if isSame != shape.areSame(a, b), !(isSame && shape.type.hasHidden) {
      addViolation(.equality, "`areSame` does not agree with the canonical JSON", texts)
    }
    if isSame != (shape.digest(a, key) == shape.digest(b, key)) {
      addViolation(.equality, "the digests do not agree with the canonical JSON", texts)
    }
    guard !isSame, let a = a as? any Equatable, a.isEqual(to: b),
      let left = JSONTree(parsing: left)?.sortingSets(shape.type),
      let right = JSONTree(parsing: right)?.sortingSets(shape.type), !left.isEqualAsSwiftValue(to: right)
    else { return }
    addViolation(.equality, "`==` of \(Value.self) regards different values as equal", texts)
  }

  /// Checks that a value round-trips through JSON, and that damaged JSON is handled.
  mutating func checkCodec(_ value: Value, isSample: Bool) {
    // JSON does not contain hidden members, so only values that were decoded from JSON round-trip completely.
    if !(isSample && shape.type.hasHidden) {
      countCheck(.codec)
      if let tree = JSONTree(parsing: bytes(value)), let copy = decode(tree) {
        if bytes(copy) != bytes(value) {
          addViolation(.codec, "decoding the encoded value returns a different value", [text(value), text(copy)])
        }
        checkEquality(copy, value)
      } else {
        addViolation(.codec, "the encoded value cannot be decoded", [text(value)])
      }
    }
    for _ in 0..<8 { checkDamaged(bytes(value)) }
  }

  /// Checks that damaged JSON never traps, and that every accepted value has a stable canonical encoding.
  private mutating func checkDamaged(_ bytes: [UInt8]) {
    countCheck(.codec)
    let damaged = damage(bytes)
    guard let document = try? JSONDocument(parsing: damaged) else { return }
    for strictness in [Decoding.Strictness.complete, .creating, .exact] {
      var decoding = Decoding(strictness)
      guard let value = try? shape.decode(document.root, &decoding) else { continue }
      let canonical = self.bytes(value)
      guard let tree = JSONTree(parsing: canonical), let copy = decode(tree), self.bytes(copy) == canonical else {
        addViolation(
          .codec, "encoding, decoding and encoding a decoded value changes its JSON",
          [String(decoding: damaged, as: UTF8.self), text(value)])
        continue
      }
    }
  }

  /// Returns the bytes with one to three random edits.
  private mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
    let snippets = [
      "null", "{}", "[]", "\"\"", "-0", "1e400", "0.5", "\"\\ud800\"", "{\"some\":null}", ",", "\"", "1", "é",
    ]
    var damaged = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator.random) {
      let start = Int.random(in: 0...damaged.count, using: &generator.random)
      let end = min(damaged.count, start + Int.random(in: 0...6, using: &generator.random))
      switch Int.random(in: 0..<4, using: &generator.random) {
      case 0: damaged.removeSubrange(start..<end)
      case 1: damaged.replaceSubrange(start..<end, with: (generator.pick(snippets) ?? "").utf8)
      case 2: damaged.insert(UInt8.random(in: 0...255, using: &generator.random), at: start)
      default: damaged.insert(contentsOf: damaged[start..<end], at: start)
      }
    }
    return damaged
  }

  /// Checks that a value, and its differences from and to another value, round-trip through the stored form.
  mutating func checkStorage(_ value: Value, _ other: Value) {
    checkRestoring(value)
    let stored = shape.stored(value)
    do throws(RestoreError) {
      try checkDifference(from: other, to: value)
      try checkDifference(from: value, to: other)
    } catch {
      addViolation(
        .storage, "a stored difference cannot be restored: \(error)", [String(decoding: stored, as: UTF8.self)])
    }
    checkImport(value, stored)
    checkImport(value, bytes(value))
  }

  /// Checks that a value round-trips through the stored form.
  mutating func checkRestoring(_ value: Value) {
    countCheck(.storage)
    let stored = shape.stored(value)
    let storedText = String(decoding: stored, as: UTF8.self)
    do throws(RestoreError) {
      let copy = try shape.restore(stored)
      if !shape.areSame(copy, value) {
        addViolation(.storage, "restoring the stored value returns a different value", [storedText, text(copy)])
      }
    } catch {
      addViolation(.storage, "the stored value cannot be restored: \(error)", [storedText])
    }
  }

  /// Checks that a value is imported from a state file.
  private mutating func checkImport(_ value: Value, _ file: [UInt8]) {
    let model = ModelDefinition(shape) { _, _ throws(InvalidState) in }
    let fileText = String(decoding: file, as: UTF8.self)
    do throws(ImportError) {
      let copy = try model.importing(file, replacing: nil)
      // A client does not see hidden members.
      if shape.type.hasHidden || shape.areSame(copy, value) { return }
      addViolation(.storage, "importing the value returns a different value", [fileText, text(copy)])
    } catch {
      addViolation(.storage, "the value cannot be imported: \(error)", [fileText])
    }
  }

  private mutating func checkDifference(from old: Value, to new: Value) throws(RestoreError) {
    var difference = PatchBuilder(.stored)
    shape.difference(from: old, to: new, &difference)
    let text = difference.finish()
    let patch = try StoredPatch(parsing: text)
    var copy = old
    try shape.restore(&copy, patch)
    let change = try shape.firstChange(in: new, since: patch)
    if shape.areSame(copy, new), change == nil { return }
    let detail =
      change.map { "the result of applying the stored patch differs from the patch at “\($0)”" }
      ?? "applying the stored patch results in a different value"
    addViolation(
      .storage, detail, [shape.stored(old), shape.stored(new), text].map { String(decoding: $0, as: UTF8.self) })
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}

extension JSONTree {
  /// The tree as a parsed document; nil if it exceeds the parser's limits.
  var document: JSONDocument? { try? JSONDocument(parsing: bytes) }
}
