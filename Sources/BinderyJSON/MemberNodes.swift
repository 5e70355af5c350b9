/// The values of an object's members, by the position of their names in a list. Not copyable, because it is large.
@usableFromInline
package struct MemberNodes: ~Copyable, Sendable {
  private let document: JSONDocument
  /// The index of each value in the document; 0, which is the index of the root, for a name that the object lacks.
  ///
  /// Not nodes, because each of them would retain the document, and in place, because most lists are short.
  private var first = InlineArray<16, UInt32>(repeating: 0)
  /// The indices after the first ones; nil if there are none.
  private var further: [UInt32]?

  /// Creates a list without values.
  package init(in document: JSONDocument, count: Int) {
    self.document = document
    further = count <= 16 ? nil : Array(repeating: 0, count: count - 16)
  }

  /// The members whose name is not in the list, or occurred before, in source order. The position is that of the name.
  package private(set) var others: [(name: JSONNode, position: Int?)] = []

  /// The index of the value at a position.
  private subscript(indexAt position: Int) -> Int {
    get { Int(position < 16 ? first[position] : further?[position - 16] ?? 0) }
    set {
      let index = UInt32(newValue)
      if position < 16 { first[position] = index } else { further?[position - 16] = index }
    }
  }

  /// The value at a position; nil if the object has none. A value must belong to the document, below its root.
  @usableFromInline
  package subscript(position: Int) -> JSONNode? {
    get { index(at: position).map { JSONNode(document: document, index: $0) } }
    set { self[indexAt: position] = newValue?.index ?? 0 }
  }

  /// Returns whether the object has a value at a position.
  @usableFromInline
  package func contains(_ position: Int) -> Bool { self[indexAt: position] != 0 }

  /// The index of the value at a position in the document; nil if the object has none.
  @usableFromInline
  package func index(at position: Int) -> Int? {
    let index = self[indexAt: position]
    return index == 0 ? nil : index
  }

  /// Reads the members of an object.
  fileprivate mutating func read(_ object: Int, in document: JSONDocument, _ names: NameList) {
    let bytes = document.bytes
    let end = Int(document.tape[object].next)
    var index = object + 1
    var expected = 0
    while index < end {
      let (name, value) = (document.tape[index], index + 1)
      let position =
        if name.kind == .string {
          // Clients usually send the members in the order of the names.
          names.position(of: bytes.span.extracting(name.content), expected: expected)
        } else {
          names.position(of: JSONNode(document: document, index: index))
        }
      if let position, self[indexAt: position] == 0 {
        self[indexAt: position] = value
        expected = position + 1
      } else {
        others.append((JSONNode(document: document, index: index), position))
      }
      index = Int(document.tape[value].next)
    }
  }
}

extension JSONNode {
  /// Returns the values of an object's members, by the position of their names; nil for another kind of value.
  ///
  /// - Parameter names: The names, without duplicates.
  /// - Complexity: O(*n*) in the number of members if they are in the order of the names.
  package func members(named names: NameList) -> MemberNodes? {
    guard entry.kind == .object else { return nil }
    var nodes = MemberNodes(in: document, count: names.count)
    nodes.read(index, in: document, names)
    return nodes
  }
}
