public import BinderyJSON

/// Values that were decoded from the JSON of a request before the store was locked.
///
/// Only parts that are replaced as a whole can be decoded without the state: scalars, arrays, sequences and
/// dictionaries.
@usableFromInline
package final class PreparedValues {
  private struct Key: Hashable {
    let node: JSONNode.ID
    let isCreating: Bool
  }

  private var values: [Key: Any] = [:]

  package init() {}

  /// Decodes a value, unless it was decoded before, and keeps it.
  @usableFromInline
  func add<Value>(_ node: JSONNode, _ shape: EditableShape<Value>, creating isCreating: Bool) {
    var decoding = Decoding(isCreating ? .creating : .complete)
    let result = Result { () throws(ValidationError) in try shape.decode(node, &decoding) }
    values[Key(node: node.id, isCreating: isCreating)] = PreparedValue(result: result, outcome: decoding.outcome)
  }

  @usableFromInline
  func value<Value>(of node: JSONNode, creating isCreating: Bool, _: Value.Type) -> PreparedValue<Value>? {
    values[Key(node: node.id, isCreating: isCreating)] as? PreparedValue<Value>
  }
}

/// A decoded value, or the error that an edit throws when it reaches the value.
@usableFromInline
struct PreparedValue<Value> {
  @usableFromInline let result: Result<Value, ValidationError>
  @usableFromInline let outcome: WriteOutcome

  @usableFromInline
  init(result: Result<Value, ValidationError>, outcome: WriteOutcome) {
    self.result = result
    self.outcome = outcome
  }
}

extension Edit {
  /// Returns a value that was decoded before; nil if it was not.
  @inlinable
  mutating func prepared<Value>(
    _ node: JSONNode?, creating isCreating: Bool, _: Value.Type
  ) throws(EditError) -> Value? {
    guard let preparedValues, let node, impliedKey == nil, !isRestoring,
      let value = preparedValues.value(of: node, creating: isCreating, Value.self)
    else { return nil }
    decodingOutcome = max(decodingOutcome, value.outcome)
    do throws(ValidationError) { return try value.result.get() } catch { throw .invalid(error) }
  }
}

extension Edit.Operation {
  /// Returns the operation with a part of its JSON, for a part of the value.
  @inlinable
  func with(_ part: JSONNode) -> Self {
    switch self {
    case .replace, .insert: .replace(part)
    case .merge, .append, .remove: .merge(part)
    }
  }

  /// The JSON of the operation, unless it adds an element or removes a value.
  @inlinable var editingNode: JSONNode? {
    switch self {
    case .merge(let node), .replace(let node), .insert(let node): node
    case .append, .remove: nil
    }
  }
}

extension EditableShape {
  /// Decodes the parts of a request that are replaced as a whole, without looking at the state.
  @inlinable
  package func prepare(
    _ operation: Edit.Operation, along route: Route, _ index: Int, _ values: PreparedValues
  ) {
    if index == route.steps.count, let node = operation.editingNode, isReplacedWhole(by: operation) {
      values.add(node, self, creating: false)
    } else {
      operations.prepare?(operation, route, index, values)
    }
  }

  /// Returns whether an edit of a value does not depend on the value.
  @inlinable
  func isReplacedWhole(by operation: Edit.Operation) -> Bool {
    switch type.kind {
    case .scalar, .array, .elements, .set: true
    case .dictionary: if case .merge = operation { false } else { true }
    case .product, .sum, .optional: false
    }
  }
}
