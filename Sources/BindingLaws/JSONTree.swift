import BinderyJSON

/// A JSON value that can be taken apart and put together, which neither a shape nor a document can.
indirect enum JSONTree: Sendable {
  case null
  case bool(Bool)
  /// As it is spelled.
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([Field])

  struct Field: Sendable {
    var name: String
    var value: JSONTree
  }

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

  /// An object with one member.
  static func object(_ name: String, _ value: JSONTree) -> JSONTree { .object([Field(name: name, value: value)]) }

  var isNull: Bool { if case .null = self { true } else { false } }

  subscript(name: String) -> JSONTree? {
    guard case .object(let fields) = self else { return nil }
    return fields.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The compact text, which is canonical where the numbers are.
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

  /// Whether `==` of Swift's own scalars would take both for equal: NFC for NFD, and 0 for -0.
  func looksEqual(to other: JSONTree) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b || Double(a) == Double(b)
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.looksEqual(to: $1) }
    case (.object(let a), .object(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.name == $1.name && $0.value.looksEqual(to: $1.value) }
    default: false
    }
  }
}
