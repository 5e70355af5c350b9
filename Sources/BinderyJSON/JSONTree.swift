/// A JSON value that can be composed and changed, unlike `JSONNode`. Objects preserve the order of their members.
package indirect enum JSONTree: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A number in its source spelling.
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([Member])

  /// A member of an object.
  package struct Member: Sendable, Equatable {
    package var key: String
    package var value: JSONTree

    package init(key: String, value: JSONTree) {
      self.key = key
      self.value = value
    }
  }

  /// Creates a tree from a parsed value.
  package init(_ node: JSONNode) {
    switch node.kind {
    case .null: self = .null
    case .bool: self = .bool(node.bool ?? false)
    case .number: self = .number(String(decoding: node.text, as: UTF8.self))
    case .string: self = .string(node.string ?? "")
    case .array: self = .array(node.elements.map { JSONTree($0) })
    case .object: self = .object(node.members.map { Member(key: $0.key.string ?? "", value: JSONTree($0.value)) })
    }
  }

  /// Parses a JSON text.
  package init(parsing text: String) throws { self.init(try JSONDocument(parsing: Array(text.utf8)).root) }

  /// The compact text, which is canonical if the spelling of every number is.
  package var bytes: [UInt8] {
    var writer = JSONWriter()
    write(into: &writer)
    return writer.bytes
  }

  /// ``bytes`` as a string.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  private func write(into writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .number(let text): writer.raw(Array(text.utf8))
    case .string(let text): writer.string(text)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(into: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(member.key)
        member.value.write(into: &writer)
      }
      writer.endObject()
    }
  }
}

extension JSONTree {
  /// The string; nil for any other value.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The elements of an array; empty for any other value.
  package var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }

  /// The members of an object; empty for any other value.
  package var members: [Member] { if case .object(let members) = self { members } else { [] } }

  /// Returns the value of the first member with a name, which is compared by bytes; nil if there is none.
  package subscript(key: String) -> JSONTree? { members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value }

  /// All values directly in an array or an object.
  package var children: [JSONTree] { elements + members.map(\.value) }
}
