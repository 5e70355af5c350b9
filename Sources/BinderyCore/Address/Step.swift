public import Synchronization

/// One step of a resolved address.
@usableFromInline
package enum Step: Sendable {
  /// A member of a struct, or a label of a case payload, by its index in the shape.
  case member(Int)
  /// The payload of a case, by the index of the case in the shape.
  case payload(Int)
  /// The wrapped value of an optional.
  case wrapped
  /// An element by its id, or an entry by its key.
  case key(AnyKey)
  /// An element by its position; only in JSON Patch.
  case index(Int)
  /// The position after the last element; only in JSON Patch.
  case end

  /// The id or key that the step names; nil for any other step.
  @inlinable var key: AnyKey? { if case .key(let key) = self { key } else { nil } }

  /// Whether the step names an element by its position, which other operations of a JSON Patch may change.
  package var isPosition: Bool {
    switch self {
    case .index, .end: true
    case .member, .payload, .wrapped, .key: false
    }
  }

  /// Returns whether two steps from the same value lead to the same place.
  package static func isSame(_ a: Step, _ b: Step) -> Bool {
    switch (a, b) {
    case (.member(let a), .member(let b)), (.payload(let a), .payload(let b)), (.index(let a), .index(let b)): a == b
    case (.wrapped, .wrapped), (.end, .end): true
    case (.key(let a), .key(let b)): a.isSame(as: b)
    default: false
    }
  }
}

/// An id or dictionary key with its type erased.
@usableFromInline
package class AnyKey: @unchecked Sendable {
  // The only subclass adds constants of `Sendable` types.
  /// Whether a new element may have another id: the server has generated this one.
  @usableFromInline let isSuggested: Bool

  @usableFromInline init(isSuggested: Bool) { self.isSuggested = isSuggested }

  /// The canonical text. It is computed on each access, because it is rarely needed.
  @usableFromInline package var text: String { "" }

  /// Appends the pointer segment of the key, in the form of ``Pointer/json(_:)``.
  func append(segmentTo pointer: inout [UInt8]) {}

  /// Returns whether both are the same key of the same type.
  func isSame(as other: AnyKey) -> Bool { self === other }

  /// Returns the key cast to a type; nil if it has another type.
  ///
  /// A route resolved against the same shape always has keys of the right type.
  @inlinable
  final func typed<K: PathKey>(_: K.Type) -> K? { (self as? TypedKey<K>)?.key }
}

/// An id or dictionary key with its type.
@usableFromInline
final class TypedKey<K: PathKey>: AnyKey, @unchecked Sendable {
  // The parts of ``hashedKey``: to destroy a `HashedKey<K>`, the runtime would look up its metadata each time.
  @usableFromInline let key: K
  @usableFromInline let hash: UInt64
  /// See ``lastLabel``. Only a hint, so relaxed access is sufficient.
  @usableFromInline let label = Atomic<UInt64>(0)

  @inlinable
  init(_ key: K, isSuggested: Bool = false) {
    let hashed = HashedKey(key)
    (self.key, hash) = (hashed.key, hashed.hash)
    super.init(isSuggested: isSuggested)
  }

  /// The label at which the element was found last; 0 if it was not. There may be another element now, or none.
  @inlinable var lastLabel: UInt64 { label.load(ordering: .relaxed) }

  @inlinable
  func setLastLabel(_ label: UInt64) { self.label.store(label, ordering: .relaxed) }

  /// The key with its precomputed hash.
  @inlinable var hashedKey: HashedKey<K> { HashedKey(key, hash: hash) }

  @usableFromInline override var text: String { key.keyText }
  override func append(segmentTo pointer: inout [UInt8]) { key.append(segmentTo: &pointer) }

  override func isSame(as other: AnyKey) -> Bool {
    self === other || other.typed(K.self).map { K._areSame(key, $0) } ?? false
  }
}
