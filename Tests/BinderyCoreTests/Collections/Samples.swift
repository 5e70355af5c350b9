import BinderyCore
import BinderyDigest

/// An element with an id of any key type.
struct KeyedValue<ID: PathKey & Hashable>: Identifiable, Equatable, Sendable {
  var id: ID
  var value: Int
}

/// A key type whose hashes are all equal, so that all index entries collide.
struct CollidingKey: PathKey, Hashable {
  var number: Int

  init(_ number: Int) { self.number = number }

  static func key(from text: String) -> CollidingKey? { Int.key(from: text).map(CollidingKey.init) }

  var keyText: String { number.keyText }

  func _hashBytes(into hasher: inout Hasher) {}
}

/// Returns a digest that consists of the id and the value.
func digest(_ item: KeyedValue<Int>) -> Digest {
  Digest(high: UInt64(bitPattern: Int64(item.id)), low: UInt64(bitPattern: Int64(item.value)))
}

/// Returns elements with the ids 0, 1, 2, … and the value 0.
func items(_ count: Int) -> Identified<KeyedValue<Int>> {
  Identified(uniquing: (0..<count).map { KeyedValue(id: $0, value: 0) })
}

extension Identified {
  /// Applies the steps of a difference.
  mutating func apply(_ steps: [Step]) throws {
    for step in steps {
      switch step {
      case .remove(let id): remove(id: id)
      case .insert(let element, let index): try insert(element, at: index)
      case .move(let id, let index): move(id: id, to: index)
      case .replace(let element): update(element)
      }
    }
  }
}
