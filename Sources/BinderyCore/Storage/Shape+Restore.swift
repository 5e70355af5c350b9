import BinderyDigest
import BinderyJSON

/// Why what was kept cannot be read.
package struct RestoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String
  /// Where in the value, as a JSON Pointer (RFC 6901).
  package let pointer: String

  package init(_ reason: String, at pointer: String) {
    self.reason = reason
    self.pointer = pointer
  }

  package var description: String { pointer.isEmpty ? reason : "\(reason) (at \(pointer))" }
}

extension Shape where Value: Sendable {
  /// Makes a value of what was kept, perhaps by another version of its type; constraints are not asked.
  ///
  /// - Parameter isExact: refuses members that are not stored, instead of passing them over.
  package func restore(_ text: [UInt8], isExact: Bool = false) throws(RestoreError) -> Value {
    let node = try StoredPatch.parse(text)
    var decoding = Decoding(.stored)
    decoding.isExact = isExact
    do throws(ValidationError) {
      return try decode(node, &decoding)
    } catch { throw RestoreError(error.detail, at: error.pointer) }
  }

  /// Carries out a patch of the stored scope.
  ///
  /// What it says of members that the type has no more is passed over.
  package func restore(_ value: inout Value, _ patch: StoredPatch) throws(RestoreError) {
    for operation in patch.operations {
      guard let route = try operation.route(in: type) else { continue }
      do throws(EditError) {
        try carryOut(operation, &value, along: route)
      } catch { throw RestoreError("\(error)", at: operation.pointer) }
    }
  }

  private func carryOut(
    _ operation: StoredOperation, _ value: inout Value, along route: Route
  ) throws(EditError) {
    switch operation.verb {
    case .replace(let node): try write(.replace(node), &value, along: route)
    // Only what is added may be missing before.
    case .add(let node, nil): try write(.insert(node), &value, along: route, mayCreate: true)
    case .add(let node, let index?): try write(.insert(node), &value, along: route.positioned(at: index))
    case .remove: try write(.remove, &value, along: route)
    case .move(let index):
      guard let stored = stored(value, at: route),
        let document = try? JSONDocument(parsing: stored, maximumDepth: StoredPatch.maximumDepth)
      else { throw .absent(Absence(.noSuchElement(""), depth: route.steps.count)) }
      try write(.remove, &value, along: route)
      try write(.insert(document.root), &value, along: route.positioned(at: index))
    }
  }

  private func write(
    _ operation: Edit.Operation, _ value: inout Value, along route: Route, mayCreate: Bool = false
  ) throws(EditError) {
    var edit = Edit(operation, mayCreate: mayCreate, along: route)
    edit.isRestoring = true
    try apply(&value, route, 0, &edit)
    if edit.wasAbsent { throw .absent(Absence(.noSuchElement(""), depth: route.steps.count)) }
  }

  /// What stands at a place, as it is kept; nil where nothing does.
  private func stored(_ value: Value, at route: Route) -> [UInt8]? {
    var reading = ReadOperation(.stored, key: .unused)
    guard (try? visit(value, route, 0, &reading)) != nil else { return nil }
    return reading.writer.bytes
  }
}

extension Shape where Value: Sendable {
  /// The first place that is not as a patch of the stored scope has left it, as a JSON Pointer; nil where all are.
  ///
  /// A place that was moved is as it was left if it is there; ``StoredPatch/firstMove`` says where to ask for more.
  package func firstChange(in value: Value, since patch: StoredPatch) throws(RestoreError) -> String? {
    for operation in patch.operations {
      guard let route = try operation.route(in: type) else { return operation.pointer }
      let stored = stored(value, at: route)
      let isAsLeft =
        switch operation.verb {
        case .replace(let node), .add(let node, _): stored?.elementsEqual(node.text) ?? false
        case .remove: stored == nil
        case .move: stored != nil
        }
      if !isAsLeft { return operation.pointer }
    }
    return nil
  }
}

extension DigestKey {
  /// For readings that digest nothing.
  fileprivate static let unused = DigestKey(secret: Array(repeating: 0, count: minimumSecretLength))
}
