package import BinderyJSON

/// A JSON value that can be changed: what a client holds.
package indirect enum JSONValue: Sendable {
  /// Null, a truth value, a number or a string, as it is spelled.
  case scalar([UInt8])
  case array([JSONValue])
  case object([Member])

  package struct Member: Sendable {
    package var name: String
    package var value: JSONValue
  }

  package init(_ node: JSONNode) {
    switch node.kind {
    case .array: self = .array(node.elements.map { JSONValue($0) })
    case .object: self = .object(node.members.map { Member(name: $0.string ?? "", value: JSONValue($1)) })
    default: self = .scalar(Array(node.text))
    }
  }

  package init(parsing text: String) throws {
    self.init(try JSONDocument(parsing: Array(text.utf8)).root)
  }

  /// The compact text, members in their order.
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

  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The text of a string without escapes, else the text as it is.
  var plain: String {
    guard case .scalar(let bytes) = self else { return text }
    return (try? JSONDocument(parsing: bytes))?.root.string ?? text
  }
}
