import BinderyJSON

/// A patch from one version of the state to another in the storage format.
package struct StoredPatch: Sendable {
  let operations: [StoredOperation]

  /// Creates a patch from its JSON text.
  package init(parsing text: [UInt8]) throws(RestoreError) {
    let root = try Self.parse(text)
    guard root.kind == .array else { throw RestoreError("expected a patch, which is a JSON array", at: "") }
    var operations: [StoredOperation] = []
    for node in root.elements { operations.append(try StoredOperation(node)) }
    self.operations = operations
  }

  /// The JSON Pointer of the first element that the patch moves; nil if it moves none.
  ///
  /// The position of that element afterwards depends on all operations on the sequence. To find it, apply the patch.
  package var firstMovedElement: String? {
    operations.first { if case .move = $0.verb { true } else { false } }?.pointer
  }

  /// The maximum nesting depth of stored JSON: more than the limit for requests, because the storage format adds
  /// levels.
  static let maximumDepth = 256

  static func parse(_ text: [UInt8]) throws(RestoreError) -> JSONNode {
    do throws(JSONSyntaxError) {
      return try JSONDocument(parsing: text, maximumDepth: maximumDepth).root
    } catch { throw RestoreError("invalid JSON: \(error)", at: "") }
  }

  /// The patch as a JSON Patch (RFC 6902), in canonical JSON.
  package var shown: [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for operation in operations { operation.encodeJSONPatch(into: &writer) }
    writer.endArray()
    return writer.bytes
  }
}
