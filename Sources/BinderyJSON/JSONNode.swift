/// A value of a parsed text, or the name of an object's member.
@usableFromInline
package struct JSONNode: Sendable {
  let document: JSONDocument
  /// The index of the value in its document. Assigning the index of another value of the document moves the node there
  /// without retaining the document again.
  @usableFromInline package var index: Int

  /// The kinds of JSON value.
  @usableFromInline
  package enum Kind: Sendable {
    case null, bool, number, string, array, object
  }

  /// The value `null`.
  @usableFromInline package static let null: JSONNode = {
    guard let document = try? JSONDocument(parsing: Array("null".utf8)) else { preconditionFailure("null is JSON") }
    return document.root
  }()

  var entry: TapeEntry { document.tape[index] }

  /// Returns another value of the same document.
  ///
  /// - Parameter index: The index of that value.
  @usableFromInline package func value(at index: Int) -> JSONNode { JSONNode(document: document, index: index) }

  /// Identifies the value among all values of the documents that exist.
  package struct ID: Hashable, Sendable {
    fileprivate let document: ObjectIdentifier
    fileprivate let index: Int
  }

  package var id: ID { ID(document: ObjectIdentifier(document), index: index) }

  /// The kind of the value.
  @usableFromInline package var kind: Kind {
    switch entry.kind {
    case .null: .null
    case .false, .true: .bool
    case .number: .number
    case .string, .escapedString: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Whether the value is `null`.
  @usableFromInline package var isNull: Bool { entry.kind == .null }

  /// Whether the value is an object without members.
  @usableFromInline package var isEmptyObject: Bool { kind == .object && !members.contains { _ in true } }

  /// The Boolean value; nil if the value is not a Boolean.
  package var bool: Bool? {
    switch entry.kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The source text of the value, including a string's quotes or a container's brackets.
  package var text: ArraySlice<UInt8> { document.bytes[entry.range] }

  /// The length of ``text``.
  package var byteCount: Int { entry.range.count }

  /// Returns the beginning of the value's source text, for error messages.
  package func excerpt(maximum: Int) -> String { text.excerpt(maximum: maximum) }
}

extension ArraySlice<UInt8> {
  /// Returns the beginning of a text in UTF-8, for error messages.
  ///
  /// Text is truncated at a character boundary and marked with `…`.
  /// - Parameter maximum: The maximum number of bytes to include.
  package func excerpt(maximum: Int) -> String {
    guard count > maximum else { return String(decoding: self, as: UTF8.self) }
    var end = startIndex + Swift.max(maximum, 0)
    // Do not split a scalar: back up to its first byte.
    while end > startIndex, self[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: self[..<end], as: UTF8.self) + "…"
  }
}

extension JSONNode {
  /// The number of elements of an array or members of an object; zero for any other value.
  @usableFromInline package var count: Int { Int(entry.count) }

  /// The elements of an array in source order; empty for any other value.
  @usableFromInline package var elements: Elements { Elements(of: self, .array) }

  /// The members of an object in source order, including duplicates; empty for any other value.
  package var members: Members { Members(entries: Elements(of: self, .object)) }

  /// Returns the value of the first member with a name; nil if there is none or the value is not an object.
  ///
  /// Names are compared by their UTF-8 bytes, not by canonical equivalence.
  /// - Complexity: O(*n*) in the number of members.
  @usableFromInline
  package subscript(name: String) -> JSONNode? {
    for (key, value) in members where key.isString(name) { return value }
    return nil
  }

  /// The elements of an array.
  @usableFromInline
  package struct Elements: Sequence, IteratorProtocol, Sendable {
    private let document: JSONDocument
    private var index: Int
    private let end: Int

    /// Creates the entries directly in a node of a kind; none if it has another kind.
    fileprivate init(of node: JSONNode, _ kind: TapeEntry.Kind) {
      let entry = node.entry
      document = node.document
      index = node.index + 1
      end = entry.kind == kind ? Int(entry.next) : index
    }

    @usableFromInline
    package mutating func next() -> JSONNode? {
      guard index < end else { return nil }
      defer { index = Int(document.tape[index].next) }
      return JSONNode(document: document, index: index)
    }
  }

  /// The members of an object.
  @usableFromInline
  package struct Members: Sequence, IteratorProtocol, Sendable {
    /// The names and the values, alternating.
    fileprivate var entries: Elements

    @usableFromInline
    package mutating func next() -> (key: JSONNode, value: JSONNode)? {
      guard let key = entries.next(), let value = entries.next() else { return nil }
      return (key, value)
    }
  }
}
