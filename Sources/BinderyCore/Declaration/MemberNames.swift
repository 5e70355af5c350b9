import BinderyJSON

/// The names by which the JSON of a struct is read.
///
/// It is not generic, so that reading an object looks up no type metadata.
@usableFromInline
struct MemberNames: Sendable {
  /// The names of all members, by their index in the shape.
  private let all: NameList
  /// The names that JSON from clients may have: those of members that are not hidden.
  private let visible: NameList
  /// The names in the storage format: those of members that are not computed.
  private let stored: NameList

  @usableFromInline
  init(_ members: [MemberInfo]) {
    all = NameList(members.map(\.name))
    visible = NameList(members.map { $0.role == .hidden ? nil : $0.name })
    stored = NameList(members.map { $0.isComputed ? nil : $0.name })
  }

  /// Returns whether a member has a name.
  func contains(_ name: String) -> Bool { all.position(of: name.utf8.span) != nil }

  /// Returns whether a node is the name of a member.
  func contains(_ name: JSONNode) -> Bool { all.position(of: name) != nil }

  /// Reads an object from a client.
  func nodes(in node: consuming JSONNode) throws(ValidationError) -> MemberNodes { try Self.nodes(in: node, visible) }

  /// Reads an object in the storage format, or in a state file, which may have computed members, too.
  func storedNodes(in node: JSONNode, isFile: Bool) throws(ValidationError) -> MemberNodes {
    try Self.nodes(in: node, isFile ? all : stored)
  }

  private static func nodes(
    in node: consuming JSONNode, _ names: borrowing NameList
  ) throws(ValidationError) -> MemberNodes {
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
