public import BinderyJSON

/// Values that a write has decoded from its request.
///
/// A long write is decided while others commit, and again if another commit was faster. It decodes its JSON only once,
/// so that no other writer waits for the decoding. Used by one thread.
@usableFromInline
package final class DecodedValues {
  private struct Key: Hashable {
    let node: JSONNode.ID
    let isCreating: Bool
    /// Whether the id of the value is the one in the path.
    let hasImpliedKey: Bool
  }

  private var values: [Key: (node: JSONNode, value: Any)] = [:]

  package init() {}

  /// Returns a decoded value. The value or its error is kept, and the next call returns it again.
  @usableFromInline
  func value<Value>(
    of node: JSONNode, creating isCreating: Bool, _ decoding: inout Decoding,
    _ decode: (inout Decoding) throws(ValidationError) -> Value
  ) throws(ValidationError) -> Value {
    // A short value is decoded faster than it is found. An id that the server has generated depends on the state.
    guard node.byteCount >= 32, decoding.impliedKey?.isSuggested != true else { return try decode(&decoding) }
    let key = Key(node: node.id, isCreating: isCreating, hasImpliedKey: decoding.impliedKey != nil)
    if let known = values[key]?.value as? DecodedValue<Value> {
      decoding.outcome = known.outcome
      return try known.result.get()
    }
    let result = Result { () throws(ValidationError) in try decode(&decoding) }
    // The node is kept too, so that no other one gets its identity.
    values[key] = (node, DecodedValue(result: result, outcome: decoding.outcome))
    return try result.get()
  }
}

/// A decoded value, or the error in its JSON.
private struct DecodedValue<Value> {
  let result: Result<Value, ValidationError>
  let outcome: WriteOutcome
}
