import BinderyDigest
import BinderyJSON

extension EditableShape where Value: Sendable {
  /// Decodes a value from the storage format, which another version of the type may have written.
  ///
  /// Constraints are not checked, because they may be stricter now than when the value was stored.
  ///
  /// - Parameter text: the JSON text.
  package func restore(_ text: [UInt8]) throws(RestoreError) -> Value {
    let node = try StoredPatch.parse(text)
    var decoding = Decoding(.stored)
    do throws(ValidationError) {
      return try decode(node, &decoding)
    } catch { throw RestoreError(error.detail, at: error.pointer) }
  }

  /// Decodes a value from the storage format, or from a state file, and checks the constraints.
  ///
  /// - Parameter report: Receives all mistakes.
  /// - Returns: The value, possibly with mistakes in the report; nil if there is none.
  func restore(_ text: [UInt8], _ report: ValidationReport) throws(RestoreError) -> Value? {
    let node = try StoredPatch.parse(text)
    var decoding = Decoding(reporting: report)
    do throws(ValidationError) { return try decode(node, &decoding) } catch {
      report.record(error)
      return nil
    }
  }

  /// Applies a patch in the storage format to a value.
  ///
  /// Operations on members that the type no longer has are ignored.
  ///
  /// - Parameters:
  ///   - decodedValues: the values of the patch that were decoded before; nil to decode all of them now.
  ///   - isRebased: true if the patch was made for another version, so that a position may be behind the end of its
  ///     sequence. The element is then the last one.
  package func restore(
    _ value: inout Value, _ patch: StoredPatch, _ decodedValues: DecodedValues? = nil, isRebased: Bool = false
  ) throws(RestoreError) {
    for operation in patch.operations {
      guard let route = try operation.route(in: type) else { continue }
      do throws(EditError) {
        try perform(operation, &value, along: route, decodedValues, isRebased: isRebased)
      } catch { throw RestoreError(error.reason, at: operation.pointer) }
    }
  }

  private func perform(
    _ operation: StoredOperation, _ value: inout Value, along route: Route, _ decodedValues: DecodedValues?,
    isRebased: Bool
  ) throws(EditError) {
    switch operation.verb {
    case .replace(let node): try write(.replace(node), &value, along: route, decodedValues)
    // Only an added entry may create its place.
    case .add(let node, nil):
      try write(.insert(node), &value, along: route, decodedValues, requiredSteps: route.steps.count - 1)
    case .add(let node, let index?):
      try insert(node, into: &value, along: route, at: index, decodedValues, isRebased: isRebased)
    case .remove: try write(.remove, &value, along: route)
    case .move(let index):
      guard let stored = stored(value, at: route),
        let document = try? JSONDocument(parsing: stored, maximumDepth: StoredPatch.maximumDepth)
      else { throw .absent(Absence(.noSuchElement(""), depth: route.steps.count)) }
      try write(.remove, &value, along: route)
      try insert(document.root, into: &value, along: route, at: index, isRebased: isRebased)
    }
  }

  private func insert(
    _ node: JSONNode, into value: inout Value, along route: Route, at index: Int,
    _ decodedValues: DecodedValues? = nil, isRebased: Bool
  ) throws(EditError) {
    do throws(EditError) {
      try write(.insert(node), &value, along: route.positioned(at: .index(index)), decodedValues)
    } catch {
      guard isRebased, case .absent = error else { throw error }
      try write(.insert(node), &value, along: route.positioned(at: .end), decodedValues)
    }
  }

  private func write(
    _ operation: Edit.Operation, _ value: inout Value, along route: Route, _ decodedValues: DecodedValues? = nil,
    requiredSteps: Int? = nil
  ) throws(EditError) {
    var edit = Edit(operation, requiredSteps: requiredSteps, along: route, stored: true)
    edit.isRestoring = true
    edit.decodedValues = decodedValues
    try apply(&value, route, 0, &edit)
    if edit.wasAbsent { throw .absent(Absence(.noSuchElement(""), depth: route.steps.count)) }
  }

  /// Returns the value at a place in the storage format; nil if the place does not exist.
  private func stored(_ value: Value, at route: Route) -> [UInt8]? {
    var reading = ReadOperation(.stored, key: .unused)
    guard (try? visit(value, route, 0, &reading)) != nil else { return nil }
    return reading.writer.bytes
  }

  /// Returns the JSON Pointer of the first place that has changed since a patch in the storage format was applied.
  ///
  /// A moved element counts as unchanged if it exists; check its position with ``StoredPatch/firstMovedElement``.
  ///
  /// - Parameter decodedValues: the values of the patch that were decoded before; nil to decode all of them now.
  /// - Returns: nil if every place is as the patch left it.
  package func firstChange(
    in value: Value, since patch: StoredPatch, _ decodedValues: DecodedValues? = nil
  ) throws(RestoreError) -> String? {
    for operation in patch.operations {
      guard let route = try operation.route(in: type) else {
        throw RestoreError("the model no longer has this member", at: operation.pointer)
      }
      var reading = ReadOperation(operation.verb.purpose(along: route, decodedValues), key: .unused)
      let exists = (try? visit(value, route, 0, &reading)) != nil
      let isUnchanged =
        switch operation.verb {
        case .replace, .add: exists && reading.isEqual
        case .remove: !exists || reading.isEqual
        case .move: exists
        }
      if !isUnchanged { return operation.pointer }
    }
    return nil
  }
}

extension StoredPatch {
  /// Checks that a type has all members of the values in the patch, because applying it leaves the others out.
  package func requireMembers(of type: TypeInfo) throws(RestoreError) {
    for operation in operations {
      let route = try operation.route(in: type)
      switch operation.verb {
      case .replace(let node), .add(let node, _):
        guard let path = route.map({ $0.target.firstUnknownMember(in: node) }) ?? [] else { continue }
        throw RestoreError("the model no longer has this member", at: operation.pointer + Pointer.text(path))
      case .remove, .move: continue
      }
    }
  }
}

extension StoredOperation.Verb {
  /// The read that finds out whether a place is as the operation left it.
  fileprivate func purpose(along route: Route, _ decodedValues: DecodedValues?) -> ReadOperation.Purpose {
    switch self {
    case .replace(let node), .add(let node, _): return .storedEquality(node, decodedValues)
    case .remove:
      // A member that JSON leaves out while it is nil still exists in the state.
      if case .member? = route.steps.last { return .storedEquality(.null, nil) }
      return .presence
    case .move: return .presence
    }
  }
}

extension DigestKey {
  /// A placeholder for read operations that compute no digest.
  static let unused = DigestKey(secret: Array(repeating: 0, count: minimumSecretLength))
}

extension EditableShape {
  /// Returns the value as canonical JSON.
  package func json(_ value: Value) -> [UInt8] {
    var writer = JSONWriter()
    encode(value, into: &writer)
    return writer.bytes
  }

  /// Writes the value in the storage format.
  @usableFromInline
  package func store(_ value: Value, into writer: inout StoredWriter) {
    if let store = operations.store { store(value, &writer) } else { encode(value, into: &writer.writer) }
  }

  /// Returns the value in the storage format.
  ///
  /// - Parameter limit: the number of bytes after which elements are left out. A longer text is unusable.
  package func stored(_ value: Value, atMost limit: Int = .max) -> [UInt8] {
    var writer = StoredWriter(stoppingAt: limit)
    store(value, into: &writer)
    return writer.writer.bytes
  }

  /// Returns the members of the value that a data file contains: those that are stored and that clients see.
  package func data(_ value: Value) -> [UInt8] {
    var writer = StoredWriter(omittingHidden: true)
    store(value, into: &writer)
    return writer.writer.bytes
  }
}
