package import BinderyJSON

/// A mutable JSON value: the copy of the state that a client maintains.
package indirect enum JSONValue: Sendable {
  /// Null, a Boolean, a number or a string, as source text.
  case scalar([UInt8])
  case array([JSONValue])
  case object([Member])

  /// A member of an object.
  package struct Member: Sendable {
    package var name: String
    package var value: JSONValue

    /// Creates a member.
    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// Creates a value from a parsed node.
  package init(_ node: JSONNode) {
    switch node.kind {
    case .array: self = .array(node.elements.map { JSONValue($0) })
    case .object: self = .object(node.members.map { Member(name: $0.string ?? "", value: JSONValue($1)) })
    default: self = .scalar(Array(node.text))
    }
  }

  /// Parses a JSON text.
  package init(parsing text: String) throws {
    self.init(try JSONDocument(parsing: Array(text.utf8)).root)
  }

  /// The compact text, with members in their order.
  package var text: String {
    var writer = JSONWriter()
    write(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func write(into writer: inout JSONWriter) {
    switch self {
    case .scalar(let bytes): writer.raw(bytes)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(into: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(member.name)
        member.value.write(into: &writer)
      }
      writer.endObject()
    }
  }

  /// Returns the value of the first member with a name; nil if there is none.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The decoded string of a string value; otherwise the JSON text.
  package var plain: String {
    guard case .scalar(let bytes) = self else { return text }
    return (try? JSONDocument(parsing: bytes))?.root.string ?? text
  }
}
