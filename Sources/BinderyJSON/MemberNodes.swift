/// The values of an object's members, by the position of their names in a list. Not copyable, because it is large.
@usableFromInline
package struct MemberNodes: ~Copyable, Sendable {
  private let document: JSONDocument
  private var values: Indices
  /// The members whose name is not in the list, or occurred before, in source order. The position is that of the name.
  package let others: [(name: JSONNode, position: Int?)]

  /// The index of each value in the document; 0, which is the index of the root, for a name that the object lacks.
  ///
  /// Not nodes, because each of them would retain the document, and in place, because most lists are short.
  private struct Indices: ~Copyable, Sendable {
    private var first = InlineArray<16, UInt32>(repeating: 0)
    /// The indices after the first ones; nil if there are none.
    private var further: [UInt32]?

    init(count: Int) { further = count <= 16 ? nil : Array(repeating: 0, count: count - 16) }

    subscript(position: Int) -> Int {
      get { Int(position < 16 ? first[position] : further?[position - 16] ?? 0) }
      set {
        let index = UInt32(newValue)
        if position < 16 { first[position] = index } else { further?[position - 16] = index }
      }
    }
  }

  /// Creates a list without values.
  package init(in document: JSONDocument, count: Int) {
    self.document = document
    values = Indices(count: count)
    others = []
  }

  /// Reads the members of an object.
  fileprivate init(of object: Int, in document: consuming JSONDocument, _ names: borrowing NameList) {
    let bytes = document.bytes
    let entry = document.tape[object]
    let end = entry.kind == .object ? Int(entry.next) : 0
    var index = object + 1
    var values = Indices(count: names.count)
    var others: [(name: JSONNode, position: Int?)] = []
    var expected = 0
    while index < end {
      let value = index + 1
      let name = document.tape[index]
      let position =
        if name.kind == .string {
          // Clients usually send the members in the order of the names.
          names.position(of: bytes.span.extracting(name.content), expected: expected)
        } else {
          names.position(of: JSONNode(document: copy document, index: index))
        }
      if let position, values[position] == 0 {
        values[position] = value
        expected = position + 1
      } else {
        others.append((JSONNode(document: copy document, index: index), position))
      }
      index = Int(document.tape[value].next)
    }
    self.document = document
    self.values = values
    self.others = others
  }

  /// The value at a position; nil if the object has none. A value must belong to the document, below its root.
  @usableFromInline
  package subscript(position: Int) -> JSONNode? {
    get { index(at: position).map { JSONNode(document: document, index: $0) } }
    set { values[position] = newValue?.index ?? 0 }
  }

  /// Returns whether the object has a value at a position.
  @usableFromInline
  package func contains(_ position: Int) -> Bool { values[position] != 0 }

  /// The index of the value at a position in the document; nil if the object has none.
  @usableFromInline
  package func index(at position: Int) -> Int? {
    let index = values[position]
    return index == 0 ? nil : index
  }
}

extension JSONNode {
  /// Returns the values of an object's members, by the position of their names; none for another kind of value.
  ///
  /// - Parameter names: The names, without duplicates.
  /// - Complexity: O(*n*) in the number of members if they are in the order of the names.
  package consuming func members(named names: borrowing NameList) -> MemberNodes {
    MemberNodes(of: index, in: document, names)
  }

  /// Returns the position of the name of an object's only member, and the index of its value in the document; nil for
  /// any other value, or if the name is not in the list.
  package func onlyMember(named names: borrowing NameList) -> (position: Int, value: Int)? {
    guard entry.kind == .object, count == 1, let position = names.position(of: value(at: index + 1)) else {
      return nil
    }
    return (position, index + 2)
  }
}
