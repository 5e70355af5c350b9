import BinderyCore
import BinderyHTTP
import BinderyJSON
import BinderyText

/// A parsed JSON Patch (RFC 6902). Everything that does not depend on the state has been checked.
package struct PatchDocument: Sendable {
  /// The kinds of operations. A place is a pointer, or a ``Target`` once it is resolved.
  enum Verb<Place: Sendable>: Sendable {
    case add(JSONNode)
    case remove
    case replace(JSONNode)
    case move(from: Place)
    case copy(from: Place)
    case test(JSONNode)
  }

  struct Operation: Sendable {
    let verb: Verb<Target>
    let path: Target
    /// The position in its collection for an element that the operation adds, copies or moves: the member `at`, which
    /// patches that name elements by id have. Nil for the end, or for where the element is.
    let position: Int?
  }

  /// A place that an operation names.
  struct Target: Sendable {
    let segments: [String]
    let route: Route
  }

  /// The maximum number of operations in one patch.
  package static let maximumOperations = 1_000
  /// The maximum number of JSON bytes that all operations of a patch may copy and move. It equals the limit of a
  /// request body.
  static let maximumCopiedBytes = 1024 * 1024
  /// The maximum number of elements of plain arrays that all operations of a patch may move by one position, by adding
  /// or removing an element before them. A few bytes of JSON would otherwise move all elements of a long array.
  package static let maximumShiftedElements = 20_000_000
  /// The maximum number of times that a patch may evaluate getters again because an earlier operation changed the
  /// state.
  static let maximumRepeatedGetters = 64
  /// The maximum processor time of these evaluations and of repeated checks of the draft, in nanoseconds. Other
  /// requests of the event loop wait meanwhile.
  static let maximumRepeatedNanoseconds: Int64 = 10_000_000

  /// Returns the budget for these evaluations and checks.
  ///
  /// - Parameter processorTime: Returns the processor time of this thread, in nanoseconds.
  static func repetitionBudget(_ processorTime: @escaping @Sendable () -> Int64) -> GetterCache.Budget {
    GetterCache.Budget(runs: maximumRepeatedGetters, nanoseconds: maximumRepeatedNanoseconds, clock: processorTime)
  }

  let operations: [Operation]

  /// Parses a patch.
  ///
  /// - Parameter base: The route that the pointers of the operations are relative to.
  /// - Throws: The problem of the first operation that is malformed or not possible in any state, with its index.
  init(_ root: JSONNode, along base: Route) throws(Problem) {
    guard root.kind == .array else {
      throw Problem(.invalidValue, "Expected a JSON Patch: an array of operations (RFC 6902).").with { $0.pointer = "" }
    }
    guard root.count <= Self.maximumOperations else {
      throw Problem(.invalidValue, "Expected at most \(Self.maximumOperations) operations, got \(root.count).")
        .with { $0.pointer = "" }
    }
    var operations: [Operation] = []
    for (index, node) in root.elements.enumerated() {
      do throws(Problem) {
        operations.append(try Operation(node, along: base))
      } catch {
        throw error.inOperation(index)
      }
    }
    self.operations = operations
  }
}

extension Problem {
  /// Returns the problem of one operation of a JSON Patch.
  func inOperation(_ index: Int) -> Problem {
    with { problem in
      problem.operation = index
      problem.pointer = "/\(index)\(problem.pointer ?? "")"
      // 404 would say that the path of the request is absent: an absent value inside a patch is a conflict.
      if problem.status == .notFound { problem.status = .conflict }
    }
  }
}

extension PatchDocument.Operation {
  fileprivate init(_ node: JSONNode, along base: Route) throws(Problem) {
    let raw: RawOperation
    do throws(ValidationError) { raw = try RawOperation(node) } catch { throw Problem(error) }
    path = try PatchDocument.Target(raw.path, "path", along: base)
    position = raw.position
    if position != nil, !path.isElement(below: base) {
      throw Problem(
        .invalidValue,
        "A position applies to an element of a collection with ids, and “path” names no element by its id."
      ).with { $0.pointer = "/at" }
    }
    switch raw.verb {
    case .test(let value):
      verb = .test(value)
      return
    case .remove:
      verb = .remove
      try path.requireRemovable("path")
      return
    case .add(let value): verb = .add(value)
    case .replace(let value): verb = .replace(value)
    case .copy(let from): verb = .copy(from: try PatchDocument.Target(from, "from", along: base))
    case .move(let segments):
      let from = try PatchDocument.Target(segments, "from", along: base)
      verb = .move(from: from)
      // A move of a place to itself changes nothing.
      if from.isSpelled(as: path), position == nil { return }
      try from.requireRemovable("from")
    }
    try path.requireWritable("path")
  }
}

extension PatchDocument.Target {
  /// Resolves a pointer of an operation.
  ///
  /// - Parameter member: The name of the operation's member that contains the pointer: `path` or `from`.
  fileprivate init(_ segments: [String], _ member: String, along base: Route) throws(Problem) {
    guard let route = base.resolving(segments, form: .pointer) else {
      throw Problem.unknownPath(segments, below: base, form: .pointer).with { $0.pointer = "/\(member)" }
    }
    self.init(segments: segments, route: route)
  }

  /// Returns whether two pointers have the same segments. Different segments may name the same place.
  func isSpelled(as other: Self) -> Bool {
    segments.count == other.segments.count && zip(segments, other.segments).allSatisfy { $0.isSame(as: $1) }
  }

  /// Returns whether the pointer ends with the id of an element.
  ///
  /// - Parameter base: The place to which the pointer is relative.
  fileprivate func isElement(below base: Route) -> Bool {
    let steps = route.steps.dropFirst(base.steps.count)
    if case .key? = steps.last { return base.target.hasElement(at: steps) }
    return false
  }

  /// Returns whether the places of two pointers are in the same collection; false if it is spelled differently.
  func hasSameParent(as other: Self) -> Bool {
    guard let parent = segments.indices.last, parent == other.segments.indices.last else { return false }
    return zip(segments[..<parent], other.segments[..<parent]).allSatisfy { $0.isSame(as: $1) }
  }

  fileprivate func requireWritable(_ member: String) throws(Problem) {
    guard route.isWritable else {
      throw Problem(.readOnlyMember, "The value at this path is read-only: it can only be tested or copied.")
        .with { $0.pointer = "/\(member)" }
    }
  }

  fileprivate func requireRemovable(_ member: String) throws(Problem) {
    try requireWritable(member)
    guard route.canDelete else {
      throw Problem(
        .notRemovable, "Only optionals, elements and entries can be removed. Use “replace” to set another value."
      )
      .with { $0.pointer = "/\(member)" }
    }
  }
}

extension JSONNode {
  /// Returns the members of an object by name. A repeated one is an error, because it would be ambiguous.
  ///
  /// - Parameter isKnown: Returns whether a name counts; other members are ignored.
  func uniqueMembers(
    where isKnown: (String) throws(ValidationError) -> Bool
  ) throws(ValidationError) -> [String: JSONNode] {
    var unique: [String: JSONNode] = [:]
    for (key, value) in members {
      guard let name = key.string else { continue }
      guard !name.hasTooManyMarks else {
        throw ValidationError(.unknownMember, "a name has more than 30 combining marks in a row")
      }
      guard try isKnown(name) else { continue }
      guard unique.updateValue(value, forKey: name) == nil else {
        throw ValidationError(.duplicateMember, "“\(name)” occurs more than once", at: name)
      }
    }
    return unique
  }
}

/// An operation whose pointers are not resolved.
private struct RawOperation {
  let verb: PatchDocument.Verb<[String]>
  let path: [String]
  let position: Int?

  init(_ node: JSONNode) throws(ValidationError) {
    guard node.kind == .object else {
      throw ValidationError(.value, "\(node.excerpt(maximum: 40)) is not an operation", expected: "an object")
    }
    // Unknown members are ignored (RFC 6902 §4), but no member may occur twice.
    let members = try node.uniqueMembers { _ in true }
    path = try Self.pointer("path", members)
    guard let op = members["op"] else { throw ValidationError(.missingMember, "“op” is missing", at: "op") }
    switch op.string.flatMap({ $0.hasTooManyMarks ? nil : $0 }) {
    case "add": verb = .add(try Self.value(members))
    case "remove": verb = .remove
    case "replace": verb = .replace(try Self.value(members))
    case "move": verb = .move(from: try Self.pointer("from", members))
    case "copy": verb = .copy(from: try Self.pointer("from", members))
    case "test": verb = .test(try Self.value(members))
    default:
      throw ValidationError(
        .value, "\(op.excerpt(maximum: 40)) is not an operation", expected: "add, remove, replace, move, copy or test",
        at: "op")
    }
    position =
      switch verb {
      case .add, .copy, .move: try Self.position(members)
      case .remove, .replace, .test: nil
      }
    if case .move(let from) = verb, from.count < path.count, zip(from, path).allSatisfy({ $0.isSame(as: $1) }) {
      throw ValidationError(.value, "a value cannot be moved into itself", at: "path")
    }
  }

  private static func position(_ members: [String: JSONNode]) throws(ValidationError) -> Int? {
    guard let node = members["at"] else { return nil }
    guard case .value(let position) = node.integer(), position >= 0 else {
      throw ValidationError(
        .value, "\(node.excerpt(maximum: 40)) is not a position", expected: "an integer ≥ 0", at: "at")
    }
    return Int(position)
  }

  private static func value(_ members: [String: JSONNode]) throws(ValidationError) -> JSONNode {
    guard let value = members["value"] else { throw ValidationError(.missingMember, "“value” is missing", at: "value") }
    return value
  }

  private static func pointer(_ name: String, _ members: [String: JSONNode]) throws(ValidationError) -> [String] {
    guard let node = members[name] else { throw ValidationError(.missingMember, "“\(name)” is missing", at: name) }
    guard let text = node.string, let segments = RequestTarget.segments(of: text) else {
      throw ValidationError(
        .value, "\(node.excerpt(maximum: 40)) is not a JSON Pointer",
        expected: "a JSON Pointer (RFC 6901), which is empty or begins with a slash", at: name)
    }
    return segments
  }
}
