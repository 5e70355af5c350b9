extension JSONNode {
  /// The number of elements of an array or members of an object; otherwise zero.
  public var count: Int { Int(entry.count) }

  /// The elements of an array in their order; empty for any other value.
  public var elements: Elements { Elements(of: self) }

  /// The members of an object in their order, duplicates included; empty for any other value.
  public var members: Members { Members(of: self) }

  /// The first member with a name, compared by bytes; nil when there is none or the value is no object.
  ///
  /// - Complexity: O(*n*) in the number of members.
  public subscript(name: String) -> JSONNode? {
    for (key, value) in members where key.isString(name) { return value }
    return nil
  }

  /// The elements of an array.
  public struct Elements: Sequence, IteratorProtocol, Sendable {
    private let document: JSONDocument
    private var index: Int
    private let end: Int

    init(of node: JSONNode) {
      let entry = node.entry
      document = node.document
      index = node.index + 1
      end = entry.kind == .array ? Int(entry.next) : index
    }

    public mutating func next() -> JSONNode? {
      guard index < end else { return nil }
      defer { index = Int(document.tape[index].next) }
      return JSONNode(document: document, index: index)
    }
  }

  /// The members of an object.
  public struct Members: Sequence, IteratorProtocol, Sendable {
    private let document: JSONDocument
    private var index: Int
    private let end: Int

    init(of node: JSONNode) {
      let entry = node.entry
      document = node.document
      index = node.index + 1
      end = entry.kind == .object ? Int(entry.next) : index
    }

    public mutating func next() -> (key: JSONNode, value: JSONNode)? {
      guard index < end else { return nil }
      defer { index = Int(document.tape[index + 1].next) }
      return (JSONNode(document: document, index: index), JSONNode(document: document, index: index + 1))
    }
  }
}
