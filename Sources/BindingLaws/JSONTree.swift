import BinderyJSON

/// A mutable JSON value. Unlike `JSONNode`, it can be changed and composed.
indirect enum JSONTree: Sendable {
  case null
  case bool(Bool)
  /// A number in its source spelling.
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([Field])

  /// A member of an object.
  struct Field: Sendable {
    var name: String
    var value: JSONTree
  }

  /// Creates a tree from a parsed value.
  init(_ node: JSONNode) {
    switch node.kind {
    case .null: self = .null
    case .bool: self = .bool(node.bool ?? false)
    case .number: self = .number(String(decoding: node.text, as: UTF8.self))
    case .string: self = .string(node.string ?? "")
    case .array: self = .array(node.elements.map { JSONTree($0) })
    case .object: self = .object(node.members.map { Field(name: $0.string ?? "", value: JSONTree($1)) })
    }
  }

  /// Returns an object with one member.
  static func object(_ name: String, _ value: JSONTree) -> JSONTree { .object([Field(name: name, value: value)]) }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// Returns the value of a member, whose name is compared by bytes.
  subscript(name: String) -> JSONTree? {
    guard case .object(let fields) = self else { return nil }
    return fields.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The compact text, which is canonical if the spelling of every number is.
  var bytes: [UInt8] {
    var writer = JSONWriter()
    write(into: &writer)
    return writer.bytes
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

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
    case .object(let fields):
      writer.beginObject()
      for field in fields {
        writer.key(field.name)
        field.value.write(into: &writer)
      }
      writer.endObject()
    }
  }

  /// Returns whether `==` of Swift's scalar types would regard both values as equal.
  ///
  /// `String ==` ignores normalization, and `Double ==` regards 0 and -0 as equal.
  func isEqualAsSwiftValue(to other: JSONTree) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b || Double(a) == Double(b)
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isEqualAsSwiftValue(to: $1) }
    case (.object(let a), .object(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.name == $1.name && $0.value.isEqualAsSwiftValue(to: $1.value) }
    default: false
    }
  }
}
