import BinderyJSON

/// What leads from one version of the state to another, as it is kept: a patch of the stored scope.
package struct StoredPatch: Sendable {
  let operations: [StoredOperation]

  package init(parsing text: [UInt8]) throws(RestoreError) {
    let root = try Self.parse(text)
    guard root.kind == .array else { throw RestoreError("a patch is an array", at: "") }
    var operations: [StoredOperation] = []
    for node in root.elements { operations.append(try StoredOperation(node)) }
    self.operations = operations
  }

  /// The first element that it moves, as a JSON Pointer; nil where it moves none.
  ///
  /// Where it has stood since depends on all that the patch does to the sequence: who needs to know carries it out.
  package var firstMove: String? {
    operations.first { if case .move = $0.verb { true } else { false } }?.pointer
  }

  /// How deep what is kept may be nested: what came over the network, and a few levels around it.
  static let maximumDepth = 256

  static func parse(_ text: [UInt8]) throws(RestoreError) -> JSONNode {
    do throws(JSONSyntaxError) {
      return try JSONDocument(parsing: text, maximumDepth: maximumDepth).root
    } catch { throw RestoreError("no JSON: \(error)", at: "") }
  }

  /// The same as a JSON Patch (RFC 6902), in canonical JSON.
  package var shown: [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for operation in operations { operation.encodeShown(into: &writer) }
    writer.endArray()
    return writer.bytes
  }
}
