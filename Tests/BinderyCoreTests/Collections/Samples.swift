import BinderyCore
import BinderyDigest

/// An element with an id of any kind.
struct KeyedValue<ID: Key & Hashable>: Identifiable, Equatable, Sendable {
  var id: ID
  var value: Int
}

/// A key whose hashes are all equal, so that the index has nothing but collisions.
struct Colliding: Key, Hashable {
  var number: Int

  static var couldBeIndex: Bool { true }
  static func areSame(_ a: Colliding, _ b: Colliding) -> Bool { a.number == b.number }
  func hashBytes(into hasher: inout Hasher) {}
  func write(keyTextInto bytes: inout [UInt8]) { number.write(keyTextInto: &bytes) }

  init(_ number: Int) { self.number = number }

  init?(keyText: Span<UInt8>) {
    guard let number = Int(keyText: keyText) else { return nil }
    self.number = number
  }
}

/// SplitMix64: the same numbers in each run.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

func digest(_ item: KeyedValue<Int>) -> Digest {
  Digest(high: UInt64(bitPattern: Int64(item.id)), low: UInt64(bitPattern: Int64(item.value)))
}

/// Elements 0, 1, 2, … with value 0.
func items(_ count: Int) -> Identified<KeyedValue<Int>> {
  Identified(uniquing: (0..<count).map { KeyedValue(id: $0, value: 0) })
}

extension Identified {
  /// Takes the steps of a difference, one by one.
  mutating func apply(_ changes: Changes<Element>) throws {
    for step in changes.steps {
      switch step {
      case .remove(let id): remove(id: id)
      case .insert(let element, let index): try insert(element, at: index)
      case .move(let id, let index): move(id: id, to: index)
      case .replace(let element): update(element)
      }
    }
  }
}
