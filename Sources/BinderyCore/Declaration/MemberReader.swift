public import BinderyJSON

/// Decodes one member of a new struct.
@usableFromInline
struct MemberReader<Value: Sendable>: Sendable {
  @usableFromInline let info: MemberInfo
  @usableFromInline let shape: EditableShape<Value>
  /// Creates the default value of a new struct; nil for a required member.
  @usableFromInline let fallback: (@Sendable () -> Value)?
  /// Returns the id in the address of a new element; nil for members that are not the id.
  @usableFromInline let fromKey: (@Sendable (AnyKey) -> Value?)?

  @inlinable
  init(
    _ info: MemberInfo, _ shape: EditableShape<Value>, _ fallback: (@Sendable () -> Value)? = nil,
    fromKey: (@Sendable (AnyKey) -> Value?)? = nil
  ) {
    self.info = info
    self.shape = shape
    self.fallback = fallback
    self.fromKey = fromKey
  }

  /// Decodes the member.
  ///
  /// - Parameters:
  ///   - slot: The member's JSON; nil if the object does not have it.
  ///   - key: The id from the address of a new element; nil if there is none.
  /// - Throws: ``ValidationError`` if the JSON does not fit, a required member is missing, or the id differs from the
  ///   one in the address.
  @inlinable
  func value(in slot: JSONNode?, _ decoding: inout Decoding, _ key: AnyKey?) throws(ValidationError) -> Value {
    let implied = key.flatMap { fromKey?($0) }
    guard let slot else {
      if let implied {
        // The address has only been parsed.
        if decoding.checksConstraints {
          do throws(ValidationError) { try shape.check(implied) } catch { throw error.under(info.name) }
        }
        return implied
      }
      let isOlder = decoding.strictness == .stored
      // Clients need not know what only the service sets.
      let isOptional =
        decoding.strictness == .creating || info.role == .hidden
        || info.role == .readOnly && decoding.strictness == .complete && !decoding.isInArray
      if let fallback, isOlder || isOptional { return fallback() }
      if info.omitsNull, let value = try? shape.decode(.null, &decoding) { return value }
      // The stored state may be older than the member. An optional then defaults to nil, even without a declared
      // default.
      if isOlder, let value = try? shape.decode(.null, &decoding) { return value }
      throw decoding.missingError(of: info).under(info.name)
    }
    let value = try decoding.part(info.name) { decoding throws(ValidationError) in
      try shape.decode(slot, &decoding)
    }
    if let implied, let key, !key.isSuggested, !shape.areSame(implied, value) {
      throw info.idMismatchError(key)
    }
    return value
  }
}
