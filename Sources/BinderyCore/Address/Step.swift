/// One step of a resolved address. Which binding it means was settled on the types alone.
@usableFromInline
package enum Step: Sendable {
  /// A member of a struct, or a label of a case's payload, by its place in the shape.
  case member(Int)
  /// Into the payload of a case, by its place in the shape.
  case payload(Int)
  /// Into what an optional holds.
  case wrapped
  /// An element by its id, or an entry by its key.
  case key(AnyKey)
  /// An element by its position: in JSON Patch only.
  case index(Int)
  /// Behind the last element: in JSON Patch only.
  case end
}

/// An id or a dictionary key of a type known only further down.
@usableFromInline
package class AnyKey: @unchecked Sendable {
  // Immutable: the one subclass adds a `let` of a Sendable type.
  fileprivate init() {}

  /// The canonical text, written anew each time: few ask for it.
  @usableFromInline package var text: String { "" }

  /// The same as a segment of a pointer, as ``Pointer/json(_:)`` spells it.
  var segment: [UInt8] { [] }
}

/// The id or key with its type.
@usableFromInline
final class TypedKey<K: Key>: AnyKey, @unchecked Sendable {
  @usableFromInline let hashedKey: HashedKey<K>

  @usableFromInline
  init(_ key: K) {
    hashedKey = HashedKey(key)
    super.init()
  }

  @usableFromInline override var text: String { hashedKey.key.keyText }
  override var segment: [UInt8] { hashedKey.key.segment }
}

extension AnyKey {
  /// The key as the type that the shape at hand has; the resolver made it from the same shape.
  @inlinable
  func typed<K: Key>(_: K.Type) -> K? { hashed(K.self)?.key }

  /// The same with its hash, which an address keeps.
  @inlinable
  func hashed<K: Key>(_: K.Type) -> HashedKey<K>? { (self as? TypedKey<K>)?.hashedKey }
}
