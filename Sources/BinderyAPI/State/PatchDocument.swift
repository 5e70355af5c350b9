import BinderyCore
import BinderyJSON

/// A parsed JSON Patch (RFC 6902). Everything that does not depend on the state has been checked.
package struct PatchDocument: Sendable {
  struct Operation: Sendable {
    enum Verb: Sendable {
      case add(JSONNode)
      case remove
      case replace(JSONNode)
      case move(from: [String])
      case copy(from: [String])
      case test(JSONNode)
    }

    let verb: Verb
    let path: [String]
  }

  /// The maximum number of operations in one patch.
  package static let maximumOperations = 1_000
  /// The maximum number of JSON bytes that all operations of a patch may copy and move. It equals the limit of a
  /// request body.
  static let maximumCopiedBytes = 1024 * 1024

  let operations: [Operation]

  init(_ root: JSONNode) throws(Problem) {
    guard root.kind == .array else {
      throw Problem(.invalidValue, "Expected a JSON Patch: an array of operations (RFC 6902).").with { $0.pointer = "" }
    }
    guard root.count <= Self.maximumOperations else {
      throw Problem(.invalidValue, "Expected at most \(Self.maximumOperations) operations, got \(root.count).")
        .with { $0.pointer = "" }
    }
    var operations: [Operation] = []
    for (index, node) in root.elements.enumerated() {
      do throws(ValidationError) {
        operations.append(try Operation(node))
      } catch {
        throw Problem(error.under(String(index))).with { $0.operation = index }
      }
    }
    self.operations = operations
  }
}

extension PatchDocument.Operation {
  fileprivate init(_ node: JSONNode) throws(ValidationError) {
    guard node.kind == .object else {
      throw ValidationError(.value, "\(node.excerpt(maximum: 40)) is not an operation", expected: "an object")
    }
    // Unknown members are ignored (RFC 6902 §4). A repeated member is an error, because it would be ambiguous.
    var members: [String: JSONNode] = [:]
    for (key, value) in node.members {
      guard let name = key.string, ["op", "path", "from", "value"].contains(name) else { continue }
      guard members[name] == nil else {
        throw ValidationError(.duplicateMember, "“\(name)” occurs more than once", at: name)
      }
      members[name] = value
    }
    path = try Self.pointer("path", members)
    guard let op = members["op"] else { throw ValidationError(.missingMember, "“op” is missing", at: "op") }
    switch op.string {
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
    if case .move(let from) = verb, from.count < path.count, zip(from, path).allSatisfy({ $0.isSame(as: $1) }) {
      throw ValidationError(.value, "a value cannot be moved into itself", at: "path")
    }
  }

  private static func value(_ members: [String: JSONNode]) throws(ValidationError) -> JSONNode {
    guard let value = members["value"] else { throw ValidationError(.missingMember, "“value” is missing", at: "value") }
    return value
  }

  private static func pointer(_ name: String, _ members: [String: JSONNode]) throws(ValidationError) -> [String] {
    guard let node = members[name] else { throw ValidationError(.missingMember, "“\(name)” is missing", at: name) }
    guard let text = node.string, let segments = Pointer.segments(of: text) else {
      throw ValidationError(
        .value, "\(node.excerpt(maximum: 40)) is not a JSON Pointer", expected: "a JSON Pointer (RFC 6901)", at: name)
    }
    return segments
  }
}
