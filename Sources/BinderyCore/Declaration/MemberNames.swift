import BinderyJSON

/// The names by which the JSON of a struct is read.
///
/// It is not generic, so that reading an object looks up no type metadata.
@usableFromInline
struct MemberNames: Sendable {
  /// The names of all members in UTF-8, by their index in the shape.
  private let all: [[UInt8]?]
  /// The names that JSON from clients may have; nil for hidden members.
  private let visible: [[UInt8]?]
  /// The names in the storage format; nil for computed members.
  private let stored: [[UInt8]?]

  @usableFromInline
  init(_ members: [MemberInfo]) {
    all = members.map(\.bytes)
    visible = members.map { $0.role == .hidden ? nil : $0.bytes }
    stored = members.map { $0.isComputed ? nil : $0.bytes }
  }

  /// Reads an object from a client.
  func nodes(in node: JSONNode) throws(ValidationError) -> MemberNodes { try Self.nodes(in: node, visible) }

  /// Reads an object in the storage format, or in a state file, which may have computed members, too.
  func storedNodes(in node: JSONNode, isFile: Bool) throws(ValidationError) -> MemberNodes {
    try Self.nodes(in: node, isFile ? all : stored)
  }

  private static func nodes(in node: JSONNode, _ names: [[UInt8]?]) throws(ValidationError) -> MemberNodes {
    guard node.kind == .object else { throw .wrongType(node, expected: "an object") }
    return node.members(named: names)
  }
}

extension [String] {
  /// The first string that an earlier one has the same bytes as; nil if all differ.
  var firstDuplicate: String? {
    var seen: Set<[UInt8]> = []
    return first { !seen.insert([UInt8]($0.utf8)).inserted }
  }
}
